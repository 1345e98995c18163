#include "controller.hpp"

#include "addresses.hpp"
#include "families.hpp"
#include "labels.hpp"
#include "names.hpp"
#include "patches.hpp"

#include <ccm/cidr.hpp>
#include <ccm/watch.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace ccm::node {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kNodes = "v1/nodes";
constexpr milliseconds kStatusUpdatePeriod{300'000};  // HOST-38
// Writes are awaited without a thread each, so more than upstream's one costs nothing (HOST-35).
constexpr uint32_t kDefaultWorkers = 64;
// The API server hands out a new resourceVersion with every write of the kubelet, too.
constexpr int kConflictTries = 10;
// Attempts that record an Event: earlier ones may only be early, and later ones repeat it.
constexpr uint32_t kFirstReportedAttempt = 5;
constexpr uint32_t kReportEvery = 10;
// Between two attempts for a Node. No Pod runs on it before it is initialised.
constexpr milliseconds kLongestRetry{60'000};
// The cloud's answer is logged only when it has changed.
constexpr milliseconds kRetryAge{1'000};
// Between two restorations of a Node's addresses that somebody else writes.
constexpr milliseconds kRestorePause{60'000};

// The Node was deleted meanwhile: nothing is left to do.
bool gone(const Status& status) { return status.error_class() == ErrorClass::not_found; }

// Failures of the cloud or the API server as a whole: an Event on each of thousands of Nodes would
// only add to the load.
bool concerns_one_node(const Status& status) {
  switch (status.error_class()) {
    case ErrorClass::auth:
    case ErrorClass::throttled:
    case ErrorClass::unavailable:
    case ErrorClass::waiting:
    case ErrorClass::conflict:
      return false;
    default:
      return status.code() != Code::cancelled && status.code() != Code::deadline_exceeded &&
             status.code() != Code::implemented_elsewhere;
  }
}

// A permanent refusal of the API server comes from the cloud's data, which can be corrected without
// a change of the Node, so it is retried. A long wait that the cloud asks for is capped: the host
// holds back the calls themselves, and a retry costs none.
Status retried_within_a_minute(Status status) {
  if (status.error_class() == ErrorClass::invalid_spec ||
      status.error_class() == ErrorClass::quota) {
    status.with_class(ErrorClass::none).with_retry_after(kLongestRetry);
  }
  if (status.retry_after() > kLongestRetry) status.with_retry_after(kLongestRetry);
  return status;
}

std::string text_of(const Labels& labels) {
  std::string text;
  for (const auto& [key, value] : labels) text += (text.empty() ? "" : ", ") + key + "=" + value;
  return text;
}

Status no_version() {
  return {Code::data_loss, "the API server's answer to a write has no resourceVersion"};
}

Status left_alone(std::string why, std::string_view reason) {
  return Status(Code::implemented_elsewhere, std::move(why)).with_reason(std::string(reason));
}

// Another provider's, or that of another manager of this one.
bool elsewhere(const Status& status) {
  return status.error_class() == ErrorClass::unsupported ||
         status.code() == Code::implemented_elsewhere;
}

// NODE-45
Status never_initialized() {
  return left_alone(
      "the Node registered without the taint node.cloudprovider.kubernetes.io/uninitialized, so it "
      "gets no provider ID, type, zone or region: if its instance is of this cloud, start its "
      "kubelet with --cloud-provider=external and have it register again",
      "NotInitialized");
}

// With what the host looked for, or why nothing is known.
std::string with_reason_of(const Instance& answer, std::string text) {
  return answer.why.message().empty() ? text : text + ": " + answer.why.message();
}

Status no_instance(const Instance& answer) {
  return Status(Code::not_found, ErrorClass::not_found,
                with_reason_of(answer, "the cloud has no instance for this Node"))
      .with_reason("InstanceNotFound");
}

Status not_said(const Instance& answer) {
  return {Code::unavailable, ErrorClass::unavailable,
          with_reason_of(answer, "the cloud does not say whether this Node's instance exists")};
}

// A strategic merge patch that asks for no answer.
KubePatch node_patch(std::string_view name, std::string body) {
  KubePatch patch;
  patch.reference.resource = kNodes;
  patch.reference.name = name;
  patch.type = PatchType::strategic;
  patch.body = std::move(body);
  patch.answer = PatchAnswer::none;
  return patch;
}

}  // namespace

Controller::Controller(Host& host)
    : host_(host),
      taint_removal_delay_(host.metrics.histogram(
          "node_controller_cloud_provider_taint_removal_delay_seconds",
          "Age of a Node when its uninitialized taint was removed.", {1, 4, 16, 64, 256, 1024})),
      initial_sync_delay_(host.metrics.histogram("node_controller_initial_node_sync_delay_seconds",
                                                 "Age of a Node when its initialisation ended.",
                                                 {1, 4, 16, 64, 256, 1024})) {}

Status Controller::setup(Setup& setup) {
  if (!host_.instances) {
    return Status(Code::unimplemented, ErrorClass::unsupported,
                  "the cloud provider does not offer instances");
  }
  QueueOptions options;
  options.name = "Nodes";
  options.workers = kDefaultWorkers;
  options.backoff_limit = kLongestRetry;
  if (host_.config.flag_given("concurrent-node-syncs")) {
    const int64_t given = host_.config.integer_flag("concurrent-node-syncs").value_or(1);
    options.workers = static_cast<uint32_t>(std::max<int64_t>(given, 1));
  }
  setup.queue(options);

  const std::string_view refresh = host_.config.flag("refresh-node-labels").value_or("true");
  refresh_labels_ = refresh != "false";
  refresh_topology_ = refresh == "all";
  const int64_t updates = host_.config.integer_flag("concurrent-node-status-updates").value_or(0);
  if (updates > 0) status_updates_.emplace(host_.post, static_cast<std::size_t>(updates));

  dual_stack_ =
      both_families(split_cidrs(host_.config.flag("cluster-cidr").value_or(std::string_view())));
  milliseconds period =
      host_.config.duration_flag("node-status-update-frequency").value_or(kStatusUpdatePeriod);
  if (period <= milliseconds(0)) period = kStatusUpdatePeriod;
  watch(setup, kNodes, node_fields(), std::bind_front(&Controller::on_event, this), period);
  return {};
}

// The periodic address loop (NODE-26) is the resync: it begins with the first listing, passes
// through the same queue after all new keys, and so never meets an initialisation of the same Node.
void Controller::on_event(EventKind kind, const Object& old, const Object& now,
                          const Queue& queue) {
  dual_stack_ = dual_stack_ || both_families(read_pod_ranges(now));
  if (kind == EventKind::deleted) {
    contradicted_.erase(std::string(now.name()));
    const std::string name(now.name());
    one_family_.erase(name);
    restored_.erase(name);
    // Without this reconcile a refused Node, or one left alone, would count as such for ever.
    if (tried_.erase(name) + left_alone_.erase(name) > 0) queue.add(name);
    return;
  }
  if (kind == EventKind::resync) {
    // A Node that waits to be initialised has its own retries (NODE-27).
    if (!is_uninitialized(now)) queue.add(now.name(), Priority::periodic);
    return;
  }
  const bool fresh = is_uninitialized(now);
  // Only a periodic key compares an initialised Node with the cloud.
  if (kind == EventKind::added || kind == EventKind::hinted) {
    return queue.add(now.name(), fresh ? Priority::changed : Priority::periodic);
  }
  if (fresh ? !same_input(old, now) : !repaired_labels(read_cloud_labels(now)).empty()) {
    queue.add(now.name());
  } else if (!fresh && readdressed(old, now)) {
    queue.add(now.name(), Priority::periodic);
  }
}

bool Controller::readdressed(const Object& old, const Object& now) {
  const std::vector<NodeAddress> addresses = read_addresses(now);
  if (addresses == read_addresses(old)) return false;
  const auto restored = restored_.find(std::string(now.name()));
  if (restored == restored_.end()) return true;
  const bool ours = addresses == restored->second.addresses;
  return !ours && host_.timer.now() - restored->second.at >= kRestorePause;
}

Task<Status> Controller::reconcile(Ctx ctx, Request request) {
  const Object node = host_.kube.cached(kNodes, request.key);
  if (!node) co_return Status();
  if (is_uninitialized(node)) {
    Status status = co_await initialize(ctx, node);
    if (!host_.kube.cached(kNodes, request.key)) co_return Status();  // deleted meanwhile
    if (status.ok()) {
      tried_.erase(request.key);
    } else {
      report(node, status, request.attempt);
      tried_.insert(request.key);
    }
    co_return retried_within_a_minute(std::move(status));
  }
  tried_.erase(request.key);
  Labels wrong = repaired_labels(read_cloud_labels(node));
  Status repaired = co_await write_labels(ctx, node, std::move(wrong));
  if (!repaired.ok()) co_return repaired;
  if (request.priority == Priority::periodic) {
    Status refreshed = co_await refresh(ctx, node);
    left_alone_.erase(request.key);
    if (!elsewhere(refreshed)) co_return refreshed;
    left_alone_[request.key] = refreshed;
  }
  const auto left = left_alone_.find(request.key);
  co_return left == left_alone_.end() ? Status() : left->second;
}

Task<Result<Instance>> Controller::find_instance(Ctx ctx, Object node) {
  NodeIdentity identity;
  identity.name = node.name();
  identity.provider_id = node.text("/spec/providerID");
  identity.node = node;
  if (tried_.contains(identity.name)) identity.max_age = kRetryAge;
  std::vector<NodeIdentity> identities;
  identities.push_back(std::move(identity));
  auto instances = co_await host_.instances.describe(ctx, std::move(identities));
  if (!instances.ok()) co_return instances.status();
  switch (instances->front().state) {
    case InstanceState::running:
    case InstanceState::shutdown:
      co_return std::move(instances->front());
    case InstanceState::terminated:
    case InstanceState::absent:
      co_return no_instance(instances->front());
    case InstanceState::starting:
      co_return Status(Code::unavailable, ErrorClass::waiting,
                       "the cloud is still building this Node's instance")
          .with_reason(std::string(kInstanceNotReady));
    case InstanceState::unknown:
      break;
  }
  co_return not_said(instances->front());
}

Task<Status> Controller::initialize(Ctx ctx, Object node) {
  const auto instance = co_await find_instance(ctx, node);
  if (!instance.ok()) co_return instance.status();
  // The kubelet may have written since the cloud was asked.
  Object current = host_.kube.cached(kNodes, node.name());
  if (!current || current.uid() != node.uid()) co_return Status();
  for (int left = kConflictTries;; --left) {
    Status written = co_await write(ctx, current, &*instance);
    if (written.error_class() != ErrorClass::conflict || left == 1) co_return written;
    // Live, not from the cache, which may be as old as the state that just failed (TRAP-29).
    KubeReference reference;
    reference.resource = kNodes;
    reference.name = node.name();
    auto fresh = co_await host_.kube.get(ctx, std::move(reference));
    if (gone(fresh.status())) co_return Status();
    if (!fresh.ok()) co_return fresh.status();
    // Recreated under that name: the instance belongs to the old Node, and the new one has its own
    // key.
    if (fresh->uid() != node.uid()) co_return Status();
    current = *std::move(fresh);
  }
}

Task<Status> Controller::write(Ctx ctx, Object node, const Instance* instance) {
  NodeState state = read_node(node);
  if (!state.uninitialized()) co_return Status();  // another writer has done it
  auto desired = desired_state(state, *instance);
  if (!desired.ok()) co_return desired.status();
  if (addresses_differ(state, desired->addresses)) {
    // The patch names the version that was read, so that the second write's taints are still
    // current. Of the answer only the new version is needed, and a whole Node is large.
    const std::string version = state.resource_version;
    auto written =
        co_await write_addresses(ctx, node, version, desired->addresses, PatchAnswer::metadata);
    if (gone(written.status())) co_return Status();
    if (!written.ok()) co_return written.status();
    state.resource_version = written->text("/metadata/resourceVersion");
    if (state.resource_version.empty()) co_return no_version();
  }
  KubePatch patch = node_patch(state.name, initialization_patch(state, *desired));
  const auto written = co_await host_.kube.patch(ctx, std::move(patch));
  if (gone(written.status())) co_return Status();
  if (!written.ok()) co_return written.status();
  initialized(node, state, *desired);
  co_return Status();
}

Task<Status> Controller::write_labels(Ctx ctx, Object node, Labels labels) {
  if (labels.empty()) co_return Status();
  KubePatch patch = node_patch(node.name(), label_patch(node.uid(), labels));
  const auto written = co_await host_.kube.patch(ctx, std::move(patch));
  if (gone(written.status())) co_return Status();
  co_return written.status();
}

// An unavailable cloud is no failure of this Node: the next round retries it (NODE-26).
Task<Status> Controller::refresh(Ctx ctx, Object node) {
  std::optional<Semaphore::Permit> permit;
  if (status_updates_) {
    auto acquired = co_await status_updates_->acquire();
    permit.emplace(std::move(acquired));
  }
  auto instance = co_await find_instance(ctx, node);
  if (!instance.ok()) {
    const Status& failure = instance.status();
    host_.log.v(2, "Left a node unchanged", {{"node", node.name()}, {"reason", failure}});
    if (elsewhere(failure)) co_return left_alone(failure.message(), failure.reason());
  } else {
    Status written = co_await write_refreshed(ctx, node, *std::move(instance));
    if (!written.ok()) co_return written;
  }
  if (node.text("/spec/providerID").empty()) co_return never_initialized();
  co_return Status();
}

Task<Status> Controller::write_refreshed(Ctx ctx, Object node, Instance instance) {
  const NodeState state = read_node(node);
  LabelChanges labels;
  if (refresh_labels_) labels = changed_labels(state.labels, instance, refresh_topology_);
  if (!labels.set.empty()) {
    const std::string text = text_of(labels.set);
    Status labelled = co_await write_labels(ctx, node, std::move(labels.set));
    if (!labelled.ok()) co_return labelled;
    host_.events.normal(node, "CloudLabelsChanged", "The cloud's instance changed: " + text);
  }
  report_topology(node, labels.differing);
  auto addresses = desired_addresses(state, instance.addresses);
  if (!addresses.ok()) {
    host_.log.warning("Left the addresses of a node unchanged",
                      {{"node", state.name}, {"reason", addresses.status()}});
    co_return Status();
  }
  report_families(node, one_family_text(state, instance.addresses, *addresses));
  if (!addresses_differ(state, *addresses)) co_return Status();
  report_restored(node, *addresses);
  const std::string any_version;
  const auto written =
      co_await write_addresses(ctx, node, any_version, *std::move(addresses), PatchAnswer::none);
  if (gone(written.status())) co_return Status();
  co_return written.status();
}

// Once for each difference, not in each round.
void Controller::report_topology(const Object& node, const Labels& differing) {
  const std::string name(node.name());
  if (differing.empty()) {
    contradicted_.erase(name);
    return;
  }
  std::string text = text_of(differing);
  if (std::exchange(contradicted_[name], text) == text) return;
  host_.events.warning(node, "CloudLabelsDiffer",
                       "The cloud says " + text +
                           ". The labels stay as they are, because volumes may be where they say; "
                           "correct them by hand, or with --refresh-node-labels=all");
}

// Once for each text, as for the topology.
void Controller::report_families(const Object& node, const std::string& text) {
  const std::string name(node.name());
  if (text.empty() || !dual_stack_) {
    one_family_.erase(name);
    return;
  }
  if (std::exchange(one_family_[name], text) == text) return;
  host_.events.warning(node, "OneIPFamily", text);
}

// An Event, once, when the addresses that this process wrote are replaced for the second time.
void Controller::report_restored(const Object& node, const std::vector<NodeAddress>& addresses) {
  Restored& restored = restored_[std::string(node.name())];
  const bool again = restored.addresses == addresses;
  restored.addresses = addresses;
  restored.at = host_.timer.now();
  if (!again || std::exchange(restored.reported, true)) return;
  host_.events.warning(node, "CloudAddressesOverwritten",
                       "Somebody replaces the addresses that the cloud gives this Node, most "
                       "likely a kubelet without --cloud-provider=external: start it with that "
                       "flag. Load balancers use those of the cloud meanwhile");
}

Task<Result<Object>> Controller::write_addresses(Ctx ctx, Object node, std::string version,
                                                 std::vector<NodeAddress> addresses,
                                                 PatchAnswer answer) {
  KubePatch patch = node_patch(node.name(), address_patch(node.uid(), version, addresses));
  patch.reference.subresource = "status";
  patch.answer = answer;
  auto written = co_await host_.kube.patch(ctx, std::move(patch));
  co_return written;
}

void Controller::initialized(const Object& object, const NodeState& node,
                             const DesiredState& desired) const {
  if (node.created) {
    const milliseconds age = host_.timer.wall_clock() - *node.created;
    const double seconds = std::max(static_cast<double>(age.count()) / 1e3, 0.0);
    taint_removal_delay_.record(seconds);
    initial_sync_delay_.record(seconds);
  }
  for (const RejectedLabel& label : desired.labels.rejected) {
    host_.log.warning("Skipped a label of the cloud",
                      {{"node", node.name}, {"label", label.key}, {"reason", label.why}});
    if (label.invalid) {
      host_.events.warning(
          object, "InvalidCloudLabel",
          "The cloud's label " + label.key + "=\"" + label.value + "\" was left out: " + label.why);
    }
  }
  host_.events.normal(object, "Synced", "The Node was initialised from the cloud's instance");
}

void Controller::report(const Object& node, const Status& status, uint32_t attempt) const {
  // An instance that is being created needs time.
  const bool waits = status.reason() == kInstanceNotReady;
  const bool due = waits ? attempt > 0 && attempt % kReportEvery == 0
                         : status.refused() || attempt % kReportEvery == kFirstReportedAttempt;
  if (!due || !(waits || concerns_one_node(status))) return;
  host_.events.warning(node, status.reason().empty() ? "FailedToInitializeNode" : status.reason(),
                       "The Node is not initialised: " + status.message());
}

}  // namespace ccm::node
