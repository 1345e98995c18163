#include "cloud/deletion/node_deletions.hpp"

#include "plugin/brake_reasons.hpp"
#include "plugin/waiting.hpp"

#include <algorithm>
#include <utility>

namespace ccm::cloud {

using std::chrono::milliseconds;

namespace {

constexpr std::string_view kNodes = "v1/nodes";
constexpr milliseconds kWhole{60'000};  // for a deletion without a time limit
constexpr milliseconds kLongestHold{60'000};
constexpr int kDeletes = 3;  // with conflicts

// The answer is lost, but the write may have been done.
bool may_have_happened(const Status& status) {
  return status.error_class() == ErrorClass::unavailable ||
         status.code() == Code::deadline_exceeded;
}

bool is_there(Standing standing) {
  return standing == Standing::exists || standing == Standing::unclear;
}

Status refused_deletion(std::string_view reason, std::string message) {
  return Status(Code::failed_precondition, std::move(message)).with_reason(std::string(reason));
}

// To be requested again.
Status waiting_deletion(std::string_view reason, std::string message) {
  return Status(Code::failed_precondition, ErrorClass::waiting, std::move(message))
      .with_reason(std::string(reason));
}

// Nothing is known, so it is requested again; not a failure of the deletion.
Status second_look_failed(const Status& cause) {
  return waiting_deletion("SecondLookFailed", "second look at the cloud: " + cause.message())
      .with_retry_after(cause.retry_after());
}

Status node_changed(const std::string& name) {
  return Status(Code::aborted, ErrorClass::conflict,
                "Node " + name + " was replaced since its deletion was requested")
      .with_reason("Conflict");
}

Status instance_exists(const std::string& name) {
  return refused_deletion("InstanceExists", "the cloud knows the instance of Node " + name);
}

Status node_is_ready(const std::string& name) {
  return refused_deletion("NodeIsReady", "Node " + name + " is Ready, so it is not deleted");
}

// It neither has a provider ID nor waits for one.
Status not_of_this_cloud(const std::string& name) {
  return refused_deletion("NotOfThisCloud",
                          "Node " + name +
                              " has no provider ID and does not wait for one, so its absence from "
                              "the cloud proves nothing");
}

// It has no provider ID, and this process never saw an instance of its name. `absence`:
// InstancesBroker::absence_text().
Status instance_never_seen(const std::string& name, const std::string& absence) {
  return waiting_deletion("InstanceNeverSeen",
                          "Node " + name +
                              " has no provider ID, and no instance of its name was ever seen, so "
                              "it is not deleted: " +
                              absence);
}

// The cloud's listings change between instances that come and go.
Status listing_incomplete() {
  return waiting_deletion("IncompleteListing",
                          "second look at the cloud: its list of instances is incomplete");
}

}  // namespace

// A Node on its way through the gate.
struct NodeDeletions::Candidate {
  Candidate(NodeDeletion deletion, runtime::TimePoint now)
      : request(std::move(deletion)),
        deadline(now + (request.asked.call.timeout > milliseconds(0) ? request.asked.call.timeout
                                                                     : kWhole)) {}

  const NodeDeletion request;
  const runtime::TimePoint deadline;
  NodeFacts node;
  bool unseen = false;             // in NodeView::unseen
  const char* ground = "deleted";  // for metrics
  Round* round = nullptr;          // while it decides on it
  InstanceAnswer answer;           // the look-up's
  std::coroutine_handle<> waiting;
};

// One observation of the cloud.
struct NodeDeletions::Round {
  Result<InstanceSnapshot::Ptr> listing{InstanceSnapshot::Ptr()};  // null: the provider has none
  std::optional<InstanceQuery> canary;
  Standing canary_standing = Standing::absent;
  Candidates asking;  // wait for a look-up

  [[nodiscard]] bool listed() const { return listing && *listing; }
};

// Until the round goes on with it.
struct NodeDeletions::Pause {
  Candidate& candidate;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) const { candidate.waiting = waiting; }
  void await_resume() const noexcept {}
};

NodeDeletions::NodeDeletions(Dependencies dependencies, BrakeOptions options)
    : deps_(std::move(dependencies)),
      brake_(options),
      unseen_brake_(options),
      held_(deps_.cache, deps_.timers) {}

NodeDeletions::~NodeDeletions() {
  if (round_timer_ != 0) deps_.timers.cancel(round_timer_);
  if (!broker_) return;
  broker_->on_found({});
  broker_->on_listing({});
}

void NodeDeletions::connect(std::shared_ptr<InstancesBroker> broker) {
  broker_ = std::move(broker);
  broker_->on_found([this](const InstanceQuery& query, const InstanceAnswer& answer) {
    note_found(query, answer);
  });
  broker_->on_listing(
      [this](const InstanceSnapshot::Ptr& instances) { heard_listing(*instances); });
}

void NodeDeletions::remove(NodeDeletion deletion) {
  auto done = std::move(deletion.done);
  running_.start(decide(std::move(deletion)), std::move(done));
}

Task<Result<std::string>> NodeDeletions::decide(NodeDeletion request) {
  Candidate candidate(std::move(request), deps_.timers.now());
  if (Status problem = identify(candidate); !problem.ok()) {
    co_await plugin::sleep(deps_.timers, milliseconds(0));
    co_return refuse(candidate, std::move(problem), "refused");
  }
  if (!observation_is_due(candidate)) {
    co_await plugin::sleep(deps_.timers, milliseconds(0));
    co_return hold(candidate, judgement_of(candidate));
  }

  // The second look at the cloud begins after the request.
  waiting_.push_back(&candidate);
  schedule_round();
  co_await Pause{candidate};
  Round& round = *candidate.round;
  if (!round.listing) {
    co_return refuse(candidate, second_look_failed(round.listing.status()), "unknown");
  }
  Standing standing = Standing::absent;
  if (round.listed()) {
    const InstanceSnapshot& instances = **round.listing;
    standing = standing_of(candidate.node, instances);
    if (is_there(standing)) {
      co_return refuse(candidate, instance_exists(candidate.node.name), "exists");
    }
    if (standing == Standing::absent &&
        (!instances.complete() || instances.may_lack(candidate.node.provider_id))) {
      co_return refuse(candidate, listing_incomplete(), "unknown");
    }
    if (Status over = limit(candidate, standing); !over.ok()) co_return over;
  }

  // The instance and a canary are looked up singly: a credential that lost its rights may get "not
  // found" for each. The cloud's word that this very instance was destroyed needs neither.
  if (standing == Standing::absent) {
    round.asking.push_back(&candidate);
    co_await Pause{candidate};
    if (!candidate.answer.status.ok()) {
      co_return give_back(candidate, second_look_failed(candidate.answer.status), "unknown");
    }
    standing = standing_of(candidate.answer.state());
    if (is_there(standing)) {
      co_return give_back(candidate, instance_exists(candidate.node.name), "exists");
    }
    // What is absent is counted only now when the provider cannot list.
    if (!round.listed()) {
      if (Status over = limit(candidate, standing); !over.ok()) co_return over;
    }
    if (standing == Standing::absent && round.canary_standing != Standing::exists &&
        !candidate.node.released) {
      brake_of(candidate).not_deleted(candidate.node.uid);
      co_return hold(candidate, {BrakeVerdict::blind, milliseconds(0)});
    }
  }
  if (standing == Standing::terminated) candidate.ground = "terminated";
  co_return co_await erase(candidate);
}

// Nothing may have happened to the Node between its last reading and the DELETE.
Task<Result<std::string>> NodeDeletions::erase(Candidate& candidate) {
  for (int tries = kDeletes;; --tries) {
    const Result<kube::ObjectPtr> fresh = co_await read_fresh(candidate);
    if (!fresh) co_return give_back(candidate, fresh.status(), "failed");
    Status problem = change_since(candidate, facts_of(*fresh));
    if (!problem.ok()) co_return give_back(candidate, std::move(problem), "refused");
    plugin::ObjectRequest deletion = candidate.request.asked;
    deletion.remove.uid = (*fresh)->uid();
    deletion.remove.resource_version = (*fresh)->resource_version();  // nothing happened since
    Result<std::string> answer =
        co_await plugin::answer_of(*candidate.request.api, std::move(deletion));
    const Status status = answer.status();
    if (status.error_class() == ErrorClass::conflict && tries > 1 &&
        candidate.request.asked.remove.resource_version.empty()) {
      continue;
    }
    if (answer || status.error_class() == ErrorClass::not_found) {
      held_.forget(candidate.node);
      note_deleted(candidate.node.name);
      deps_.telemetry.decided(candidate.ground);
      co_return answer;
    }
    if (may_have_happened(status)) co_return refuse(candidate, status, "failed");
    co_return give_back(candidate, status, "failed");
  }
}

// Why it cannot be judged; ok: it can.
Status NodeDeletions::identify(Candidate& candidate) const {
  const plugin::ObjectRequest& request = candidate.request.asked;
  if (!broker_ || (!broker_->can_list() && !broker_->can_confirm())) {
    return Status(Code::failed_precondition, ErrorClass::unsupported,
                  "no cloud can be asked whether the instance is gone, so no Node is deleted");
  }
  const auto cached = deps_.cache.get(kNodes, {}, request.name);
  if (!cached) {
    return Status(Code::unavailable, ErrorClass::unavailable,
                  "the cache does not hold Node " + request.name);
  }
  candidate.node = facts_of(cached);
  candidate.node.seen = sightings_.seen(*cached);
  candidate.unseen = !candidate.node.seen;
  return refusal(request, candidate.node);
}

Status NodeDeletions::refusal(const plugin::ObjectRequest& request, const NodeFacts& node) const {
  if (!request.remove.uid.empty() && request.remove.uid != node.uid) {
    return node_changed(request.name);
  }
  if (broker_->foreign(node.provider_id)) {
    return foreign_instance(node.provider_id);
  }
  if (node.deleting) {
    return Status(Code::not_found, ErrorClass::not_found,
                  "Node " + request.name + " is being deleted already");
  }
  if (node.ready) return node_is_ready(request.name);
  if (!node.provider_id.empty() || node.seen || node.released) return {};
  if (!node.of_cloud) return not_of_this_cloud(request.name);
  return instance_never_seen(request.name, broker_->absence_text(node.query()));
}

Status NodeDeletions::change_since(const Candidate& candidate, const NodeFacts& fresh) const {
  const NodeFacts& node = candidate.node;
  const std::string& wanted_version = candidate.request.asked.remove.resource_version;
  // A release that was taken back meanwhile counts: the brake has not judged this Node.
  if (fresh.uid != node.uid || fresh.provider_id != node.provider_id ||
      (node.released && !fresh.released) ||
      (!wanted_version.empty() && wanted_version != fresh.object->resource_version())) {
    return node_changed(node.name);
  }
  if (fresh.ready) return node_is_ready(node.name);
  if (!deps_.may_write()) {
    return refused_deletion("NotLeading", "this host does not hold the leader lease any more");
  }
  if (deps_.timers.now() < candidate.deadline) return {};
  return Status(Code::deadline_exceeded, "the caller that requested the deletion has given up");
}

Status NodeDeletions::limit(Candidate& candidate, Standing standing) {
  const NodeFacts& node = candidate.node;
  if (standing == Standing::absent && !node.of_cloud) {
    return refuse(candidate, not_of_this_cloud(node.name), "foreign");
  }
  Brake& brake = brake_of(candidate);
  // A deletion whose answer was lost, or a cache that lags: it is already counted.
  if (brake.is_deleting(node.uid)) return {};
  const BrakeJudgement judgement = judgement_of(candidate);
  if (node.released) {
    candidate.ground = "released";
  } else if (judgement.verdict != BrakeVerdict::pass) {
    return hold(candidate, judgement);
  } else if (!judgement.counts) {
    candidate.ground = "announced";
  }
  brake.deleting(node.uid, judgement.counts && !node.released, deps_.timers.now());
  return {};
}

Status NodeDeletions::hold(const Candidate& candidate, BrakeJudgement judgement) {
  ++held_in_round_;
  held_.hold(candidate.node);
  const bool limited =
      judgement.verdict == BrakeVerdict::over_limit || judgement.verdict == BrakeVerdict::too_early;
  const std::string message =
      "The Node is not deleted: " + why_held_back(candidate, judgement.verdict) +
      ". To let it go now: kubectl annotate node " + candidate.node.name + " " +
      std::string(kAllowDeletion) + "=true";
  deps_.telemetry.held(*candidate.node.object, message);
  const milliseconds pause = std::min(std::max(judgement.retry_after, milliseconds(1)), kHeldPause);
  return refuse(candidate,
                waiting_deletion(limited ? plugin::kDeletionHeld : plugin::kCloudViewBlind, message)
                    .with_retry_after(pause),
                limited ? "held" : "blind");
}

Status NodeDeletions::refuse(const Candidate& candidate, Status status, const char* decision) {
  if (status.error_class() != ErrorClass::waiting) held_.forget(candidate.node);
  deps_.telemetry.decided(decision);
  return status;
}

Status NodeDeletions::give_back(const Candidate& candidate, Status status, const char* decision) {
  brake_of(candidate).not_deleted(candidate.node.uid);
  return refuse(candidate, std::move(status), decision);
}

std::string NodeDeletions::why_held_back(const Candidate& candidate, BrakeVerdict verdict) const {
  const BrakeReport unseen = unseen_brake_.report(deps_.timers.now());
  if (candidate.unseen && unseen.engaged) {
    return why_held(verdict, unseen, unseen_brake_.options(), subject_unseen());
  }
  return why_held(verdict, report(), brake_.options(), subject_nodes());
}

Brake& NodeDeletions::brake_of(const Candidate& candidate) {
  return candidate.unseen ? unseen_brake_ : brake_;
}

// An answer that lacks too much is not believed about unseen Nodes either.
BrakeJudgement NodeDeletions::judgement_of(const Candidate& candidate) {
  const auto now = deps_.timers.now();
  const BrakeJudgement judgement = brake_of(candidate).judge(candidate.node.uid, now);
  if (!candidate.unseen || judgement.verdict != BrakeVerdict::pass) return judgement;
  const BrakeReport others = brake_.report(now);
  if (!others.engaged && !others.contradicted) return judgement;
  return {BrakeVerdict::over_limit, milliseconds(0)};
}

// A held Node does not cost a call to the cloud for each request of a controller.
bool NodeDeletions::observation_is_due(const Candidate& candidate) {
  const auto now = deps_.timers.now();
  if (candidate.node.released || !held_last_ || !last_round_) return true;
  if (now - *last_round_ >= observation_pause(true)) return true;
  if (brake_.report(now).blind) return false;
  const BrakeVerdict verdict = judgement_of(candidate).verdict;
  return verdict == BrakeVerdict::pass || verdict == BrakeVerdict::blind;
}

// About one call a second when many Nodes go one after the other, and fewer for held ones.
milliseconds NodeDeletions::observation_pause(bool held) const {
  const milliseconds price = std::chrono::seconds(broker_->listing_calls() - 1);
  if (!held) return price;
  return std::max(kHeldPause, std::min(price * 4, kLongestHold));
}

// Unseen Nodes that register again and again must not cost more than that.
milliseconds NodeDeletions::round_pause() const {
  const bool all_unseen = std::ranges::all_of(
      waiting_, [](const Candidate* candidate) { return !candidate->node.seen; });
  if (!all_unseen) return observation_pause(false);
  return std::min(kHeldPause * static_cast<int64_t>(broker_->listing_calls()), kLongestHold);
}

// Collects the requests of one moment.
void NodeDeletions::schedule_round() {
  if (round_runs_) return;
  const auto now = deps_.timers.now();
  const auto due = last_round_ ? std::max(*last_round_ + round_pause(), now) : now;
  if (round_timer_ != 0) {
    if (round_due_ <= due) return;
    deps_.timers.cancel(round_timer_);
  }
  round_due_ = due;
  round_timer_ = deps_.timers.after(std::chrono::ceil<milliseconds>(due - now), [this] {
    round_timer_ = 0;
    running_.start(observe_together(), plugin::ending_on_fault(deps_.timers));
  });
}

Task<void> NodeDeletions::observe_together() {
  round_runs_ = true;
  held_in_round_ = 0;
  last_round_ = deps_.timers.now();
  const Candidates candidates = std::exchange(waiting_, {});
  Round round;
  for (Candidate* candidate : candidates) candidate->round = &round;
  if (broker_->can_list()) {
    round.listing = co_await broker_->refresh();
  } else {
    note_sightings(nullptr);
  }
  if (round.listing) observe_listing(round, candidates);
  go_on(candidates);
  co_await look_up(round);
  if (round.listing && !round.listed()) observe_answers(round);
  go_on(round.asking);
  round_ended();
}

void NodeDeletions::round_ended() {
  round_runs_ = false;
  held_last_ = held_in_round_ > 0;
  held_.refresh();
  deps_.telemetry.observed(report());
  if (!waiting_.empty()) schedule_round();
}

// Each may end in this, but for those that ask further.
void NodeDeletions::go_on(Candidates candidates) {
  for (Candidate* candidate : candidates) std::exchange(candidate->waiting, nullptr).resume();
}

void NodeDeletions::observe_listing(Round& round, const Candidates& candidates) {
  std::unordered_set<std::string> wanted;
  for (const Candidate* candidate : candidates) wanted.insert(candidate->node.uid);
  const std::vector<NodeFacts> nodes = our_nodes();
  const NodeView view = view_of({nodes, round.listing->get(), wanted, spare_canaries_});
  round.canary = view.canary;
  for (Candidate* candidate : candidates) {
    candidate->unseen = view.unseen_uids.contains(candidate->node.uid);
  }
  if (!round.listed()) return;
  if ((*round.listing)->complete() || !view.observation.terminated.empty()) observe(view);
}

// The provider cannot list: the others are known only as far as they were asked for together.
void NodeDeletions::observe_answers(const Round& round) {
  NodeView view;
  view.observation.known = view.unseen.known = our_nodes().size();
  view.observation.sighted = view.unseen.sighted = round.canary_standing == Standing::exists;
  for (const Candidate* candidate : round.asking) {
    const Standing standing = standing_of(candidate->answer.state());
    if (is_there(standing)) continue;
    add_gone(candidate->unseen ? view.unseen : view.observation, candidate->node, standing);
  }
  observe(view);
}

void NodeDeletions::observe(const NodeView& view) {
  brake_.observe(view.observation, deps_.timers.now());
  unseen_brake_.observe(view.unseen, deps_.timers.now());
}

// Every listing, whatever it was made for, tells what was sighted; the brake sees a complete one
// while it holds deletions and no round runs.
void NodeDeletions::heard_listing(const InstanceSnapshot& instances) {
  note_sightings(&instances);
  if (deps_.cache.list(kNodes, {}).size() <= kSmallCluster) {
    auto picked = pick_spare_canaries(our_nodes(), instances);
    if (!picked.empty()) spare_canaries_ = std::move(picked);
  }
  // When instances are back their Nodes become Ready, and nobody asks for their deletion any more.
  if (round_runs_ || !instances.complete() || !report().engaged) return;
  held_.refresh();
  const std::vector<NodeFacts> nodes = our_nodes();
  observe(view_of({nodes, &instances, held_.uids(), spare_canaries_}));
  deps_.telemetry.observed(report());
}

// Once for each Node: the others are looked through for its instance.
void NodeDeletions::note_found(const InstanceQuery& query, const InstanceAnswer& answer) {
  if (!query.node || answer.state() == CCM_INSTANCE_TERMINATED || sightings_.seen(*query.node)) {
    return;
  }
  sightings_.found(*query.node, answer.snapshot->provider_id(answer.index),
                   deps_.cache.list(kNodes, {}));
}

// A cache that is not filled yet would make Nodes unseen that have long been there.
void NodeDeletions::note_sightings(const InstanceSnapshot* instances) {
  if (deps_.cache.state(kNodes) != plugin::CacheState::synced) return;
  sightings_.listed(deps_.cache.list(kNodes, {}), instances);
}

void NodeDeletions::note_deleted(const std::string& name) {
  const auto now = deps_.timers.now();
  std::erase_if(deleted_,
                [&](const auto& entry) { return now - entry.second > brake_.options().window; });
  deleted_[name] = now;
}

bool NodeDeletions::deleted(const std::string& name) const {
  const auto found = deleted_.find(name);
  return found != deleted_.end() && deps_.timers.now() - found->second <= brake_.options().window &&
         !deps_.cache.get(kNodes, {}, name);
}

void NodeDeletions::begin() {
  brake_.begin(deps_.timers.now());
  unseen_brake_.begin(deps_.timers.now());
}

BrakeReport NodeDeletions::report() const {
  BrakeReport report = brake_.report(deps_.timers.now());
  report.held = held_.names().size();
  report.engaged =
      report.engaged || unseen_brake_.report(deps_.timers.now()).engaged || report.held > 0;
  return report;
}

std::string NodeDeletions::summary() const {
  return describe(report(), brake_.options(), subject_nodes()) +
         describe_unseen(unseen_brake_.report(deps_.timers.now()), unseen_brake_.options());
}

std::string NodeDeletions::status_text() const {
  const auto held = held_.names();
  std::string text =
      describe(report(), brake_.options(), subject_nodes(), held) +
      describe_unseen(unseen_brake_.report(deps_.timers.now()), unseen_brake_.options());
  if (!held.empty()) {
    text += "; to let one go: kubectl annotate node NAME " + std::string(kAllowDeletion) + "=true";
  }
  return text;
}

std::vector<NodeFacts> NodeDeletions::our_nodes() const {
  std::vector<NodeFacts> nodes;
  for (const kube::ObjectPtr& object : deps_.cache.list(kNodes, {})) {
    NodeFacts facts = facts_of(object);
    facts.seen = sightings_.seen(*object);
    if (!broker_->foreign(facts.provider_id)) nodes.push_back(std::move(facts));
  }
  return nodes;
}

// All at once. Without single look-ups the listing itself was the second look.
Task<void> NodeDeletions::look_up(Round& round) {
  const bool singly = broker_->can_confirm();
  if (round.canary && !singly) round.canary_standing = Standing::exists;
  if (round.asking.empty() || !singly) co_return;
  std::vector<Task<InstanceAnswer>> looks;
  for (Candidate* candidate : round.asking) {
    looks.push_back(broker_->confirm(candidate->node.query()));
  }
  if (round.canary) looks.push_back(broker_->confirm(*round.canary));
  std::vector<InstanceAnswer> answers = co_await plugin::all_of(std::move(looks));
  if (round.canary) round.canary_standing = standing_of(answers.back().state());
  for (std::size_t index = 0; index < round.asking.size(); ++index) {
    round.asking[index]->answer = std::move(answers[index]);
  }
}

Task<Result<kube::ObjectPtr>> NodeDeletions::read_fresh(const Candidate& candidate) {
  plugin::ObjectRequest read = candidate.request.asked;
  read.verb = plugin::ObjectRequest::Verb::get;
  const Result<std::string> body =
      co_await plugin::answer_of(*candidate.request.api, std::move(read));
  if (!body) co_return body.status();
  co_return kube::Object::decode(*body);
}

namespace {

class GuardedObjectApi final : public plugin::ObjectApi {
 public:
  GuardedObjectApi(std::shared_ptr<plugin::ObjectApi> api, NodeDeletions& deletions)
      : api_(std::move(api)), deletions_(deletions) {}

  void send(plugin::ObjectRequest request, Done done) override {
    const kube::Resource& resource = request.resource;
    const bool node = resource.group.empty() && resource.plural == "nodes";
    if (node && request.verb == plugin::ObjectRequest::Verb::remove) {
      request.resource = kube::resources::nodes();
      request.namespace_name.clear();
      return deletions_.remove({api_, std::move(request), std::move(done)});
    }
    api_->send(std::move(request), std::move(done));
  }

 private:
  const std::shared_ptr<plugin::ObjectApi> api_;
  NodeDeletions& deletions_;
};

}  // namespace

std::shared_ptr<plugin::ObjectApi> guard_nodes(std::shared_ptr<plugin::ObjectApi> api,
                                               NodeDeletions& deletions) {
  return std::make_shared<GuardedObjectApi>(std::move(api), deletions);
}

}  // namespace ccm::cloud
