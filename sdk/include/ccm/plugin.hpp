// The entry of a C++ plugin. One source file of it reads:
//
//   #include <ccm/plugin.hpp>
//   #include "ccm_plugin_manifest.h"     // written by ccm_add_plugin() from plugin.json
//   CCM_PLUGIN(ccm::component<mycloud::Provider>("mycloud"));
//
// A component is a plain class with a constructor (ccm::Host&); ccm/provider.hpp and
// ccm/controller.hpp say which methods it may have. Its name is the one in the manifest.
//
// Components may share an object, such as a log-in: a plain class with a constructor (ccm::Host&),
// made before the first of them and destroyed after the last one. They then take it as well,
// (ccm::Host&, mycloud::Session&):
//
//   CCM_PLUGIN(ccm::shared<mycloud::Session>(),
//              ccm::component<mycloud::Provider, mycloud::Session>("mycloud"),
//              ccm::component<mycloud::Firewall, mycloud::Session>("mycloud-firewall"));
#pragma once

#include <ccm/abi/plugin.h>
#include <ccm/component.hpp>
#include <ccm/controller.hpp>
#include <ccm/detail/method_checks.hpp>
#include <ccm/host.hpp>
#include <ccm/provider.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ccm {
namespace detail {

struct NothingShared {};

// An author's object with the host that it uses, from its creation to its end. Coroutines that
// still wait are destroyed first, then the object, then the host's services.
template <typename T>
class Instantiated {
 public:
  template <typename... Shared>
  explicit Instantiated(const ccm_host* raw, Shared&... shared)
      : host(raw), object(host, shared...) {}
  ~Instantiated() { host.scope().clear(); }
  Instantiated(const Instantiated&) = delete;
  Instantiated& operator=(const Instantiated&) = delete;

  Host host;
  BackendLists backends;
  T object;

  [[nodiscard]] ccm_component component() {
    ccm_component raw = sized<ccm_component>();
    raw.self = this;
    raw.get_interface = &Instantiated::get_interface;
    raw.destroy = &Instantiated::destroy;
    return raw;
  }
  static void destroy(void* self) noexcept { delete static_cast<Instantiated*>(self); }

