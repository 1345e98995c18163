#include "reporting.hpp"

#include "conditions.hpp"
#include "names.hpp"
#include "patches.hpp"
#include "poll_schedule.hpp"
#include "texts.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

// A permanent failure is retried slowly: quotas are raised without a change of the Service.
constexpr milliseconds kRefusedRetry{600'000};
// A condition that only changes its message, by a request id for instance, is not written more
// often.
constexpr milliseconds kSameReasonPause{300'000};

}  // namespace

void Reporting::defer(const Sync& sync, const Status& status) const {
  Record& record = *sync.record;
  record.not_before = host_.timer.now() + status.retry_after();
  record.deferred_hash = sync.request_hash();
  record.deferred = status;
  if (!record.deferred.refused()) record.deferred.with_class(ErrorClass::waiting);
}

Status Reporting::in_time(const Sync& sync, Status status) const {
  if (status.retry_after() > milliseconds(0)) return status;
  Record& record = *sync.record;
  const milliseconds now = host_.timer.now();
  const uint64_t hash = sync.request_hash();
  if (std::exchange(record.polled_hash, hash) != hash) record.polled_since = now;
  return std::move(status).with_retry_after(until_next_poll(now, record.polled_since));
}

Task<Status> Reporting::fail(Ctx ctx, SyncPtr sync, Status status, std::string_view reason,
                             bool with_condition) {
  Record& record = *sync->record;
  if (record.state == SyncState::ensuring) record.state = SyncState::out_of_sync;
  if (!worth_reporting(status) || !host_.leader.leading()) co_return status;
  const std::string text = failure_text(status);
  events_.warning(sync->object, reason, "Error syncing load balancer: " + text);
  const Condition wanted =
      ready(false, status.reason().empty() ? kSyncFailed : std::string_view(status.reason()), text);
  const Condition* stored = sync->service.condition(kReadyCondition);
  const Difference differs = difference(stored, wanted);
  const milliseconds now = host_.timer.now();
  // With a ctx that has ended the host sends nothing; the next try reports it.
  if (with_condition && !ctx.cancelled() &&
      (differs == Difference::reason ||
       (differs == Difference::message && now - record.condition_written >= kSameReasonPause))) {
    record.condition_written = now;
    // An id that the user changed stays, for the user to see.
    ServicePatch patch = status.reason() == kNotOwned ? ServicePatch() : sync->annotations();
    patch.conditions.push_back(timed(stored, wanted, host_.timer.wall_clock()));
    const Status written = co_await writer_.write(ctx, sync, std::move(patch));
    if (!written.ok()) {
      host_.log.v(2, "Could not write a condition", {{"service", sync->key}, {"err", written}});
    }
  }
  if (status.refused()) {
    status.with_retry_after(kRefusedRetry);
    defer(*sync, status);
  } else if (status.retry_after() > milliseconds(0)) {
    defer(*sync, status);
    // SVC-50: after exactly that time, and without back-off.
    if (status.error_class() == ErrorClass::none) status.with_class(ErrorClass::waiting);
  }
  co_return status;
}

Task<Status> Reporting::wait(Ctx ctx, SyncPtr sync, Status status, std::string_view reason,
                             ServicePatch patch) {
  const Condition* stored = sync->service.condition(kReadyCondition);
  const Condition wanted =
      ready(false, status.reason().empty() ? reason : std::string_view(status.reason()),
            status.message());
  if (difference(stored, wanted) != Difference::none) {
    patch.conditions.push_back(timed(stored, wanted, host_.timer.wall_clock()));
  }
  if (!patch.empty()) {
    Status written = co_await writer_.write(ctx, sync, std::move(patch));
    if (!written.ok() && written.error_class() != ErrorClass::not_found) {
      written.with_context("failed to record the load balancer");
      Status reported = co_await fail(ctx, sync, written, kSyncFailed, false);
      co_return reported;
    }
  }
  status = in_time(*sync, std::move(status));
  defer(*sync, status);
  co_return status;
}

// Once for each reason.
void Reporting::report_no_members(const Sync& sync) const {
  const std::string text = sync.no_members();
  if (std::exchange(sync.record->reported_no_members, text) == text || text.empty()) return;
  events_.warning(sync.object, kUnavailable, std::string(kNoNodes) + ": " + text);
}

// Only differences are written.
Task<Status> Reporting::update_status(Ctx ctx, SyncPtr sync) {
  Record& record = *sync->record;
  record.polled_hash = 0;
  if (record.state == SyncState::elsewhere) co_return Status();
  const milliseconds time = host_.timer.wall_clock();
  ServicePatch patch = sync->annotations();
  if (!sync->service.finalizer) patch.finalizer = ServicePatch::Finalizer::add;
  patch.set_ingress(sync->service, record.ingress);
  const Condition* stored = sync->service.condition(kReadyCondition);
  const std::string nobody = sync->no_members();
  if (record.changes_limited()) {
    // The condition says that, and goes on saying it.
  } else if (!nobody.empty()) {
    Condition wanted = ready(false, kNoMembers, std::string(kNoNodes) + ": " + nobody);
    if (difference(stored, wanted) != Difference::none) {
      patch.conditions.push_back(timed(stored, std::move(wanted), time));
    }
  } else if (patch.ingress || (stored != nullptr && !stored->holds)) {
    // A correct status is not written only to add a condition to it.
    Condition wanted = ready(true, kEnsured, "The load balancer is ready");
    patch.conditions.push_back(timed(stored, std::move(wanted), time));
  }
  report_no_members(*sync);
  const Condition* refused = sync->service.condition(kPortsErrorCondition);
  if (auto wanted = ports_error(record.ingress)) {
    if (difference(refused, *wanted) != Difference::none) {
      patch.conditions.push_back(timed(refused, *std::move(wanted), time));
    }
  } else {
    patch.remove_condition(sync->service, kPortsErrorCondition);
  }
  const bool first_address = patch.ingress && sync->service.ingress.empty();
  if (!patch.empty()) {
    Status written = co_await writer_.write(ctx, sync, std::move(patch));
    if (written.ok() && first_address) {
      time_to_address_.addressed(record.uid, host_.timer.wall_clock());
    }
    if (!written.ok() && written.error_class() != ErrorClass::not_found) {
      written.with_context("failed to update load balancer status");
      Status reported = co_await fail(ctx, sync, written, kSyncFailed, false);
      co_return reported;
    }
  }
  // The cloud has the Nodes, but not the change: what was to be done about it is still to be done.
  if (record.changes_limited()) co_return Status();
  if (std::exchange(record.state, SyncState::synced) == SyncState::ensured) {
    events_.normal(sync->object, kEnsured, "Ensured load balancer");  // SVC-27
  }
  co_return Status();
}

}  // namespace ccm::service
