// The operations: the Kubernetes API and the cloud.
#include "tap_component.hpp"

#include <ccm/abi/instances.h>
#include <ccm/abi/kube.h>
#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/routes.h>

#include <nlohmann/json.hpp>

namespace ccm::conformance {
namespace {

Tapped& tapped(void* self) { return *static_cast<Tapped*>(self); }
Tap& tap_of(void* self) { return *tapped(self).tap; }

// Takes an operation in, and passes it on unless a case breaks it.
template <auto kMember, typename Table, typename Request>
void operate(void* self, HostCall call, ccm_ctx ctx, const Request* request, ccm_completion done,
             std::size_t result_size) {
  const Tapped& service = tapped(self);
  const auto pass = [&](ccm_completion passed) {
    (service.table<Table>()->*kMember)(service.real.self, ctx, request, passed);
  };
  service.tap->enter(std::move(call), ctx, done, pass, result_size);
}

HostCall kube_call(const char* operation, const ccm_kube_reference* given) {
  const ccm_kube_reference reference = known(given);
  HostCall call;
  call.service = "kube";
  call.operation = operation;
  call.resource = view(reference.resource);
  call.subresource = view(reference.subresource);
  call.namespace_name = view(reference.namespace_);
  call.name = view(reference.name);
  return call;
}

// False, and the call fails, when it is none.
bool sound_body(Tap& tap, const HostCall& call, ccm_str body, ccm_completion done) {
  tap.check_text("the body of a write", body);
  if (nlohmann::json::accept(view(body))) return true;
  tap.note("kube", "the body of a " + call.text() + " is no JSON");
  tap.fail(done, Status(Code::invalid_argument, ErrorClass::invalid_spec, "the body is no JSON"));
  return false;
}

void check_name(Tap& tap, const HostCall& call) {
  if (call.name.empty() || call.resource.empty()) {
    tap.note("kube", "a " + call.text() + " names no object");
  }
}

int32_t cached(void* self, const ccm_kube_reference* reference, const ccm_object** out) {
  Tap& tap = tap_of(self);
  const auto* table = tapped(self).table<ccm_host_kube>();
  const int32_t answer = table->cached(tapped(self).real.self, reference, out);
  const std::string resource(view(known(reference).resource));
  if (answer == CCM_CACHE_NOT_WATCHED) tap.note("not-watched", resource);
  if (answer != CCM_CACHE_FOUND) return answer;
  tap.add_reference(1);
  tap.keep_cached(*out, resource);
  return answer;
}

struct Visit {
  Tap* tap;
  std::string resource;
  ccm_visit_object_fn visit;
  void* owner;
  static ccm_bool call(void* self, const ccm_object* object) {
    const auto& kept = *static_cast<Visit*>(self);
    kept.tap->keep_cached(object, kept.resource);
    return kept.visit(kept.owner, object);
  }
};

int32_t cached_each(void* self, const ccm_kube_cached_request* request, ccm_visit_object_fn visit,
                    void* owner) {
  Visit kept{&tap_of(self), std::string(view(known(request).resource)), visit, owner};
  const auto* table = tapped(self).table<ccm_host_kube>();
  const int32_t answer = table->cached_each(tapped(self).real.self, request, &Visit::call, &kept);
  if (answer == CCM_CACHE_NOT_WATCHED) kept.tap->note("not-watched", kept.resource);
  return answer;
}

void get(void* self, ccm_ctx ctx, const ccm_kube_get_request* request, ccm_completion done) {
  HostCall call = kube_call("get", known(request).reference);
  check_name(tap_of(self), call);
  operate<&ccm_host_kube::get, ccm_host_kube>(self, std::move(call), ctx, request, done, 0);
}

void list(void* self, ccm_ctx ctx, const ccm_kube_list_request* request, ccm_completion done) {
  HostCall call;
  call.service = "kube";
  call.operation = "list";
  call.resource = view(known(request).resource);
  operate<&ccm_host_kube::list, ccm_host_kube>(self, std::move(call), ctx, request, done,
                                               sizeof(ccm_kube_list));
}

void patch(void* self, ccm_ctx ctx, const ccm_kube_patch_request* given, ccm_completion done) {
  const ccm_kube_patch_request request = known(given);
  HostCall call = kube_call("patch", request.reference);
  call.writes = true;
  call.body = view(request.body);
  call.patch_type = request.type;
  check_name(tap_of(self), call);
  if (!sound_body(tap_of(self), call, request.body, done)) return;
  if (request.type < CCM_PATCH_JSON || request.type > CCM_PATCH_APPLY) {
    tap_of(self).note("kube", "a " + call.text() + " has no known type");
  }
  operate<&ccm_host_kube::patch, ccm_host_kube>(self, std::move(call), ctx, given, done, 0);
}

void create(void* self, ccm_ctx ctx, const ccm_kube_create_request* given, ccm_completion done) {
  const ccm_kube_create_request request = known(given);
  HostCall call = kube_call("create", request.reference);
  call.writes = true;
  call.body = view(request.body);
  if (!sound_body(tap_of(self), call, request.body, done)) return;
  operate<&ccm_host_kube::create, ccm_host_kube>(self, std::move(call), ctx, given, done, 0);
}

void remove(void* self, ccm_ctx ctx, const ccm_kube_delete_request* given, ccm_completion done) {
  HostCall call = kube_call("delete", known(given).reference);
  call.writes = true;
  call.subresource.clear();
  check_name(tap_of(self), call);
  operate<&ccm_host_kube::remove, ccm_host_kube>(self, std::move(call), ctx, given, done, 0);
}

const ccm_host_kube* kube_table() {
  static const ccm_host_kube table = [] {
    auto made = sized<ccm_host_kube>();
    made.cached = &cached;
    made.cached_each = &cached_each;
    made.get = &get;
    made.list = &list;
    made.patch = &patch;
    made.create = &create;
    made.remove = &remove;
    return made;
  }();
  return &table;
}

HostCall cloud_call(const char* service, const char* operation, bool writes) {
  HostCall call;
  call.service = service;
  call.operation = operation;
  call.writes = writes;
  return call;
}

// An operation of the cloud. `Result`: the struct of its result.
template <typename Table, typename Request, auto kMember, typename Result>
struct CloudOperation {
  static inline const char* service = nullptr;
  static inline const char* name = nullptr;
  static inline bool writes = false;

