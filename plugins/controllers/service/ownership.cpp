// Ownership of a load balancer, and whether it may be taken over (docs/decisions/0011).
#include "controller.hpp"
#include "names.hpp"

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

Task<Result<LoadBalancer>> Controller::ask(Ctx ctx, TurnPtr turn) {
  auto answer = co_await ask_once(ctx, turn);
  const bool foreign = answer.ok() && answer->state == LoadBalancerState::foreign;
  if (!foreign || !turn->intent.adopt_id.empty() || !may_adopt(*turn, turn->intent.id)) {
    co_return answer;
  }
  turn->intent.adopt_id = turn->intent.id;
  auto adopted = co_await ask_once(ctx, turn);
  co_return adopted;
}

Task<Result<LoadBalancer>> Controller::ask_once(Ctx ctx, TurnPtr turn) {
  const std::string& adopted = turn->intent.adopt_id;
  if (!adopted.empty() && another_has(*turn, adopted)) co_return another_has_it();
  turn->record->adopting = adopted;
  const auto answer =
      co_await host_.load_balancers.ensure(ctx, turn->intent, turn->backends.backends);
  turn->record->adopting.clear();
  co_return answer;
}

bool Controller::may_adopt(const Turn& turn, std::string_view id) const {
  return !id.empty() &&
         settings_.adoption.allow(turn.service.namespace_name, turn.service.name, id);
}

// One load balancer serves one Service: not one that another has, or is taking over at this moment,
// or had before this process looked.
bool Controller::another_has(const Turn& turn, std::string_view id) const {
  for (const auto& [key, record] : records_) {
    if (key != turn.key && (record->id == id || record->adopting == id)) return true;
  }
  bool found = false;
  host_.kube.cached_each(kServices, {}, [&](const Object& object) {
    if (object.uid() == turn.service.uid) return true;
    const ServiceState other = read_service(object);
    found = other.load_balancer && !other.ingress.empty() &&
            other.annotation(turn.surroundings.id_annotation) == id;
    return !found;
  });
  return found;
}

Status Controller::adoption_refused(const Turn& turn) {
  return not_ours("the annotation " + std::string(kAdoptAnnotation) + " is not followed. " +
                  permission_hint(turn.service));
}

// The ids of load balancers that are not the Service's are none of its users' business.
Status Controller::foreign(const Turn& turn) {
  std::string text =
      "the load balancer that bears this Service's name is marked as somebody else's";
  if (!turn.intent.id.empty()) {
    text = "the load balancer that the annotation " + turn.surroundings.id_annotation +
           " names is not this Service's: remove the annotation to get a new one";
  }
  return not_ours(text + ". It is left alone. " + permission_hint(turn.service));
}

}  // namespace ccm::service
