#include "controller.hpp"

#include <ccm/gather.hpp>
#include <ccm/watch.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string_view>
#include <tuple>
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

constexpr milliseconds kAskLimits{600'000};
constexpr milliseconds kLearnedLimit{300'000};
constexpr std::size_t kReadsAtOnce = 32;
constexpr std::size_t kWritesAtOnce = 64;
constexpr int kConflictTries = 5;  // ROUTE-34
constexpr milliseconds kConflictPause{100};

bool is_full(const Status& status) {
  return status.code() == Code::resource_exhausted && status.error_class() == ErrorClass::quota;
}

// Reasons of additions that the host has not even tried (ccm/abi/routes.h, R-182 to R-185).
constexpr std::array<std::string_view, 4> kRefused{kRangeOutside, kRangeTooWide, kRangeConflict,
                                                   "InstanceOfAnotherNode"};
// ... until the cloud or the cache knows more.
constexpr std::array<std::string_view, 4> kNotYet{"NoInstance", "InstanceUnknown", "NoAddress",
                                                  "NoNode"};

bool mends_itself(const Status& status) {
  return std::find(kNotYet.begin(), kNotYet.end(), status.reason()) != kNotYet.end();
}

bool refused_by_host(const Status& status) {
  return mends_itself(status) ||
         std::find(kRefused.begin(), kRefused.end(), status.reason()) != kRefused.end();
}

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

Task<Status> Controller::sync(Ctx ctx, Run& run) {
  co_await refresh_limits(ctx);
  auto listed = co_await host_.routes.list(ctx, settings_.cluster_name);
  if (!listed.ok()) co_return listed.status().with_context("list the cloud's routes");  // ROUTE-12
  run.table = *std::move(listed);
  read_nodes(run);
  co_await look_for_targets(ctx, run);
  if (ctx.cancelled()) co_return ctx.status();

  const milliseconds now = host_.timer.now();
  run.plan = make_plan(input_of(run));
  outside_ = run.plan.outside;
  if (!listing_check_.believe(run.plan.expected, run.plan.missing, now)) {
    notices_.incomplete_listing(run.plan.expected, run.plan.missing);
    co_return Status(Code::unavailable, ErrorClass::waiting,
                     "the cloud's list lacks " + std::to_string(run.plan.missing) + " of " +
                         std::to_string(run.plan.expected) + " routes; it is asked once more")
        .with_retry_after(ListingCheck::kLookAgain);
  }
  notices_.begin(now);
  Batch changes = make_batch(run.plan);
  if (!changes.removals.empty() || !changes.additions.empty()) {
    co_await apply(ctx, run, std::move(changes));
  }
  if (ctx.cancelled()) co_return ctx.status();
  report(run);
  measure(run);
  co_await write_conditions(ctx, run);
  co_return run.outcome;
}

Task<void> Controller::refresh_limits(Ctx ctx) {
  const milliseconds now = host_.timer.now();
  if (limits_asked_ && now - *limits_asked_ < kAskLimits) co_return;
  const auto limits = co_await host_.routes.limits(ctx);
  if (limits.ok()) {
    limits_ = *limits;
  } else if (limits.status().code() != Code::unimplemented) {
    host_.log.v(2, "The cloud does not tell its limits of routes", {{"err", limits.status()}});
    co_return;
  }
  limits_asked_ = now;
}

// After the listing, so that the cache is not older than it.
void Controller::read_nodes(Run& run) const {
  host_.kube.cached_each(kNodes, {},
                         [&](const Object& node) { run.nodes.push_back(read_node(node)); });
}

PlanInput Controller::input_of(const Run& run) const {
  const milliseconds now = host_.timer.now();
  std::optional<int64_t> limit;
  if (limits_.routes > 0) limit = limits_.routes;
  if (now < learned_until_) limit = std::min(limit.value_or(learned_limit_), learned_limit_);
  PlanInput input{run.table, run.nodes, settings_.ranges, {}, {}, outside_, {}};
  if (limit) input.room = *limit - static_cast<int64_t>(run.table.size());
  input.unseen = run.unseen;
  input.due = [this, now](const std::string& change) { return retries_.due(change, now); };
  return input;
}

Task<void> Controller::look_for_targets(Ctx ctx, Run& run) {
  const std::set<std::string> unknown = unknown_targets(input_of(run));
  std::erase_if(gone_, [&](const std::string& name) { return unknown.count(name) == 0; });
  std::vector<std::string> names;
  std::set_difference(unknown.begin(), unknown.end(), gone_.begin(), gone_.end(),
                      std::back_inserter(names));
  auto look = [this, &ctx, &run, &names](std::size_t i) {
    return look_for_target(ctx, names[i], run);
  };
  Task<Status> all = gather(host_.post, names.size(), kReadsAtOnce, std::move(look));
  const Status looked = co_await std::move(all);
  if (!looked.ok()) host_.log.error("Not every node could be looked up", {{"err", looked}});
}

Task<Status> Controller::look_for_target(Ctx ctx, std::string name, Run& run) {
  KubeReference reference;
  reference.resource = kNodes;
  reference.name = name;
  const auto fresh = co_await host_.kube.get(ctx, std::move(reference));
  const ErrorClass kind = fresh.status().error_class();
  // Upstream's role has no "get" (RBAC-26): then the cache has to do.
  if (kind == ErrorClass::not_found || fresh.status().code() == Code::permission_denied) {
    gone_.insert(std::move(name));
  } else {
    run.unseen.insert(std::move(name));
  }
  co_return Status();
}

Task<void> Controller::apply(Ctx ctx, Run& run, Batch batch) {
  std::vector<Route> removals;
  for (const std::size_t i : batch.removals) removals.push_back(run.table[i]);
  std::vector<Route> additions;
  for (const Addition& one : batch.additions) {
    additions.push_back(
        make_route(run.nodes[one.node], run.plan.nodes[one.node].ranges[one.range]));
  }
  const milliseconds begun = host_.timer.now();
  const auto made = co_await host_.routes.apply(ctx, settings_.cluster_name, removals, additions);
  const milliseconds took = host_.timer.now() - begun;
  if (ctx.cancelled()) co_return;
  if (!made.ok() && held_by_brake(made.status()) && !batch.removals.empty()) {
    for (const std::size_t i : batch.removals) note_removal(run, i, made.status());
    Batch rest = without_removals(batch);
    if (!rest.additions.empty()) co_await apply(ctx, run, std::move(rest));
    co_return;
  }
  if (!made.ok()) run.outcome = Status(made.status()).with_context("change the cloud's routes");
  // After a batch that failed as a whole the next listing says more.
  const auto status_of = [&](std::size_t i) { return made.ok() ? (*made)[i] : made.status(); };
  for (std::size_t i = 0; made.ok() && i < removals.size(); ++i) {
    note_removal(run, batch.removals[i], status_of(i));
  }
  for (std::size_t i = 0; i < additions.size(); ++i) {
    note_addition(run, batch.additions[i], additions[i], status_of(removals.size() + i), took);
  }
}

void Controller::note_removal(Run& run, std::size_t route, const Status& status) {
  const Route& removed = run.table[route];
  changes_.record(1, {"remove", status.ok() ? "success" : "error"});
  if (status.ok()) {
    ++run.removed;
    retries_.succeeded(change_name(removed));
    host_.log.v(2, "Removed a route", {{"route", describe(removed)}});
    return;
  }
  retries_.failed(change_name(removed), status, host_.timer.now());
  if (held_by_brake(status)) {
    ++run.held;
    run.held_status = status;
  } else {
    notices_.not_removed(removed, status);  // ROUTE-27
  }
}

void Controller::note_addition(Run& run, const Addition& addition, const Route& route,
                               const Status& status, milliseconds took) {
  const NodeState& node = run.nodes[addition.node];
  RangePlan& range = run.plan.nodes[addition.node].ranges[addition.range];
  changes_.record(1, {"add", status.ok() ? "success" : "error"});
  if (status.ok()) {
    ++run.added;
    range.outcome = Outcome::kept;  // ROUTE-26
    retries_.succeeded(change_name(node, range));
    delay_.made(node, range.text, host_.timer.now());
    host_.log.v(2, "Created a route", {{"node", node.name}, {"destination", range.text}});
  } else if (is_full(status)) {
    range.outcome = Outcome::table_full;
    run.full_status = status;
    note_table_full(run, status);
  } else if (refused_by_host(status)) {
    range.outcome = Outcome::refused;
    range.why = status.message();
    if (!mends_itself(status)) notices_.refused(node, range, status);
    retries_.failed(change_name(node, range), status, host_.timer.now());
  } else {
    range.outcome = Outcome::failed;
    notices_.not_added(node, route, status, took);
    // A batch that failed as a whole is retried as a whole.
    if (run.outcome.ok()) retries_.failed(change_name(node, range), status, host_.timer.now());
  }
}

void Controller::note_table_full(const Run& run, const Status& status) {
  const auto held = static_cast<int64_t>(run.table.size() + run.added);
  learned_limit_ = held - static_cast<int64_t>(run.removed);
  learned_until_ = host_.timer.now() + std::max(kLearnedLimit, status.retry_after());
}

Task<void> Controller::write_conditions(Ctx ctx, Run& run) {
  struct Write {
    std::size_t node;
    Condition condition;
  };
  conditions_.keep_only(run.nodes);
  std::vector<Write> writes;
  const milliseconds now = host_.timer.now();
  for (std::size_t i = 0; i < run.nodes.size(); ++i) {
    auto desired = desired_condition(run.plan.nodes[i]);
    if (!desired || !conditions_.needed(run.nodes[i], *desired)) continue;
    if (!retries_.due("condition " + run.nodes[i].uid, now)) continue;
    writes.push_back(Write{i, *std::move(desired)});
  }
  auto write = [this, &ctx, &run, &writes](std::size_t i) {
    return write_condition(ctx, run.nodes[writes[i].node], writes[i].condition);
  };
  Task<Status> all = gather(host_.post, writes.size(), kWritesAtOnce, std::move(write));
  const Status written = co_await std::move(all);
  if (!written.ok()) host_.log.error("Not every condition was written", {{"err", written}});
}

Task<Status> Controller::write_condition(Ctx ctx, const NodeState& node, Condition condition) {
  const std::string change = "condition " + node.uid;
  for (int left = kConflictTries;; --left) {
    KubePatch patch;
    patch.reference.resource = kNodes;
    patch.reference.name = node.name;
    patch.reference.subresource = "status";
    patch.type = PatchType::strategic;
    patch.body = condition_patch(node.uid, condition, host_.timer.wall_clock());
    patch.answer = PatchAnswer::metadata;  // its resourceVersion
    const auto written = co_await host_.kube.patch(ctx, std::move(patch));
    const Status status = written.status();
    if (status.ok()) {
      conditions_.wrote(node, condition, *written);
      retries_.succeeded(change);
      co_return Status();
    }
    if (status.error_class() == ErrorClass::not_found || ctx.cancelled()) co_return Status();
    if (status.error_class() != ErrorClass::conflict || left == 1) {
      host_.log.error("The condition of a node was not written",
                      {{"node", node.name}, {"err", status}});
      retries_.failed(change, status, host_.timer.now());
      co_return Status();
    }
    auto sleep = host_.timer.sleep(ctx, kConflictPause);
    Status slept = co_await sleep;
    if (!slept.ok()) co_return Status();
  }
}

TableUse Controller::use_of(const Run& run) const {
  TableUse use;
  use.routes = run.table.size() + run.added - std::min(run.removed, run.table.size());
  use.foreign = run.plan.foreign;
  use.limit = limits_.routes;
  return use;
}

void Controller::report(const Run& run) {
  std::vector<const NodeState*> full;
  std::vector<const NodeState*> overlay;
  const NodeState* oldest = nullptr;
  for (std::size_t i = 0; i < run.nodes.size(); ++i) {
    const NodeState& node = run.nodes[i];
    const NodePlan& plan = run.plan.nodes[i];
    const bool older = oldest == nullptr ||
                       std::tie(node.created, node.uid) < std::tie(oldest->created, oldest->uid);
    if (older) oldest = &node;
    notices_.ranges(node, plan);
    const bool none = std::any_of(plan.ranges.begin(), plan.ranges.end(), [](const RangePlan& one) {
      return one.outcome == Outcome::table_full;
    });
    if (none) full.push_back(&node);
    if (set_by_overlay(node) && !plan.ranges.empty()) overlay.push_back(&node);
  }
  const TableUse use = use_of(run);
  notices_.table_full(full, use, run.full_status);
  if (full.empty()) notices_.table_use(use, oldest);
  if (run.held > 0) notices_.held(run.held, run.held_status, oldest);
  notices_.overlay(overlay);
}

void Controller::measure(const Run& run) {
  const TableUse use = use_of(run);
  table_routes_.record(static_cast<double>(use.routes));
  table_limit_.record(static_cast<double>(use.limit));
  for (std::size_t i = 0; i < run.nodes.size(); ++i) {
    delay_.settled(run.nodes[i], run.plan.nodes[i], run.begun);
  }
}

}  // namespace ccm::route
