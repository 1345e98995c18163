#include "booleans.hpp"
#include "controller.hpp"
#include "hash.hpp"
#include "names.hpp"

#include <utility>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

// A value that cannot be read keeps it, too: the other mistake could not be undone.
bool retains(const ServiceState& service) {
  const auto place = service.annotations.find(kRetainAnnotation);
  return place != service.annotations.end() && !says_false(place->second);
}

Status retained_by_annotation(const ServiceState& service) {
  const std::string value(service.annotation(kRetainAnnotation));
  const std::string annotation = "the annotation " + std::string(kRetainAnnotation);
  if (says_true(value)) {
    return {Code::implemented_elsewhere, annotation + " asks for it"};
  }
  return {Code::implemented_elsewhere, ErrorClass::invalid_spec,
          annotation + " is \"" + value + "\", which is neither true nor false"};
}

// Nothing is left of it.
bool is_gone(const Status& status) {
  return status.ok() || status.error_class() == ErrorClass::not_found ||
         status.code() == Code::not_found;
}

bool is_kept(const Status& status) { return status.code() == Code::implemented_elsewhere; }

bool not_owned(const Status& status) { return status.reason() == kProvidersNotOwned; }

}  // namespace

Task<Status> Controller::clean_up(Ctx ctx, TurnPtr turn) {
  Record& record = *turn->record;
  Hash hash;
  hash.add("clean up");
  for (const auto& [key, value] : turn->service.annotations) hash.add(key).add(value);
  turn->hash = hash.value();
  const milliseconds left = hold_left(record, turn->hash, host_.timer.now());
  if (left > milliseconds(0)) {
    Status held = record.held;
    co_return held.with_retry_after(left);
  }
  LoadBalancerService removal = make_removal(turn->object, turn->service, turn->surroundings);
  if (retains(turn->service)) {
    tell_kept(*turn, retained_by_annotation(turn->service));
    Status kept = co_await let_go(ctx, turn, false);
    co_return kept;
  }
  const bool exists = !removal.id.empty() || !turn->service.ingress.empty() || record.applied;
  if (exists && !record.deleting) {  // SVC-30, SVC-31
    events_.normal(turn->object, kDeleting, "Deleting load balancer");
    record.deleting = true;
  }
  if (record.id.empty()) record.id = removal.id;  // to be told when it is deleted
  record.applied = false;
  record.looked = true;
  Status removed = co_await host_.load_balancers.remove(ctx, std::move(removal));
  const bool gone = is_gone(removed);
  if (not_owned(removed)) {
    tell_not_owned(*turn);
  } else if (is_kept(removed)) {
    if (exists) tell_kept(*turn, removed);
  } else if (removed.error_class() == ErrorClass::waiting) {
    tell_braked(*turn, removed);
    Status waiting = co_await wait(ctx, turn, std::move(removed), kDeleting, ServicePatch());
    co_return waiting;
  } else if (!gone) {
    removed.with_context("failed to delete load balancer");
    Status told = co_await fail(ctx, turn, std::move(removed), kSyncFailed, true);
    co_return told;
  }
  Status let = co_await let_go(ctx, turn, gone);
  co_return let;
}

// SVC-32 to SVC-35, in one write. The provider's annotations stay: the user may have written them.
Task<Status> Controller::let_go(Ctx ctx, TurnPtr turn, bool deleted) {
  ServicePatch patch;
  if (turn->service.finalizer) patch.finalizer = ServicePatch::Finalizer::remove;
  if (deleted) patch.annotate(turn->service, *id_annotation_, "");
  patch.set_ingress(turn->service, {});
  patch.remove_condition(turn->service, kReadyCondition);
  patch.remove_condition(turn->service, kPortsErrorCondition);
  if (!patch.empty()) {
    Status written = co_await write(ctx, turn, std::move(patch));
    if (!written.ok() && written.error_class() != ErrorClass::not_found) {
      written.with_context("failed to remove load balancer cleanup finalizer");
      Status told = co_await fail(ctx, turn, std::move(written), kSyncFailed, false);
      co_return told;
    }
  }
  if (deleted && turn->record->deleting) tell_deleted(*turn);
  time_to_address_.forget(turn->record->uid);
  records_.erase(turn->key);
  co_return Status();
}

// SVC-36: there is no Service to write to any more.
Task<Status> Controller::remove_vanished(Ctx ctx, TurnPtr turn) {
  Record& record = *turn->record;
  if (!turn->service.load_balancer && !record.has_balancer()) co_return Status();
  LoadBalancerService removal = make_removal(turn->object, turn->service, turn->surroundings);
  if (retains(turn->service)) {
    tell_kept(*turn, retained_by_annotation(turn->service));
    co_return Status();
  }
  if (record.id.empty()) record.id = removal.id;
  if (!std::exchange(record.deleting, true)) {
    events_.normal(turn->object, kDeleting, "Deleting load balancer");
  }
  Status removed = co_await host_.load_balancers.remove(ctx, std::move(removal));
  if (not_owned(removed)) {
    tell_not_owned(*turn);
    co_return Status();
  }
  if (is_kept(removed)) {
    tell_kept(*turn, removed);
    co_return Status();
  }
  if (is_gone(removed)) {
    tell_deleted(*turn);
    co_return Status();
  }
  if (removed.error_class() != ErrorClass::waiting) {
    Status told = co_await fail(ctx, turn, std::move(removed), kDeleteFailed, false);
    co_return told;
  }
  tell_braked(*turn, removed);
  co_return removed;
}

void Controller::tell_deleted(const Turn& turn) const {
  host_.log.info("Deleted a load balancer", {{"service", turn.key}, {"id", turn.record->id}});
  events_.normal(turn.object, kDeleted, "Deleted load balancer");
}

// Once: the host asks for the deletion again and again.
void Controller::tell_braked(const Turn& turn, const Status& why) const {
  if (why.reason() != kHostsBrake || std::exchange(turn.record->braked, true)) return;
  host_.log.warning("The deletion of a load balancer is held back",
                    {{"service", turn.key}, {"id", turn.record->id}, {"reason", why.message()}});
  events_.warning(turn.object, kDeletionHeld, why.message());
}

void Controller::tell_not_owned(const Turn& turn) const {
  host_.log.warning(
      "Left a load balancer alone that is not proven to be the service's",
      {{"service", turn.key}, {"id", turn.service.annotation(turn.surroundings.id_annotation)}});
  events_.warning(turn.object, kNotOwned,
                  "The recorded load balancer is not proven to be this Service's, so it was not "
                  "deleted");
}

// A wish that could not be read is told with a warning.
void Controller::tell_kept(const Turn& turn, const Status& why) const {
  host_.log.info("Kept the load balancer of a service that goes",
                 {{"service", turn.key},
                  {"id", turn.service.annotation(turn.surroundings.id_annotation)},
                  {"reason", why.message()}});
  const std::string text = "The load balancer is kept in the cloud: " + why.message();
  if (why.error_class() == ErrorClass::invalid_spec) {
    events_.warning(turn.object, kRetained, text);
  } else {
    events_.normal(turn.object, kRetained, text);
  }
}

}  // namespace ccm::service
