#include "ownership.hpp"

#include "names.hpp"
#include "service_state.hpp"

#include <string>
#include <utility>

namespace ccm::service {
namespace {

Status not_ours(std::string text) {
  return Status(Code::failed_precondition, ErrorClass::invalid_spec, std::move(text))
      .with_reason(std::string(kNotOwned));
}

std::string permission_hint(const ServiceState& service) {
  return "An administrator can let this Service take it over: --load-balancer-adoption=" +
         service.key();
}

Status another_has_it() {
  return not_ours(
      "the load balancer that it asks for is another Service's of this cluster, and serves one "
      "Service only");
}

}  // namespace

Task<Result<LoadBalancer>> Ownership::ensure(Ctx ctx, SyncPtr sync) {
  auto answer = co_await ensure_once(ctx, sync);
  const bool foreign = answer.ok() && answer->state == LoadBalancerState::foreign;
  if (!foreign || !sync->intent.adopt_id.empty() || !may_adopt(*sync, sync->intent.id)) {
    co_return answer;
  }
  sync->intent.adopt_id = sync->intent.id;
  auto adopted = co_await ensure_once(ctx, sync);
  co_return adopted;
}

Task<Result<LoadBalancer>> Ownership::ensure_once(Ctx ctx, SyncPtr sync) {
  const std::string& adopted = sync->intent.adopt_id;
  if (!adopted.empty() && another_has(*sync, adopted)) co_return another_has_it();
  sync->record->adopting = adopted;
  const auto answer =
      co_await host_.load_balancers.ensure(ctx, sync->intent, sync->backends->backends);
  sync->record->adopting.clear();
  co_return answer;
}

bool Ownership::may_adopt(const Sync& sync, std::string_view id) const {
  return !id.empty() &&
         settings_.adoption.allow(sync.service.namespace_name, sync.service.name, id);
}

// One load balancer serves one Service: not one that another Service has, is taking over right now,
// or had before this process looked.
bool Ownership::another_has(const Sync& sync, std::string_view id) const {
  for (const auto& [key, record] : records_.all()) {
    if (key != sync.key && (record->id == id || record->adopting == id)) return true;
  }
  bool found = false;
  host_.kube.cached_each(kServices, {}, [&](const Object& object) {
    if (object.uid() == sync.service.uid) return true;
    const ServiceState other = read_service(object);
    found = other.load_balancer && !other.ingress.empty() &&
            other.annotation(sync.options.id_annotation) == id;
    return !found;
  });
  return found;
}

Status Ownership::adoption_refused(const Sync& sync) {
  return not_ours("the annotation " + std::string(kAdoptAnnotation) + " is not followed. " +
                  permission_hint(sync.service));
}

// Users of a Service must not learn the ids of other owners' load balancers.
Status Ownership::foreign(const Sync& sync) {
  std::string text =
      "the load balancer that bears this Service's name is marked as somebody else's";
  if (!sync.intent.id.empty()) {
    text = "the load balancer that the annotation " + sync.options.id_annotation +
           " names is not this Service's: remove the annotation to get a new one";
  }
  return not_ours(text + ". It is left alone. " + permission_hint(sync.service));
}

}  // namespace ccm::service
