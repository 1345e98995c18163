#include "controller.hpp"

#include <ccm/watch.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace ccm::route {
namespace {

constexpr std::string_view kKey = "routes";
// A joining Node causes several events, a rack causes hundreds.
constexpr milliseconds kGather{100};
// Between two runs: four times as long as the last one took, so that a slow cloud spends at most a
// fifth of its time on routes. Upstream waits 10 s in any case (ROUTE-8).
constexpr milliseconds kLeastPause{1'000};
constexpr milliseconds kMostPause{10'000};
constexpr milliseconds kMostAfterFailures{60'000};
constexpr milliseconds kPermanentPause{300'000};
constexpr milliseconds kRunTimeout{600'000};

}  // namespace

Controller::Controller(Host& host)
    : host_(host),
      syncs_(host.metrics.counter(
          "route_controller_route_sync_total",
          "Comparisons of the cloud's routes with the Nodes, by what began them "
          "and what they did.",
          {"outcome", "trigger"})),
      changes_(host.metrics.counter("ccm_route_changes_total",
                                    "Routes that were to be added to or removed from the cloud.",
                                    {"operation", "result"})),
      table_routes_(host.metrics.gauge("ccm_route_table_routes",
                                       "Routes in the cloud's table, foreign ones included.")),
      table_limit_(host.metrics.gauge("ccm_route_table_limit",
                                      "Routes that the cloud's table can hold; 0: not known.")),
      delay_(
          host.metrics.histogram("ccm_route_delay_seconds",
                                 "From when a Node first wanted a route until the cloud made it.",
                                 {0.1, 0.25, 0.5, 1, 2, 4, 16, 64, 256, 1024})),
      notices_(host.events, host.log) {}

Status Controller::setup(Setup& setup) {
  if (!routes_wanted(host_.config)) {
    return Status(Code::unimplemented, ErrorClass::unsupported,
                  "--configure-cloud-routes is false, so the cloud's routes are left alone");
  }
  if (!host_.routes) {
    return Status(Code::unimplemented, ErrorClass::unsupported,
                  "the cloud provider does not offer routes");
  }
  auto settings = read_settings(host_.config);
  if (!settings.ok()) return settings.status();
  settings_ = *std::move(settings);

  QueueOptions options;
  options.name = "Routes";              // MET-19
  options.backoff_limit = kLeastPause;  // runs have a back-off of their own, which events respect
  options.reconcile_timeout = kRunTimeout;
  setup.queue(options);
  watch(setup, kNodes, node_fields(), std::bind_front(&Controller::on_event, this));
  setup.every(kKey, settings_.audit_period);
  return {};
}

// ROUTE-7, except for Nodes without ranges, and resyncs: the audit does more.
void Controller::on_event(EventKind kind, const Object& old, const Object& now,
                          const Queue& queue) {
  if (kind == EventKind::resync || kind == EventKind::hinted) return;
  const NodeState node = read_node(now);
  if (kind == EventKind::updated) {
    const NodeState before = read_node(old);
    if (same_target(before, node) || (before.ranges.empty() && node.ranges.empty())) return;
    if (before.uid != node.uid) delay_.forget(before.uid);
  } else if (node.ranges.empty()) {
    return;
  }
  if (kind == EventKind::deleted) {
    delay_.forget(node.uid);
    retries_.hurry(host_.timer.now());
  } else {
    delay_.wanted(node, host_.timer.now());
  }
  node_changed_ = true;
  queue.add(kKey, Priority::changed, std::max(kGather, not_before_ - host_.timer.now()));
}

Task<Result<ReconcileResult>> Controller::reconcile(Ctx ctx, Request) {
  const milliseconds begun = host_.timer.now();
  if (begun < not_before_) co_return in_pause(not_before_ - begun);
  const bool node_change = std::exchange(node_changed_, false);
  Run run;
  run.begun = begun;
  Status status = co_await sync(ctx, run);
  count(run, status, node_change);
  co_return conclude(begun, std::move(status));
}

void Controller::count(const Run& run, const Status& status, bool node_change) const {
  const bool changed = run.added > 0 || run.removed > 0;
  const std::string_view outcome = !status.ok() ? "error" : changed ? "changed" : "noop";
  syncs_.record(1, {outcome, node_change ? "node_change" : "periodic"});
}

// An audit that comes before the next run may begin settles nothing.
Result<ReconcileResult> Controller::in_pause(milliseconds left) const {
  if (last_.ok()) return ReconcileResult{left};
  return Status(last_).with_retry_after(left);
}

Result<ReconcileResult> Controller::conclude(milliseconds begun, Status status) {
  const milliseconds now = host_.timer.now();
  if (status.code() == Code::cancelled) return status;
  if (status.ok()) {
    last_ = {};
    failures_ = 0;
    not_before_ = now + std::clamp(4 * (now - begun), kLeastPause, kMostPause);
    retries_.forget_old(now);
    const auto next = retries_.next(now);
    return ReconcileResult{next ? std::max(*next, not_before_ - now) : milliseconds(0)};
  }
  milliseconds pause = status.retry_after();
  if (status.error_class() != ErrorClass::waiting) {
    milliseconds backoff = kLeastPause;
    for (uint32_t i = 0; i < failures_ && backoff < kMostAfterFailures; ++i) backoff *= 2;
    backoff = std::min(backoff, kMostAfterFailures);
    ++failures_;
    if (status.refused()) {
      backoff = kPermanentPause;
      status.with_class(ErrorClass::none);  // the refusal may end without an event
    }
    pause = std::max(pause, backoff);
  }
  not_before_ = now + pause;
  last_ = status;
  return status.with_retry_after(pause);
}

}  // namespace ccm::route