 private:
  static ccm_bool get_interface(void* self, const char* id, ccm_interface* out) noexcept {
    auto& part = *static_cast<Instantiated*>(self);
    const std::string_view wanted = id;
    const void* table = nullptr;
    if constexpr (IsProvider<T>) {
      using Adapter = ProviderAdapter<T, Instantiated>;
      if (wanted == CCM_PROVIDER) table = Adapter::provider_table();
      if (const void* cloud = cloud_table(wanted)) {
        table = Adapter::offers(part, id) ? cloud : nullptr;
      }
    }
    if constexpr (IsController<T>) {
      if (wanted == CCM_CONTROLLER) table = ControllerAdapter<T, Instantiated>::table();
    }
    if (table == nullptr) return 0;
    *out = {&part, table};
    return 1;
  }
  // The table of an interface for which the class has methods.
  static const void* cloud_table(std::string_view wanted) {
    if constexpr (IsInstances<T>) {
      if (wanted == CCM_CLOUD_INSTANCES) {
        return ProviderAdapter<T, Instantiated>::instances_table();
      }
    }
    if constexpr (IsLoadBalancers<T>) {
      if (wanted == CCM_CLOUD_LOADBALANCERS) return LoadBalancerAdapter<T, Instantiated>::table();
    }
    if constexpr (IsRoutes<T>) {
      if (wanted == CCM_CLOUD_ROUTES) return RouteAdapter<T, Instantiated>::table();
    }
    if constexpr (IsOwned<T>) {
      if (wanted == CCM_CLOUD_OWNED) return OwnedAdapter<T, Instantiated>::table();
    }
    return nullptr;
  }
};

// Whether any method of the class is a coroutine, which must not run on a [worker] thread.
template <typename T>
consteval bool has_coroutines() {
  bool found = false;
  if constexpr (HasInitialize<T>) {
    found = found || is_task<decltype(std::declval<T&>().initialize(std::declval<Ctx>()))>;
  }
  if constexpr (HasShutdown<T>) {
    found = found || is_task<decltype(std::declval<T&>().shutdown(std::declval<Ctx>()))>;
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
  if constexpr (IsOwned<T>) {
    found = found || is_task<decltype(std::declval<T&>().list_owned(std::declval<Ctx>(),
                                                                    std::declval<ClusterNames>()))>;
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

inline bool is_nonblocking(const ccm_host* host) {
  return CCM_HAS(host, flags) && (host->flags & CCM_NONBLOCKING) != 0;
}

template <typename T, typename Shared>
void make_component(void* shared, const ccm_host* host, Completion& completion) {
  static_assert(IsProvider<T> || IsController<T>,
                "the class has no method that a provider or a controller needs");
  if constexpr (IsProvider<T>) check_provider_methods<T>();
  if (has_coroutines<T>() && !is_nonblocking(host)) {
    return completion.fail(Status(Code::failed_precondition,
                                  "the component has coroutine methods, which need "
                                  "\"nonblocking\": true in its manifest"));
  }
  std::unique_ptr<Instantiated<T>> instance;
  if constexpr (std::is_same_v<Shared, NothingShared>) {
    instance = std::make_unique<Instantiated<T>>(host);
  } else {
    auto& kept = *static_cast<Instantiated<Shared>*>(shared);
    instance = std::make_unique<Instantiated<T>>(host, kept.object);
  }
  const ccm_component component = instance->component();
  instance.release();  // the host's now, by `destroy`
  completion.succeed(&component);
}

}  // namespace detail

// One line of CCM_PLUGIN.
struct ComponentEntry {
  std::string_view name;
  void (*make)(void* shared, const ccm_host* host, detail::Completion& completion);
};
struct SharedEntry {
  void* (*make)(const ccm_host* host) = nullptr;
  void (*destroy)(void* shared) = nullptr;
};

namespace detail {

// They know the type that is shared, so that the compiler can compare it.
template <typename T>
struct ComponentOf : ComponentEntry {
  using Shared = T;
};
template <typename T>
struct SharedOf : SharedEntry {};

}  // namespace detail

template <typename T, typename Shared = detail::NothingShared>
constexpr detail::ComponentOf<Shared> component(std::string_view name) {
  return {{name, &detail::make_component<T, Shared>}};
}

template <typename Shared>
constexpr detail::SharedOf<Shared> shared() {
  using Kept = detail::Instantiated<Shared>;
  return {{[](const ccm_host* host) -> void* { return std::make_unique<Kept>(host).release(); },
           [](void* kept) { Kept::destroy(kept); }}};
}

namespace detail {

template <std::size_t Count>
struct PluginEntries {
  SharedEntry shared;
  std::array<ComponentEntry, Count> components;
};

template <typename Shared, typename... Components>
consteval auto entries_of(SharedOf<Shared> shared, Components... components) {
  static_assert(((std::is_same_v<typename Components::Shared, Shared> ||
                  std::is_same_v<typename Components::Shared, NothingShared>)&&...),
                "a component shares another type than the plugin's ccm::shared<...>()");
  return PluginEntries<sizeof...(Components)>{shared, {components...}};
}
template <typename First, typename... More>
consteval auto entries_of(ComponentOf<First> first, More... more) {
  return entries_of(SharedOf<NothingShared>(), first, more...);
}

// The functions of ccm_plugin for one list of entries.
template <const auto& Entries>
struct PluginAdapter {
  static void open(void* /*self*/, ccm_ctx /*ctx*/, const ccm_open_request* request,
                   ccm_completion done) noexcept {
    Completion completion(done);
    try {
      const Status checked = check_request("open", request);
      if (!checked.ok()) return completion.fail(checked);
      ccm_opened opened = sized<ccm_opened>();
      opened.self = Entries.shared.make(request->host);
      completion.succeed(&opened);
    } catch (...) {
      completion.fail(status_of_exception());
    }
  }
  static void create(void* self, ccm_ctx /*ctx*/, const ccm_create_request* request,
                     ccm_completion done) noexcept {
    Completion completion(done);
    try {
      const Status checked = check_request("create", request);
      if (!checked.ok()) return completion.fail(checked);
      const std::string_view name = view(request->component);
      for (const ComponentEntry& entry : Entries.components) {
        if (entry.name == name) return entry.make(self, request->host, completion);
      }
      completion.fail(Status(Code::not_found,
                             "this plugin has no component named \"" + std::string(name) + "\""));
    } catch (...) {
      completion.fail(status_of_exception());
    }
  }
  static void close(void* self) noexcept { Entries.shared.destroy(self); }

  static ccm_plugin plugin(ccm_str manifest) {
    ccm_plugin raw = sized<ccm_plugin>();
    raw.abi_minor = CCM_ABI_MINOR;
    raw.manifest = manifest;
    if (Entries.shared.make != nullptr) {
      raw.open = &open;
      raw.close = &close;
    }
    raw.create = &create;
    return raw;
  }
};

}  // namespace detail
}  // namespace ccm

#define CCM_PLUGIN(...)                                                                \
  namespace {                                                                          \
  constexpr auto ccm_plugin_entries = ::ccm::detail::entries_of(__VA_ARGS__);          \
  }                                                                                    \
  extern "C" CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1();                      \
  extern "C" CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1() {                     \
    static const ccm_plugin plugin =                                                   \
        ::ccm::detail::PluginAdapter<ccm_plugin_entries>::plugin(ccm_plugin_manifest); \
    return &plugin;                                                                    \
  }                                                                                    \
  static_assert(true, "takes the semicolon")
