// The entry of a C++ plugin. One source file of it reads:
//
//   #include <ccm/plugin.hpp>
//   #include "ccm_plugin_manifest.h"     // written by ccm_add_plugin() from plugin.json
//   CCM_PLUGIN(ccm::component<mycloud::Provider>("mycloud"))
//
// A component is a plain class with a constructor (ccm::Host&); ccm/provider.hpp and
// ccm/controller.hpp say which methods it may have. Its name is the one in the manifest.
#pragma once

#include <ccm/abi/plugin.h>
#include <ccm/component.hpp>
#include <ccm/controller.hpp>
#include <ccm/host.hpp>
#include <ccm/method_checks.hpp>
#include <ccm/provider.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace ccm {
namespace detail {

// One component from its creation to its end. Coroutines that still wait are destroyed first, then
// the author's object, then the host's services.
template <typename T>
class Instantiated {
 public:
  Instantiated(const ccm_host* raw, bool nonblocking) : host(raw, nonblocking), object(host) {}
  ~Instantiated() { host.scope().clear(); }
  Instantiated(const Instantiated&) = delete;
  Instantiated& operator=(const Instantiated&) = delete;

  Host host;
  std::list<KeptMap> maps;
  BackendLists backends;
  T object;

  ccm_component component() {
    return {sizeof(ccm_component), 0, this, &Instantiated::get_interface, &Instantiated::destroy};
  }

 private:
  static bool get_interface(void* self, const char* id, ccm_interface* out) noexcept {
    const std::string_view wanted = id;
    const void* table = nullptr;
    if constexpr (IsProvider<T>) {
      using Adapter = ProviderAdapter<T, Instantiated>;
      if (wanted == CCM_PROVIDER) table = Adapter::provider_table();
      if constexpr (IsInstances<T>) {
        if (wanted == CCM_CLOUD_INSTANCES) table = Adapter::instances_table();
      }
      if constexpr (IsLoadBalancers<T>) {
        if (wanted == CCM_CLOUD_LOADBALANCERS) {
          table = LoadBalancerAdapter<T, Instantiated>::table();
        }
      }
      if constexpr (IsRoutes<T>) {
        using Adapted = RouteAdapter<T, Instantiated>;
        if (wanted == CCM_CLOUD_ROUTES && Adapted::offered(Adapted::part(self))) {
          table = Adapted::table();
        }
      }
    }
    if constexpr (IsController<T>) {
      if (wanted == CCM_CONTROLLER) table = ControllerAdapter<T, Instantiated>::table();
    }
    if (table == nullptr) return false;
    *out = {self, table};
    return true;
  }
  static void destroy(void* self) noexcept { delete static_cast<Instantiated*>(self); }
};

// Whether a manifest says "nonblocking": true. The text is the one that ccm_add_plugin() checked.
inline bool says_nonblocking(std::string_view manifest) {
  constexpr std::string_view kName = "\"nonblocking\"";
  const size_t place = manifest.find(kName);
  if (place == std::string_view::npos) return false;
  const size_t colon = manifest.find_first_not_of(" \t\r\n", place + kName.size());
  if (colon == std::string_view::npos || manifest[colon] != ':') return false;
  const size_t value = manifest.find_first_not_of(" \t\r\n", colon + 1);
  return value != std::string_view::npos && manifest.substr(value).starts_with("true");
}

// Whether any method of the class is a coroutine, which must not run on a [worker] thread.
template <typename T>
consteval bool has_coroutines() {
  bool found = false;
  if constexpr (HasInitialize<T>) {
    found = found || is_task<decltype(std::declval<T&>().initialize(std::declval<Ctx>()))>;
  }
  if constexpr (HasHealth<T>) {
    found = found || is_task<decltype(std::declval<T&>().health(std::declval<Ctx>()))>;
  }
  if constexpr (HasList<T>) {
    found = found || is_task<decltype(std::declval<T&>().list(std::declval<Ctx>()))>;
  }
  if constexpr (HasDescribe<T>) {
    found = found || is_task<decltype(std::declval<T&>().describe(
                         std::declval<Ctx>(), std::declval<std::vector<NodeIdentity>>()))>;
  }
  if constexpr (HasGet<T>) {
    found = found || is_task<decltype(std::declval<T&>().get(std::declval<Ctx>(),
                                                             std::declval<NodeIdentity>()))>;
  }
  if constexpr (IsLoadBalancers<T>) {
    found =
        found ||
        is_task<decltype(std::declval<T&>().ensure_load_balancer(
            std::declval<Ctx>(), std::declval<LoadBalancerService>(), std::declval<Backends>()))>;
    found = found || is_task<decltype(std::declval<T&>().delete_load_balancer(
                         std::declval<Ctx>(), std::declval<LoadBalancerService>()))>;
  }
  if constexpr (IsRoutes<T>) {
    found = found || is_task<decltype(std::declval<T&>().list_routes(std::declval<Ctx>(),
                                                                     std::declval<std::string>()))>;
  }
  if constexpr (IsController<T>) {
    found = found || is_task<decltype(std::declval<T&>().reconcile(std::declval<Ctx>(),
                                                                   std::declval<Request>()))>;
    if constexpr (HasStop<T>) {
      found = found || is_task<decltype(std::declval<T&>().stop(std::declval<Ctx>()))>;
    }
  }
  return found;
}

template <typename T>
void make_component(const ccm_host* host, bool nonblocking, Completion& completion) {
  static_assert(IsProvider<T> || IsController<T>,
                "the class has no method that a provider or a controller needs");
  if constexpr (IsProvider<T>) check_provider_methods<T>();
  if (has_coroutines<T>() && !nonblocking) {
    return completion.fail(Status(Code::failed_precondition,
                                  "the component has coroutine methods, which need "
                                  "\"nonblocking\": true in its manifest"));
  }
  auto instance = std::make_unique<Instantiated<T>>(host, nonblocking);
  const ccm_component component = instance->component();
  instance.release();  // the host's now, by `destroy`
  completion.succeed(&component);
}

}  // namespace detail

