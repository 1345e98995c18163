#include "conditions.hpp"
#include "controller.hpp"
#include "names.hpp"
#include "texts.hpp"

#include <utility>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

// A permanent failure is tried again slowly: quotas are raised without a change of the Service.
constexpr milliseconds kRefusedRetry{600'000};
constexpr milliseconds kWaitingRetry{2'000};
// A condition whose words alone change, by a request id for instance, is not written more often.
constexpr milliseconds kSameReasonPause{300'000};

}  // namespace

// The answer is what the next step starts from.
Task<Status> Controller::write(Ctx ctx, TurnPtr turn, ServicePatch patch) {
  KubePatch rendered = patch.render(turn->service);
  auto written = co_await host_.kube.patch(ctx, std::move(rendered));
  if (!written.ok()) co_return written.status();
  turn->object = *std::move(written);
  turn->service = read_service(turn->object);
  // The watch may have been faster, and the whole object is large.
  const Object shown = cached(turn->key);
  const bool behind = shown && read_service(shown).version < turn->service.version;
  turn->record->newest = behind ? turn->object : Object();
  co_return Status();
}

void Controller::hold(const Turn& turn, const Status& status) const {
  Record& record = *turn.record;
  record.not_before = host_.timer.now() + status.retry_after();
  record.held_hash = turn.hash;
  if (!turn.intent.uid.empty()) {
    // What was just recorded must not look like a change of the Service.
    LoadBalancerService intent = turn.intent;
    if (intent.adopt_id == record.id) intent.adopt_id.clear();
    record.held_hash = intent_hash(intent, turn.service, turn.surroundings, record.annotations);
  }
  record.held = status;
  if (!record.held.permanent()) record.held.with_class(ErrorClass::waiting);
}

Task<Status> Controller::fail(Ctx ctx, TurnPtr turn, Status status, std::string_view reason,
                              bool with_condition) {
  Record& record = *turn->record;
  record.announced = false;
  if (!worth_telling(status) || !host_.leader.leading()) co_return status;
  const std::string text = failure_text(status);
  events_.warning(turn->object, reason, "Error syncing load balancer: " + text);
  const Condition wanted =
      ready(false, status.reason().empty() ? kSyncFailed : std::string_view(status.reason()), text);
  const Condition* stored = turn->service.condition(kReadyCondition);
  const Difference differs = difference(stored, wanted);
  const milliseconds now = host_.timer.now();
  if (with_condition &&
      (differs == Difference::reason ||
       (differs == Difference::message && now - record.condition_written >= kSameReasonPause))) {
    record.condition_written = now;
    // An id that the user changed stays, for the user to see.
    ServicePatch patch = status.reason() == kNotOwned ? ServicePatch() : annotated(*turn);
    patch.conditions.push_back(timed(stored, wanted, host_.timer.wall_clock()));
    const Status written = co_await write(ctx, turn, std::move(patch));
    if (!written.ok()) {
      host_.log.v(2, "Could not write a condition", {{"service", turn->key}, {"err", written}});
    }
  }
  if (status.permanent()) {
    status.with_retry_after(kRefusedRetry);
    hold(*turn, status);
  } else if (status.retry_after() > milliseconds(0)) {
    hold(*turn, status);
    // SVC-50: after exactly that time, and no back-off either.
    if (status.error_class() == ErrorClass::none) status.with_class(ErrorClass::waiting);
  }
  co_return status;
}

Task<Status> Controller::wait(Ctx ctx, TurnPtr turn, Status status, std::string_view reason,
                              ServicePatch patch) {
  if (status.retry_after() <= milliseconds(0)) status.with_retry_after(kWaitingRetry);
  const Condition* stored = turn->service.condition(kReadyCondition);
  const Condition wanted =
      ready(false, status.reason().empty() ? reason : std::string_view(status.reason()),
            status.message());
  if (difference(stored, wanted) != Difference::none) {
    patch.conditions.push_back(timed(stored, wanted, host_.timer.wall_clock()));
  }
  if (!patch.empty()) {
    Status written = co_await write(ctx, turn, std::move(patch));
    if (!written.ok() && written.error_class() != ErrorClass::not_found) {
      written.with_context("failed to record the load balancer");
      Status told = co_await fail(ctx, turn, written, kSyncFailed, false);
      co_return told;
    }
  }
  hold(*turn, status);
  co_return status;
}

}  // namespace ccm::service
