#include "controller.hpp"
#include "hash.hpp"
#include "names.hpp"

#include <utility>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

bool retains(const ServiceState& service) {
  return service.annotation(kRetainAnnotation) == "true";
}

// Nothing is left of it, or it was never this program's.
bool is_gone(const Status& status) {
  return status.ok() || status.error_class() == ErrorClass::not_found ||
         status.code() == Code::not_found || status.code() == Code::implemented_elsewhere;
}

bool not_owned(const Status& status) { return status.reason() == "NotOwned"; }

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
    events_.normal(turn->object, kRetained,
                   "The load balancer " + removal.id + " is kept in the cloud, as the annotation " +
                       std::string(kRetainAnnotation) + " asks");
    Status kept = co_await let_go(ctx, turn, true);
    co_return kept;
  }
  const bool exists = !removal.id.empty() || !turn->service.ingress.empty() || record.applied;
  if (exists && !record.deleting) {  // SVC-30, SVC-31
    events_.normal(turn->object, kDeleting, "Deleting load balancer");
    record.deleting = true;
  }
  record.applied = false;
  record.looked = true;
  Status removed = co_await host_.load_balancers.remove(ctx, std::move(removal));
  if (not_owned(removed)) {
    tell_not_owned(*turn);
  } else if (removed.error_class() == ErrorClass::waiting) {
    Status waiting = co_await wait(ctx, turn, std::move(removed), kDeleting, ServicePatch());
    co_return waiting;
  } else if (!is_gone(removed)) {
    removed.with_context("failed to delete load balancer");
    Status told = co_await fail(ctx, turn, std::move(removed), kSyncFailed, true);
    co_return told;
  }
  Status let = co_await let_go(ctx, turn, false);
  co_return let;
}

// SVC-32 to SVC-35, in one write.
Task<Status> Controller::let_go(Ctx ctx, TurnPtr turn, bool retained) {
  ServicePatch patch;
  if (turn->service.finalizer) patch.finalizer = ServicePatch::Finalizer::remove;
  if (!retained) {
    patch.annotate(turn->service, *id_annotation_, "");
    for (const Label& annotation : turn->record->annotations) {
      patch.annotate(turn->service, annotation.key, "");
    }
  }
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
  if (!retained) events_.normal(turn->object, kDeleted, "Deleted load balancer");
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
    events_.normal(turn->object, kRetained,
                   "The load balancer " + removal.id + " is kept in the cloud");
    co_return Status();
  }
  if (!std::exchange(record.deleting, true)) {
    events_.normal(turn->object, kDeleting, "Deleting load balancer");
  }
  Status removed = co_await host_.load_balancers.remove(ctx, std::move(removal));
  if (not_owned(removed)) {
    tell_not_owned(*turn);
    co_return Status();
  }
  if (is_gone(removed)) {
    events_.normal(turn->object, kDeleted, "Deleted load balancer");
    co_return Status();
  }
  if (removed.error_class() != ErrorClass::waiting) {
    Status told = co_await fail(ctx, turn, std::move(removed), kDeleteFailed, false);
    co_return told;
  }
  co_return removed;
}

void Controller::tell_not_owned(const Turn& turn) const {
  host_.log.warning("left a load balancer alone that is not this cluster's",
                    {{"service", turn.key}});
  events_.warning(turn.object, kNotOwned,
                  "The recorded load balancer belongs to somebody else, so it was not deleted");
}

}  // namespace ccm::service
