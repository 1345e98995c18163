#include "controller.hpp"

#include "settings.hpp"

#include <ccm/watch.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace ccm::ipam {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kNodes = "v1/nodes";
// Writes are awaited without a thread each; upstream's 30 rounded up (IPAM-28).
constexpr uint32_t kWorkers = 32;
// A freed block wakes waiting Nodes; this is for blocks freed without an event.
constexpr milliseconds kExhaustedRetry{10'000};
constexpr milliseconds kRefusedRetry{300'000};
constexpr milliseconds kTellAgain{300'000};
constexpr milliseconds kWatchGrace{5'000};
constexpr milliseconds kWatchRetry{1'000};
constexpr milliseconds kWriteRetry{1'000};
// Upstream gives up after three attempts and says so (IPAM-33).
constexpr uint32_t kFirstReportedAttempt = 2;
constexpr uint32_t kReportEvery = 10;

bool gone(const Status& status) { return status.error_class() == ErrorClass::not_found; }

// Whether a write that ended in this failure may have happened all the same (API-70, TRAP-20).
bool uncertain(const Status& status) {
  if (status.error_class() != ErrorClass::none) {
    return status.error_class() == ErrorClass::unavailable;
  }
  switch (status.code()) {
    case Code::invalid_argument:
    case Code::permission_denied:
    case Code::unauthenticated:
    case Code::failed_precondition:
    case Code::unimplemented:
      return false;
    default:
      return true;
  }
}

std::string all_of(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "; ") + sentence;
  return text;
}

}  // namespace

Controller::Controller(Host& host)
    : host_(host),
      events_(host.events.from("cidrAllocator")),  // IPAM-35
      metrics_(host.metrics),
      first_(host.post, 1) {}

Status Controller::setup(Setup& setup) {
  if (host_.config.flag("allocate-node-cidrs") != std::string_view("true")) {
    return Status(Code::unimplemented, ErrorClass::unsupported,
                  "--allocate-node-cidrs is false, so Nodes get no Pod ranges from here");
  }
  const SettingsReport report = read_settings(host_.config);
  for (const std::string& warning : report.warnings) {
    host_.log.warning("A flag is ignored", {{"reason", warning}});
  }
  if (!report.errors.empty()) return Status(Code::invalid_argument, all_of(report.errors));
  ledger_.emplace(report.settings, metrics_);

  QueueOptions options;
  options.name = "cidrallocator_node";
  options.workers = kWorkers;
  setup.queue(options);
  watch(setup, kNodes, node_fields(), std::bind_front(&Controller::on_event, this));
  return {};
}

void Controller::on_event(EventKind kind, const Object& old, const Object& now,
                          const Queue& queue) {
  if (kind == EventKind::resync || kind == EventKind::hinted) return;
  const NodeState node = read_node(now);
  queue_ = queue;
  if (kind == EventKind::deleted) {
    ledger_->forget(node);
    starved_.erase(node.name);
    foreign_.erase(node.name);
    reported_.erase(node.name);
    // A standby compares when it leads.
    if (ledger_->contested() && host_.leader.leading()) queue.add(node.name, Priority::periodic);
    return wake(queue);
  }
  bool assigned = false;
  if (kind == EventKind::updated && !node.cidrs.empty()) {
    const NodeState before = read_node(old);
    assigned = before.cidrs.empty() && before.uid == node.uid;
  }
  // Before the watch has caught up it may show only the former leader's writes.
  if (assigned && caught_up() && !ledger_->expects(node) && host_.leader.leading()) {
    foreign_.insert(node.name);
    queue.add(node.name);
  }
  const bool fresh =
      ledger_->observe(node, assigned ? Ledger::Source::assigned : Ledger::Source::watch);
  if (ledger_->contested() || (fresh && ledger_->trouble(node.name))) {
    queue.add(node.name, Priority::periodic);
  }
  if (node.cidrs.empty() && !node.deleting) queue.add(node.name);
  if (!node.cidrs.empty()) starved_.erase(node.name);
  wake(queue);
}

void Controller::wake(const Queue& queue) {
  uint32_t freed = ledger_->take_freed();
  for (const auto& [name, reported] : starved_) {
    if (freed-- == 0) return;
    queue.add(name);
  }
}

Task<Status> Controller::reconcile(Ctx ctx, Request request) {
  std::optional<Semaphore::Permit> alone;
  if (!caught_up_) {
    auto permit = co_await first_.acquire();
    if (!caught_up_) alone.emplace(std::move(permit));
    if (ctx.cancelled()) co_return ctx.status();  // its deadline has passed meanwhile
  }
  for (const std::string& name : ledger_->compare()) {
    if (name != request.key) queue_.add(name, Priority::periodic);
  }
  const Object object = host_.kube.cached(kNodes, request.key);
  if (!object) co_return Status();
  const NodeState node = read_node(object);
  if (foreign_.contains(node.name)) {
    Status looked = co_await look_at_foreign(ctx, node);
    if (!looked.ok()) co_return looked;
  }
  if (!node.cidrs.empty()) co_return judge_ranges_of(object);
  if (node.deleting) co_return Status();
  Status status = held_off();
  if (status.ok() && !probe_.empty() && probe_ != node.name && !caught_up()) status = behind();
  // A claim without ranges in the cache: our own write, ahead of the watch.
  if (status.ok() && !ledger_->has_claim(node)) status = co_await assign(ctx, node);
  if (status.ok() && !probe_.empty() && !caught_up()) status = co_await await_watch(ctx);
  co_return report(object, std::move(status), request.attempt);
}

Task<Status> Controller::assign(Ctx ctx, NodeState node) {
  if (ledger_->is_writing(node.name)) {
    co_return Status(Code::unavailable, ErrorClass::waiting, "an earlier write is still under way")
        .with_retry_after(kWriteRetry);
  }
  if (!ledger_->reserved(node.name).empty()) {  // the answer to an earlier write was lost
    const auto settled = co_await look_again(ctx, node);
    if (!settled.ok()) co_return settled.status();
    if (*settled) co_return Status();
  }
  const bool apart = !caught_up_ && !ledger_->empty();
  const auto blocks = ledger_->reserve(node, apart);
  if (!blocks.ok()) co_return blocks.status();
  KubePatch patch;
  patch.reference.resource = kNodes;
  patch.reference.name = node.name;
  patch.type = PatchType::strategic;
  patch.body = cidr_patch(node.uid, *blocks);
  const auto written = co_await host_.kube.patch(ctx, std::move(patch));
  if (!written.ok()) {
    Status concluded = co_await conclude(ctx, node, written.status());
    co_return concluded;
  }
  const NodeState now = read_node(*written);
  if (now.cidrs.empty()) {
    ledger_->abandon(node.name);
    co_return Status(Code::internal, "the API server took the write, but not the ranges");
  }
  ledger_->settle(now);
  if (!caught_up_) probe_ = node.name;
  starved_.erase(node.name);
  host_.log.v(2, "Allocated pod ranges for a node",
              {{"node", node.name}, {"ranges", now.joined()}});
  co_return Status();
}

Task<Status> Controller::conclude(Ctx ctx, NodeState node, Status refused) {
  if (uncertain(refused)) {
    ledger_->keep(node.name);
    co_return refused;
  }
  const ErrorClass kind = refused.error_class();
  if (kind == ErrorClass::conflict || kind == ErrorClass::invalid_spec) {
    // Ranges that are there already, or another Node of that name (IPAM-34).
    const auto settled = co_await look_again(ctx, node);
    if (settled.ok() && *settled) co_return Status();
    if (!settled.ok()) refused = settled.status();
  }
  ledger_->abandon(node.name);
  if (gone(refused)) co_return Status();
  co_return refused;
}

Task<Result<bool>> Controller::look_again(Ctx ctx, NodeState node) {
  KubeReference reference;
  reference.resource = kNodes;
  reference.name = node.name;
  const auto fresh = co_await host_.kube.get(ctx, std::move(reference));
  if (!fresh.ok() && !gone(fresh.status())) co_return fresh.status();
  const NodeState now = fresh.ok() ? read_node(*fresh) : NodeState();
  if (now.uid != node.uid) {  // the write's precondition does not hold any more
    ledger_->abandon(node.name);
    co_return true;
  }
  if (now.cidrs.empty()) co_return false;
  // Without a reservation the watch was faster, and on_event() has decided.
  const std::vector<std::string> mine = ledger_->reserved(node.name);
  ledger_->settle(now);
  if (!mine.empty() && mine != now.cidrs) note_foreign(*fresh, now);
  co_return true;
}

// Events of the watch come in the order of the writes, so with our own write all earlier ones have
// arrived.
bool Controller::caught_up() {
  caught_up_ = caught_up_ || (!probe_.empty() && !ledger_->unseen(probe_));
  return caught_up_;
}

Status Controller::behind() const {
  return Status(Code::unavailable, ErrorClass::waiting,
                "the watch of Nodes has not shown the write to Node " + probe_ + " yet")
      .with_retry_after(kWatchRetry);
}

Task<Status> Controller::await_watch(Ctx ctx) {
  milliseconds waited{0};
  milliseconds pause{2};
  while (!caught_up()) {
    if (waited >= kWatchGrace) {
      host_.log.warning("The watch of nodes lags, so no pod ranges are allocated",
                        {{"node", probe_}});
      co_return behind();
    }
    auto sleep = host_.timer.sleep(ctx, pause);
    Status slept = co_await sleep;
    if (!slept.ok()) co_return slept;
    waited += pause;
    pause = std::min(2 * pause, milliseconds(100));
  }
  co_return Status();
}

Task<Status> Controller::look_at_foreign(Ctx ctx, NodeState node) {
  KubeReference reference;
  reference.resource = kNodes;
  reference.name = node.name;
  const auto fresh = co_await host_.kube.get(ctx, std::move(reference));
  if (!fresh.ok() && !gone(fresh.status())) co_return fresh.status();
  foreign_.erase(node.name);
  if (fresh.ok()) note_foreign(*fresh, read_node(*fresh));
  co_return Status();
}

void Controller::note_foreign(const Object& node, const NodeState& state) {
  const std::string manager = assigner(node);
  const milliseconds now = host_.timer.now();
  const bool held_before = rivals_.hold_left(now) > milliseconds(0);
  rivals_.note(state.name, manager, now);
  host_.log.warning("Another program allocated a node's pod ranges",
                    {{"node", state.name}, {"ranges", state.joined()}, {"manager", manager}});
  const Status held = held_off();
  if (held.ok()) return;
  if (!held_before) host_.log.error("Stopped allocating pod ranges", {{"err", held}});
  events_.warning(node, "CIDRAllocatorConflict", held.message());
}

Status Controller::held_off() const {
  const milliseconds left = rivals_.hold_left(host_.timer.now());
  if (left == milliseconds(0)) return {};
  return Status(Code::failed_precondition, ErrorClass::waiting,
                "Pod ranges are given by " + rivals_.who() +
                    ", too, and two allocators give one range to two Nodes sooner or later; run "
                    "kube-controller-manager with --allocate-node-cidrs=false, or this program "
                    "with --controllers=*,-node-ipam-controller")
      .with_reason("CIDRAllocatorConflict")
      .with_retry_after(std::min(left, milliseconds(60'000)));
}

Status Controller::judge_ranges_of(const Object& node) {
  const std::string name(node.name());
  const auto trouble = ledger_->trouble(name);
  if (!trouble) {
    reported_.erase(name);
    return {};
  }
  auto& reported = reported_[name];
  if (reported.first != node.uid() || reported.second != *trouble) {
    reported = {std::string(node.uid()), *trouble};
    host_.log.warning("A node's pod ranges are wrong",
                      {{"node", name}, {"reason", trouble->message}});
    events_.warning(node, trouble->reason, trouble->message);
  }
  return Status(Code::failed_precondition, ErrorClass::invalid_spec, trouble->message)
      .with_reason(trouble->reason);
}

Status Controller::report(const Object& node, Status status, uint32_t attempt) {
  const std::string name(node.name());
  const auto report_event = [&](std::string_view reason) {
    events_.normal(
        node, reason,
        "Node " + name + " status is now: " + std::string(reason) + ": " + status.message());
  };
  if (status.code() == Code::resource_exhausted && status.reason() == "CIDRNotAvailable") {
    const milliseconds now = host_.timer.now();
    if (starved_.empty()) {
      host_.log.warning("No pod range for a node", {{"node", name}, {"reason", status}});
    }
    const auto [place, fresh] = starved_.try_emplace(name, now);
    if (fresh || now - place->second >= kTellAgain) {
      place->second = now;
      report_event("CIDRNotAvailable");  // IPAM-30
    }
    return status.with_retry_after(kExhaustedRetry);
  }
  if (status.ok() || status.error_class() == ErrorClass::waiting) return status;
  if (status.refused()) {
    report_event("CIDRAssignmentFailed");
    // The refusal, perhaps of an admission webhook, may end without a change of the Node.
    return status.with_class(ErrorClass::none).with_retry_after(kRefusedRetry);
  }
  if (attempt % kReportEvery == kFirstReportedAttempt) report_event("CIDRAssignmentFailed");
  return status;
}

}  // namespace ccm::ipam