  static void call(void* self, ccm_ctx ctx, const Request* request, ccm_completion done) {
    HostCall call = cloud_call(service, name, writes);
    if constexpr (requires { request->service; }) {
      const ccm_service of = known(known(request).service);
      call.namespace_name = view(of.namespace_name);
      call.name = view(of.name);
    }
    std::size_t size = 0;
    if constexpr (!std::is_void_v<Result>) size = sizeof(Result);
    operate<kMember, Table>(self, std::move(call), ctx, request, done, size);
  }
  static auto* named(const char* of_service, const char* operation, bool changes) {
    service = of_service;
    name = operation;
    writes = changes;
    return &call;
  }
};

template <auto kMember, typename Request, typename Result>
auto* instances(const char* name) {
  return CloudOperation<ccm_cloud_instances, Request, kMember, Result>::named("instances", name,
                                                                              false);
}
template <auto kMember, typename Request, typename Result>
auto* balancers(const char* name, bool writes) {
  return CloudOperation<ccm_cloud_loadbalancers, Request, kMember, Result>::named("loadbalancers",
                                                                                  name, writes);
}
template <auto kMember, typename Request, typename Result>
auto* routes(const char* name, bool writes) {
  return CloudOperation<ccm_cloud_routes, Request, kMember, Result>::named("routes", name, writes);
}

const ccm_cloud_instances* instances_table() {
  using T = ccm_cloud_instances;
  static const T table = [] {
    auto made = sized<T>();
    made.list = instances<&T::list, ccm_list_instances_request, ccm_instance_list>("list");
    made.describe =
        instances<&T::describe, ccm_describe_instances_request, ccm_instance_list>("describe");
    made.get = instances<&T::get, ccm_get_instance_request, ccm_instance>("get");
    made.limits = instances<&T::limits, ccm_limits_request, ccm_instance_limits>("limits");
    return made;
  }();
  return &table;
}

const ccm_cloud_loadbalancers* balancers_table() {
  using T = ccm_cloud_loadbalancers;
  using Request = ccm_load_balancer_request;
  static const T table = [] {
    auto made = sized<T>();
    made.observe = balancers<&T::observe, Request, ccm_load_balancer>("observe", false);
    made.ensure = balancers<&T::ensure, Request, ccm_load_balancer>("ensure", true);
    made.update_backends =
        balancers<&T::update_backends, Request, ccm_load_balancer>("update_backends", true);
    made.remove = balancers<&T::remove, Request, void>("remove", true);
    made.name = balancers<&T::name, Request, ccm_load_balancer_name>("name", false);
    made.lane = balancers<&T::lane, Request, ccm_load_balancer_lane>("lane", false);
    made.limits =
        balancers<&T::limits, ccm_limits_request, ccm_load_balancer_limits>("limits", false);
    return made;
  }();
  return &table;
}

const ccm_cloud_routes* routes_table() {
  using T = ccm_cloud_routes;
  static const T table = [] {
    auto made = sized<T>();
    made.list = routes<&T::list, ccm_list_routes_request, ccm_route_list>("list", false);
    made.apply = routes<&T::apply, ccm_apply_routes_request, ccm_route_results>("apply", true);
    made.limits = routes<&T::limits, ccm_limits_request, ccm_route_limits>("limits", false);
    return made;
  }();
  return &table;
}

}  // namespace

const void* tapped_operations(std::string_view id) {
  if (id == CCM_HOST_KUBE) return kube_table();
  if (id == CCM_CLOUD_INSTANCES) return instances_table();
  if (id == CCM_CLOUD_LOADBALANCERS) return balancers_table();
  if (id == CCM_CLOUD_ROUTES) return routes_table();
  return nullptr;
}

}  // namespace ccm::conformance
