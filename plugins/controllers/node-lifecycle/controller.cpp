#include "controller.hpp"

#include <ccm/watch.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace ccm::node_lifecycle {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kNodes = "v1/nodes";
// They wait without a thread each, mostly for the next listing of all instances, which is a second
// away: that many Nodes are deleted a second when many machines go at once.
constexpr uint32_t kWorkers = 64;
// A deletion waits for a listing of all instances.
constexpr milliseconds kReconcileTimeout{120'000};
constexpr milliseconds kFirstRetry{100};
constexpr int kConflictTries = 5;
// A Node without a matched instance may only be ahead of the cloud's listings, and a kubelet does
// not register a second time (differs from LIFE-17).
constexpr milliseconds kGrace{600'000};
// In a failing zone thousands are in doubt at once: 200 looks a second are enough.
constexpr milliseconds kLookCost{5};
// Whatever the cloud asks for: the host holds back the calls themselves.
constexpr milliseconds kLongestRetry{60'000};

milliseconds asked_for(const Status& status) {
  return std::min(status.retry_after(), kLongestRetry);
}

bool gone(const Status& status) { return status.error_class() == ErrorClass::not_found; }

// Failures that asking again would not change.
bool not_ours(const Status& status) {
  return status.error_class() == ErrorClass::unsupported ||
         status.code() == Code::implemented_elsewhere;
}

// Whether a Node needs a look: hardly any of thousands does. Asked before anything is copied.
bool needs_looking_after(const Object& node) {
  return !is_ready(node) || is_deleting(node) || has_shutdown_taint(node) || is_marked(node);
}

// The host looked again and disagreed, holds the deletion back, or does not lead: no failure.
bool kept_by_host(const Status& status) {
  return status.error_class() == ErrorClass::waiting ||
         status.error_class() == ErrorClass::conflict || not_ours(status) ||
         status.code() == Code::failed_precondition || status.code() == Code::cancelled;
}

// A release changes what the host answers to these.
bool waits_for_release(const Status& status) {
  return status.reason() == "DeletionHeld" || status.reason() == "CloudViewBlind" ||
         status.reason() == "InstanceNeverSeen";
}

Status left_alone(std::string why, std::string_view reason) {
  return Status(Code::implemented_elsewhere, std::move(why)).with_reason(std::string(reason));
}

// Its end is an event, so nothing is asked meanwhile: not the cloud either.
Status being_deleted(const NodeState& node) {
  constexpr milliseconds kNextLook{600'000};
  std::string text = "the Node is being deleted";
  for (std::size_t index = 0; index < node.finalizers.size(); ++index) {
    text += (index == 0 ? ", and waits for other programs to remove their finalizers: " : ", ") +
            node.finalizers[index];
  }
  return Status(Code::failed_precondition, ErrorClass::waiting, std::move(text))
      .with_reason("NodeIsBeingDeleted")
      .with_retry_after(kNextLook);
}

ReconcileResult again(milliseconds delay) {
  ReconcileResult result;
  result.requeue_after = delay;
  return result;
}

}  // namespace

Controller::Controller(Host& host)
    : host_(host),
      looks_(host.metrics.histogram(
          "cloud_node_lifecycle_controller_monitor_nodes_duration_seconds",
          "From when a Node that is not Ready is looked at until its taints are written or it is "
          "deleted.",
          {0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048,
           4.096, 8.192, 16.384})),
      calls_(host.metrics.counter("cloud_node_lifecycle_controller_cloud_provider_calls_total",
                                  "Questions about instances to the provider, by their results.",
                                  {"operation", "result"})) {}

Status Controller::setup(Setup& setup) {
  if (!host_.instances) {
    return Status(Code::unimplemented, ErrorClass::unsupported,
                  "the cloud provider does not offer instances");
  }
  period_ = std::max(host_.config.duration_flag("node-monitor-period").value_or(period_),
                     milliseconds(1));
  pace_ = LookPace(period_);
  out_of_service_ = host_.config.flag("node-out-of-service-taint") == std::string_view("true");

  QueueOptions options;
  options.name = "NodeLifecycle";
  options.workers = kWorkers;
  if (host_.config.flag_given("concurrent-node-lifecycle-syncs")) {
    const int64_t given = host_.config.integer_flag("concurrent-node-lifecycle-syncs").value_or(1);
    options.workers = static_cast<uint32_t>(std::max<int64_t>(given, 1));
  }
  options.backoff_first = kFirstRetry;
  options.backoff_limit = std::max(period_, kFirstRetry);
  options.reconcile_timeout = kReconcileTimeout;
  setup.queue(options);

  watch(setup, kNodes, node_fields(), std::bind_front(&Controller::on_event, this));
  return {};
}

void Controller::on_event(EventKind kind, const Object& old, const Object& now,
                          const Queue& queue) {
  if (kind == EventKind::deleted) {
    forget(std::string(now.name()));
    // Without this reconcile it would count as waiting until its next look.
    if (needs_looking_after(now)) queue.add(now.name());
    return;
  }
  if (!needs_looking_after(now)) return;
  if (kind == EventKind::updated && surely_same_input(old, now)) return;
  if (kind == EventKind::hinted) pace_.hinted(std::string(now.name()), host_.timer.now());
  if (kind == EventKind::resync) {
    return queue.add(now.name(), Priority::periodic, wait(now.name()));
  }
  if (kind == EventKind::added || kind == EventKind::hinted) return queue.add(now.name());
  const NodeState state = read_node(now);
  const NodeState before = read_node(old);
  if (state.same_input(before)) return;
  // Taints that come and go while it is not Ready anyway, ours among them, say nothing new about
  // the instance.
  const auto examination = examinations_.find(state.name);
  const bool released = state.released && !before.released && examination != examinations_.end() &&
                        waits_for_release(examination->second.outcome.status());
  // Whoever releases thirty Nodes waits for their end. A kubelet may write it, too: looks at a Node
  // that nobody holds are its own business only at the usual pace.
  if (released) pace_.hinted(state.name, host_.timer.now());
  const bool changed = state.ready || before.ready || state.uid != before.uid ||
                       state.provider_id != before.provider_id || state.deleting || released;
  queue.add(now.name(), changed ? Priority::changed : Priority::periodic,
            changed ? milliseconds(0) : std::max(wait(now.name()), period_));
}

void Controller::forget(const std::string& name) {
  examinations_.erase(name);
  stops_.erase(name);
}

milliseconds Controller::wait(std::string_view name) const {
  return pace_.wait(name, host_.timer.now());
}

milliseconds Controller::pause(const std::string& name) const {
  const auto examination = examinations_.find(name);
  return examination == examinations_.end() ? period_ : examination->second.pause;
}

Task<Result<ReconcileResult>> Controller::reconcile(Ctx ctx, Request request) {
  const Object node = host_.kube.cached(kNodes, request.key);
  if (!node) {
    forget(request.key);
    co_return ReconcileResult();
  }
  const NodeState state = read_node(node);
  if (state.ready) {  // LIFE-5: no question to the cloud
    forget(state.name);
    Status cleared = co_await set_taints(ctx, node, Wanted::none);
    if (cleared.ok() && state.deleting) cleared = being_deleted(state);
    if (!cleared.ok()) co_return cleared;
    co_return ReconcileResult();
  }
  if (state.deleting) {
    forget(state.name);
    co_return being_deleted(state);
  }
  if (const auto left = grace(state)) {
    host_.log.v(2, "Left a new node alone that has no matching instance yet",
                {{"node", state.name}});
    co_return again(*left);
  }
  if (wait(state.name) > milliseconds(0)) co_return too_early(state.name);
  auto examined = co_await examine(ctx, node);
  const auto examination = examinations_.find(state.name);
  if (examination != examinations_.end()) examination->second.outcome = examined;
  co_return examined;
}

// Pages go on showing what the last look led to.
Result<ReconcileResult> Controller::too_early(const std::string& name) const {
  const auto examination = examinations_.find(name);
  if (examination == examinations_.end()) {
    return Status(Code::unavailable, ErrorClass::waiting,
                  "the Node was looked at often of late, so the next look waits")
        .with_reason("LookedAtOften")
        .with_retry_after(wait(name));
  }
  const auto& outcome = examination->second.outcome;
  if (outcome.ok()) return again(wait(name));
  Status status = outcome.status();
  return status.with_retry_after(wait(name));
}

Task<Result<ReconcileResult>> Controller::examine(Ctx ctx, Object node) {
  const std::string name(node.name());
  const milliseconds begun = host_.timer.now();
  Examination& examination = examinations_[name];
  const milliseconds cost = kLookCost * static_cast<int64_t>(examinations_.size());
  examination.pause = std::max(pace_.look(name, begun), cost);
  auto instance = co_await look(ctx, node);
  count(instance);
  if (instance.ok()) {
    auto acted = co_await act(ctx, node, *std::move(instance));
    looks_.record(std::chrono::duration<double>(host_.timer.now() - begun).count());  // MET-14
    co_return acted;
  }
  const Status& failure = instance.status();
  if (not_ours(failure)) {
    forget(name);
    co_return left_alone(failure.message(), failure.reason());
  }
  co_return not_known(name, failure);
}

// Waiting: pages show the Node and the cloud's reason, and a failing cloud writes no line for each
// of thousands of Nodes.
Status Controller::not_known(const std::string& name, const Status& look) const {
  return Status(look.code(), ErrorClass::waiting,
                "the cloud does not tell the state of the instance: " + look.message())
      .with_reason(look.reason().empty() ? "InstanceStateUnknown" : look.reason())
      .with_retry_after(std::max(pause(name), asked_for(look)));
}

// LIFE-6. The answer is young enough that the next look gets another one.
Task<Result<Instance>> Controller::look(Ctx ctx, Object node) {
  NodeIdentity identity;
  identity.name = node.name();
  identity.provider_id = node.text("/spec/providerID");
  identity.node = node;
  identity.max_age = std::max(pause(identity.name) / 2, milliseconds(1));
  std::vector<NodeIdentity> identities;
  identities.push_back(std::move(identity));
  auto instances = co_await host_.instances.describe(ctx, std::move(identities));
  if (!instances.ok()) co_return instances.status();
  co_return std::move(instances->front());
}

void Controller::count(const Result<Instance>& answer) const {
  if (!answer.ok()) {
    const std::string_view result = not_ours(answer.status())                   ? "not_implemented"
                                    : answer.status().code() == Code::cancelled ? "canceled"
                                                                                : "error";
    return calls_.record(1, {"instance_exists", result});
  }
  const bool exists =
      answer->state != InstanceState::absent && answer->state != InstanceState::terminated;
  calls_.record(1, {"instance_exists", exists ? "success" : "instance_not_found"});
  if (exists) calls_.record(1, {"instance_shutdown", "success"});
}

Task<Result<ReconcileResult>> Controller::act(Ctx ctx, Object node, Instance instance) {
  const NodeState state = read_node(node);
  if (instance.state != InstanceState::shutdown && instance.state != InstanceState::unknown) {
    stops_.erase(state.name);
  }
  Status status;
  switch (instance.state) {
    case InstanceState::running:
    case InstanceState::starting:
      status = co_await set_taints(ctx, node, Wanted::none);
      break;
    case InstanceState::shutdown:
      status = co_await set_taints(ctx, node, stopped(state));
      break;
    case InstanceState::terminated:
      status = co_await remove(ctx, node, "was terminated");
      break;
    case InstanceState::absent:
      // Neither a provider ID nor a kubelet that waits for a cloud: it never has an instance of
      // this cloud.
      if (state.provider_id.empty() && !state.uninitialized) {
        forget(state.name);
        co_return left_alone(
            "the Node has no provider ID and does not wait for one: " +
                (instance.why.ok() ? "it has no instance" : instance.why.message()),
            "NotOfThisCloud");
      }
      status = co_await remove(ctx, node, "does not exist any more");
      break;
    case InstanceState::unknown:
      co_return not_known(state.name, instance.why.ok() ? Status(Code::unavailable,
                                                                 "its answer has no state for it")
                                                        : instance.why);
  }
  if (status.error_class() == ErrorClass::waiting) status.with_retry_after(pause(state.name));
  if (!status.ok()) co_return status;
  co_return again(pause(state.name));
}

// Two looks that are a whole period apart got two answers: one may have met a reboot.
Wanted Controller::stopped(const NodeState& node) {
  const milliseconds now = host_.timer.now();
  Stop& stop = stops_[node.name];
  if (stop.uid != node.uid) stop = {node.uid, now};
  const bool twice = out_of_service_ && now - stop.seen >= period_;
  return twice ? Wanted::shutdown_and_out_of_service : Wanted::shutdown;
}

std::optional<milliseconds> Controller::grace(const NodeState& node) const {
  if (!node.uninitialized) return std::nullopt;
  const milliseconds age =
      node.created ? host_.timer.wall_clock() - *node.created : milliseconds(0);
  if (age >= kGrace) return std::nullopt;
  return std::min(kGrace - age, kGrace);
}

Task<Status> Controller::set_taints(Ctx ctx, Object node, Wanted wanted) {
  const NodeState first = read_node(node);
  for (int left = kConflictTries;; --left) {
    const NodeState state = read_node(node);
    // It changed under our hands; the event of that comes.
    if (state.uid != first.uid || state.ready != first.ready) co_return Status();
    auto body = taint_patch(state, wanted);
    if (!body) co_return Status();
    KubePatch patch;
    patch.reference.resource = kNodes;
    patch.reference.name = state.name;
    patch.type = PatchType::strategic;
    patch.body = *std::move(body);
    patch.answer = PatchAnswer::none;
    const auto written = co_await host_.kube.patch(ctx, std::move(patch));
    if (gone(written.status())) co_return Status();
    if (written.ok()) report_taints(node, wanted);
    if (written.status().error_class() != ErrorClass::conflict || left == 1) {
      co_return written.status();
    }
    // Live: the cache may be as old as the state that just failed (TRAP-29).
    KubeReference reference;
    reference.resource = kNodes;
    reference.name = state.name;
    auto fresh = co_await host_.kube.get(ctx, std::move(reference));
    if (gone(fresh.status())) co_return Status();
    if (!fresh.ok()) co_return fresh.status();
    node = *std::move(fresh);
  }
}

void Controller::report_taints(const Object& node, Wanted wanted) const {
  const std::string name(node.name());
  if (wanted == Wanted::none) {
    host_.log.info("Removed the taints of a shut down instance", {{"node", name}});
    host_.events.normal(
        node, "ShutdownTaintRemoved",
        "The instance of Node " + name + " runs again; its shutdown taint is removed");
    return;
  }
  const bool out_of_service = wanted == Wanted::shutdown_and_out_of_service;
  host_.log.info("Tainted a node whose instance is shut down",
                 {{"node", name}, {"outOfService", out_of_service ? "true" : "false"}});
  if (out_of_service) {
    host_.events.normal(
        node, "OutOfServiceTaintAdded",
        "The instance of Node " + name +
            " stays shut down; the out-of-service taint moves its Pods and volumes");
  } else {
    host_.events.normal(node, "ShutdownTaintAdded",
                        "The instance of Node " + name + " is shut down; no new Pods go there");
  }
}

// The host looks at the cloud a second time, asks its brake and reads the Node afresh before it
// deletes, so the Event is recorded when the Node is gone and not once for each attempt (TRAP-28).
Task<Status> Controller::remove(Ctx ctx, Object node, std::string cause) {
  KubeDelete request;
  request.reference.resource = kNodes;
  request.reference.name = node.name();
  request.uid = node.uid();
  const Status removed = co_await host_.kube.remove(ctx, std::move(request));
  const std::string name(node.name());
  if (removed.ok()) {
    host_.log.info("Deleted a node", {{"node", name}, {"instance", cause}});
    host_.events.normal(node, "DeletingNode",
                        "Node " + name + " is deleted because its instance " + cause);
  } else if (kept_by_host(removed)) {
    host_.log.v(2, "Did not delete a node", {{"node", name}, {"reason", removed}});
    if (removed.error_class() == ErrorClass::waiting) co_return removed;
  } else if (!gone(removed)) {
    host_.events.warning(node, "DeletingNodeFailed",
                         "Node " + name + " could not be deleted: " + removed.message());
    Status failed = removed;
    co_return failed.with_context("could not delete the Node")
        .with_retry_after(std::max(pause(name), asked_for(removed)));
  }
  co_return Status();
}

}  // namespace ccm::node_lifecycle