// One line of CCM_PLUGIN.
struct ComponentEntry {
  std::string_view name;
  void (*make)(const ccm_host* host, bool nonblocking, detail::Completion& completion);
};

template <typename T>
constexpr ComponentEntry component(std::string_view name) {
  return {name, &detail::make_component<T>};
}

namespace detail {

template <size_t N>
void create(const ComponentEntry (&entries)[N], ccm_str manifest, const ccm_host* host,
            ccm_str name, ccm_completion done) noexcept {
  Completion completion(done);
  try {
    for (const ComponentEntry& entry : entries) {
      if (entry.name == view(name)) {
        return entry.make(host, says_nonblocking(view(manifest)), completion);
      }
    }
    completion.fail(Status(
        Code::not_found, "this plugin has no component named \"" + std::string(view(name)) + "\""));
  } catch (...) {
    completion.fail(status_of_exception());
  }
}

}  // namespace detail
}  // namespace ccm

#define CCM_PLUGIN(...)                                                                         \
  namespace {                                                                                   \
  void ccm_create_component(const ccm_host* host, ccm_str name, ccm_completion done) noexcept { \
    static constexpr ::ccm::ComponentEntry entries[] = {__VA_ARGS__};                           \
    ::ccm::detail::create(entries, ccm_plugin_manifest, host, name, done);                      \
  }                                                                                             \
  }                                                                                             \
  extern "C" CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1();                               \
  extern "C" CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1() {                              \
    static const ccm_plugin plugin = {sizeof(plugin), CCM_ABI_MINOR, ccm_plugin_manifest,       \
                                      &ccm_create_component};                                   \
    return &plugin;                                                                             \
  }                                                                                             \
  static_assert(true, "takes the semicolon")
