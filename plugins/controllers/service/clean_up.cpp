#include "clean_up.hpp"

#include "decision.hpp"
#include "hash.hpp"
#include "intent.hpp"
#include "names.hpp"
#include "patches.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

// Nothing is left of it.
bool is_gone(const Status& status) {
  return status.ok() || status.error_class() == ErrorClass::not_found;
}

bool is_kept(const Status& status) { return status.code() == Code::implemented_elsewhere; }

bool not_owned(const Status& status) { return status.reason() == kProvidersNotOwned; }

}  // namespace

Task<Status> CleanUp::run(Ctx ctx, SyncPtr sync) {
  Record& record = *sync->record;
  Hash hash;
  hash.add("clean up");
  for (const auto& [key, value] : sync->service.annotations) hash.add(key).add(value);
  sync->hash = hash.value();
  const milliseconds left = deferral_left(record, sync->hash, host_.timer.now());
  if (left > milliseconds(0)) {
    Status deferred = record.deferred;
    co_return deferred.with_retry_after(left);
  }
  LoadBalancerService removal = make_removal(sync->object, sync->service, sync->options);
  if (retention_.retains(*sync)) {
    report_kept(*sync, Retention::reason(sync->service));
    Status kept = co_await finish(ctx, sync, false);
    co_return kept;
  }
  const bool exists = !removal.id.empty() || !sync->service.ingress.empty() || record.applied();
  if (exists) {  // SVC-30, SVC-31
    announce_deletion(*sync);
  } else if (!record.deleting()) {
    record.state = SyncState::out_of_sync;
  }
  if (record.id.empty()) record.id = removal.id;  // for the log line of its deletion
  Status removed = co_await host_.load_balancers.remove(ctx, std::move(removal));
  const bool gone = is_gone(removed);
  if (not_owned(removed)) {
    report_not_owned(*sync);
  } else if (is_kept(removed)) {
    if (exists) report_kept(*sync, removed);
  } else if (removed.error_class() == ErrorClass::waiting) {
    report_braked(*sync, removed);
    Status waiting =
        co_await reporting_.wait(ctx, sync, std::move(removed), kDeleting, ServicePatch());
    co_return waiting;
  } else if (!gone) {
    removed.with_context("failed to delete load balancer");
    Status reported = co_await reporting_.fail(ctx, sync, std::move(removed), kSyncFailed, true);
    co_return reported;
  }
  Status let = co_await finish(ctx, sync, gone);
  co_return let;
}

// SVC-32 to SVC-35, in one write. The provider's annotations stay: the user may have written them.
Task<Status> CleanUp::finish(Ctx ctx, SyncPtr sync, bool deleted) {
  ServicePatch patch;
  if (sync->service.finalizer) patch.finalizer = ServicePatch::Finalizer::remove;
  if (deleted) patch.annotate(sync->service, sync->options.id_annotation, "");
  patch.set_ingress(sync->service, {});
  patch.remove_condition(sync->service, kReadyCondition);
  patch.remove_condition(sync->service, kPortsErrorCondition);
  if (!patch.empty()) {
    Status written = co_await writer_.write(ctx, sync, std::move(patch));
    if (!written.ok() && written.error_class() != ErrorClass::not_found) {
      written.with_context("failed to remove load balancer cleanup finalizer");
      Status reported = co_await reporting_.fail(ctx, sync, std::move(written), kSyncFailed, false);
      co_return reported;
    }
  }
  if (deleted && sync->record->deleting()) report_deleted(*sync);
  time_to_address_.forget(sync->record->uid);
  records_.erase(sync->key);
  co_return Status();
}

// SVC-36: there is no Service to write to any more.
Task<Status> CleanUp::remove_vanished(Ctx ctx, SyncPtr sync) {
  Record& record = *sync->record;
  if (!sync->service.load_balancer && !record.has_balancer()) co_return Status();
  LoadBalancerService removal = make_removal(sync->object, sync->service, sync->options);
  if (retention_.retains(*sync)) {
    report_kept(*sync, Retention::reason(sync->service));
    co_return Status();
  }
  if (record.id.empty()) record.id = removal.id;
  announce_deletion(*sync);
  Status removed = co_await host_.load_balancers.remove(ctx, std::move(removal));
  if (not_owned(removed)) {
    report_not_owned(*sync);
    co_return Status();
  }
  if (is_kept(removed)) {
    report_kept(*sync, removed);
    co_return Status();
  }
  if (is_gone(removed)) {
    report_deleted(*sync);
    co_return Status();
  }
  if (removed.error_class() != ErrorClass::waiting) {
    Status reported = co_await reporting_.fail(ctx, sync, std::move(removed), kDeleteFailed, false);
    co_return reported;
  }
  report_braked(*sync, removed);
  co_return removed;
}

void CleanUp::announce_deletion(const Sync& sync) const {
  if (sync.record->deleting()) return;
  sync.record->state = SyncState::deleting;
  events_.normal(sync.object, kDeleting, "Deleting load balancer");
}

void CleanUp::report_deleted(const Sync& sync) const {
  host_.log.info("Deleted a load balancer", {{"service", sync.key}, {"id", sync.record->id}});
  events_.normal(sync.object, kDeleted, "Deleted load balancer");
}

// Once: the host repeats the request for the deletion.
void CleanUp::report_braked(const Sync& sync, const Status& why) const {
  if (why.reason() != kHostsBrake) return;
  if (std::exchange(sync.record->state, SyncState::deletion_held) == SyncState::deletion_held) {
    return;
  }
  host_.log.warning("The deletion of a load balancer is held back",
                    {{"service", sync.key}, {"id", sync.record->id}, {"reason", why.message()}});
  events_.warning(sync.object, kDeletionHeld, why.message());
}

void CleanUp::report_not_owned(const Sync& sync) const {
  host_.log.warning(
      "Left a load balancer alone that is not proven to be the service's",
      {{"service", sync.key}, {"id", sync.service.annotation(sync.options.id_annotation)}});
  events_.warning(sync.object, kNotOwned,
                  "The recorded load balancer is not proven to be this Service's, so it was not "
                  "deleted");
}

// An unreadable annotation causes a warning.
void CleanUp::report_kept(const Sync& sync, const Status& why) const {
  host_.log.info("Kept the load balancer of a service that goes",
                 {{"service", sync.key},
                  {"id", sync.service.annotation(sync.options.id_annotation)},
                  {"reason", why.message()}});
  const std::string text = "The load balancer is kept in the cloud: " + why.message();
  if (why.error_class() == ErrorClass::invalid_spec) {
    events_.warning(sync.object, kRetained, text);
  } else {
    events_.normal(sync.object, kRetained, text);
  }
}

}  // namespace ccm::service
