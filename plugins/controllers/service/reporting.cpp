#include "conditions.hpp"
#include "controller.hpp"
#include "names.hpp"
#include "poll_schedule.hpp"
#include "texts.hpp"

#include <utility>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

// A permanent failure is retried slowly: quotas are raised without a change of the Service.
constexpr milliseconds kRefusedRetry{600'000};
// A condition that only changes its message, by a request id for instance, is not written more
// often.
constexpr milliseconds kSameReasonPause{300'000};
// As metadata.managedFields names this program: by the first word of its User-Agent.
constexpr std::string_view kFieldManager = "cloud-controller-manager";

}  // namespace

// Read live: no cache keeps managedFields, which are longer than the rest of a Service. A list,
// which this controller may, of the one object.
Task<std::string> Controller::writer(Ctx ctx, SyncPtr sync, bool of_addresses) {
  KubeSelection selection;
  selection.resource = kServices;
  selection.namespace_name = sync->service.namespace_name;
  selection.field_selector = "metadata.name=" + sync->service.name;
  const auto listed = co_await host_.kube.list(ctx, std::move(selection));
  Object service;
  if (listed.ok()) {
    for (const Object& object : *listed) {
      if (object.uid() == sync->service.uid) service = object;
    }
  }
  co_return writer_of(service, of_addresses, kFieldManager);
}

Task<ServicePatch> Controller::repeated(Ctx ctx, SyncPtr sync, ServicePatch patch) {
  Rewrites& rewrites = sync->record->rewrites;
  if (!rewrites.again(host_.timer.now())) {
    rewrites.leave_out(patch);
    std::erase_if(patch.conditions, [&](const Condition& wanted) {
      return difference(sync->service.condition(wanted.type), wanted) == Difference::none;
    });
    co_return patch;
  }
  const bool addresses = rewrites.repeats_addresses(patch);
  if (!rewrites.worth_telling(addresses && !sync->service.ingress.empty())) co_return patch;
  const std::string who = co_await writer(ctx, sync, addresses);
  host_.log.warning("Somebody undoes what was written to a service",
                    {{"service", sync->key}, {"writer", who}, {"times", rewrites.times()}});
  if (addresses) {
    events_.warning(sync->object, kStatusOverwritten,
                    "status.loadBalancer is also written by " + who +
                        ": two controllers serve this Service. Its addresses are written again, "
                        "ever less often. Set spec.loadBalancerClass, or switch the other one off");
  } else {
    events_.warning(sync->object, kAnnotationRemoved,
                    "Annotations of the load balancer are taken away again and again, last by " +
                        who +
                        ". They are written again, ever less often. Let the tool that does it "
                        "ignore " +
                        patch.annotations.front().key);
  }
  co_return patch;
}

// The answer is the input of the next step.
Task<Status> Controller::write(Ctx ctx, SyncPtr sync, ServicePatch patch) {
  if (sync->record->rewrites.repeats(patch)) {
    patch = co_await repeated(ctx, sync, std::move(patch));
    if (patch.empty()) co_return Status();
  }
  KubePatch rendered = patch.render(sync->service);
  auto written = co_await host_.kube.patch(ctx, std::move(rendered));
  if (!written.ok()) co_return written.status();
  sync->record->rewrites.written(patch);
  sync->object = *std::move(written);
  sync->service = read_service(sync->object);
  for (const Label& own : patch.annotations) {
    if (own.value.empty()) {
      sync->requested.annotations.erase(own.key);
    } else {
      sync->requested.annotations.insert_or_assign(own.key, own.value);
    }
  }
  // The watch may have been faster, and the whole object is large.
  const Object shown = cached(sync->key);
  const bool behind = shown && shown.version() < sync->service.version;
  sync->record->newest = behind ? sync->object : Object();
  co_return Status();
}

// Our own last write must not look like a change of the Service, and a change by somebody else that
// its answer shows has not been sent to the cloud.
uint64_t Controller::request_hash(const Sync& sync) {
  if (sync.intent.uid.empty()) return sync.hash;
  const Record& record = *sync.record;
  LoadBalancerService intent = sync.intent;
  if (intent.adopt_id == record.id) intent.adopt_id.clear();
  return intent_hash(intent, sync.requested, sync.options, record.annotations);
}

void Controller::defer(const Sync& sync, const Status& status) const {
  Record& record = *sync.record;
  record.not_before = host_.timer.now() + status.retry_after();
  record.deferred_hash = request_hash(sync);
  record.deferred = status;
  if (!record.deferred.refused()) record.deferred.with_class(ErrorClass::waiting);
}

Status Controller::in_time(const Sync& sync, Status status) const {
  if (status.retry_after() > milliseconds(0)) return status;
  Record& record = *sync.record;
  const milliseconds now = host_.timer.now();
  const uint64_t hash = request_hash(sync);
  if (std::exchange(record.polled_hash, hash) != hash) record.polled_since = now;
  return std::move(status).with_retry_after(until_next_poll(now, record.polled_since));
}

Task<Status> Controller::fail(Ctx ctx, SyncPtr sync, Status status, std::string_view reason,
                              bool with_condition) {
  Record& record = *sync->record;
  if (record.state == SyncState::ensuring) record.state = SyncState::out_of_sync;
  if (!worth_telling(status) || !host_.leader.leading()) co_return status;
  const std::string text = failure_text(status);
  events_.warning(sync->object, reason, "Error syncing load balancer: " + text);
  const Condition wanted =
      ready(false, status.reason().empty() ? kSyncFailed : std::string_view(status.reason()), text);
  const Condition* stored = sync->service.condition(kReadyCondition);
  const Difference differs = difference(stored, wanted);
  const milliseconds now = host_.timer.now();
  // With a ctx that has ended the host sends nothing; the next try tells it.
  if (with_condition && !ctx.cancelled() &&
      (differs == Difference::reason ||
       (differs == Difference::message && now - record.condition_written >= kSameReasonPause))) {
    record.condition_written = now;
    // An id that the user changed stays, for the user to see.
    ServicePatch patch = status.reason() == kNotOwned ? ServicePatch() : annotated(*sync);
    patch.conditions.push_back(timed(stored, wanted, host_.timer.wall_clock()));
    const Status written = co_await write(ctx, sync, std::move(patch));
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

Task<Status> Controller::wait(Ctx ctx, SyncPtr sync, Status status, std::string_view reason,
                              ServicePatch patch) {
  const Condition* stored = sync->service.condition(kReadyCondition);
  const Condition wanted =
      ready(false, status.reason().empty() ? reason : std::string_view(status.reason()),
            status.message());
  if (difference(stored, wanted) != Difference::none) {
    patch.conditions.push_back(timed(stored, wanted, host_.timer.wall_clock()));
  }
  if (!patch.empty()) {
    Status written = co_await write(ctx, sync, std::move(patch));
    if (!written.ok() && written.error_class() != ErrorClass::not_found) {
      written.with_context("failed to record the load balancer");
      Status told = co_await fail(ctx, sync, written, kSyncFailed, false);
      co_return told;
    }
  }
  status = in_time(*sync, std::move(status));
  defer(*sync, status);
  co_return status;
}

}  // namespace ccm::service
