#include "cloud/deletion/node_deletions.hpp"

#include "cloud/deletion/brake_text.hpp"
#include "cloud/deletion/deletion_refusals.hpp"
#include "cloud/deletion/node_deletion_case.hpp"

#include <algorithm>
#include <utility>

namespace ccm::plugin {

using runtime::BrakeJudgement;
using runtime::BrakeVerdict;
using std::chrono::milliseconds;

namespace {

constexpr std::string_view kNodes = "v1/nodes";
constexpr milliseconds kWhole{60'000};  // of a deletion without a time limit
constexpr milliseconds kLongestHold{60'000};

}  // namespace

// The look-ups that follow one listing.
struct NodeDeletions::Round {
  Cases cases;
  std::vector<InstanceAnswer> answers;  // of cases[i]
  std::optional<InstanceQuery> canary;
  InstanceAnswer canary_answer;
  std::size_t open = 0;
  bool listed = false;
};

NodeDeletions::NodeDeletions(Dependencies dependencies, runtime::BrakeOptions options)
    : deps_(std::move(dependencies)),
      brake_(options),
      apart_(options),
      held_(deps_.cache, deps_.timers),
      self_(std::make_shared<NodeDeletions*>(this)) {}

NodeDeletions::~NodeDeletions() {
  if (round_timer_ != 0) deps_.timers.cancel(round_timer_);
}

void NodeDeletions::connect(std::shared_ptr<InstancesBroker> broker) {
  broker_ = std::move(broker);
  broker_->on_found(
      [weak = std::weak_ptr(self_)](const InstanceQuery& query, const InstanceAnswer& answer) {
        const auto self = weak.lock();
        // Once for each Node: the others are looked through for its instance.
        if (!self || !query.node || answer.state() == CCM_INSTANCE_TERMINATED ||
            (*self)->sightings_.seen(*query.node)) {
          return;
        }
        (*self)->sightings_.found(*query.node, answer.snapshot->provider_id(answer.index),
                                  (*self)->deps_.cache.list(kNodes, {}));
      });
  broker_->on_listing([weak = std::weak_ptr(self_)](const InstanceSnapshot::Ptr& instances) {
    if (const auto self = weak.lock()) (*self)->heard_listing(*instances);
  });
}

// Counts every listing, whatever it was made for.
void NodeDeletions::heard_listing(const InstanceSnapshot& instances) {
  note_sightings(&instances);
  if (deps_.cache.list(kNodes, {}).size() <= kSmallCluster) {
    auto picked = pick_witnesses(our_nodes(), instances);
    if (!picked.empty()) witnesses_ = std::move(picked);
  }
  // When instances are back their Nodes become Ready, and nobody asks for their deletion any more.
  if (round_runs_ || !instances.complete() || !report().engaged) return;
  held_.refresh();
  const std::vector<NodeFacts> nodes = our_nodes();
  observe(view_of({nodes, &instances, held_.uids(), witnesses_}));
  deps_.telemetry.observed(report());
}

// A cache that is not filled yet would make strangers of Nodes that have long been there.
void NodeDeletions::note_sightings(const InstanceSnapshot* instances) {
  if (deps_.cache.state(kNodes) != CacheState::synced) return;
  sightings_.listed(deps_.cache.list(kNodes, {}), instances);
}

void NodeDeletions::observe(const NodeView& view) {
  brake_.observe(view.observation, deps_.timers.now());
  apart_.observe(view.apart, deps_.timers.now());
}

runtime::Brake& NodeDeletions::brake_of(const Case& one) { return one.apart ? apart_ : brake_; }

// An answer that lacks too much is not believed about strangers either.
BrakeJudgement NodeDeletions::judgement_of(const Case& one) {
  const auto now = deps_.timers.now();
  const BrakeJudgement judgement = brake_of(one).judge(one.node.uid, now);
  if (!one.apart || judgement.verdict != BrakeVerdict::pass) return judgement;
  const runtime::BrakeReport others = brake_.report(now);
  if (!others.engaged && !others.contradicted) return judgement;
  return {BrakeVerdict::over_limit, milliseconds(0)};
}

void NodeDeletions::begin() {
  brake_.begin(deps_.timers.now());
  apart_.begin(deps_.timers.now());
}

runtime::BrakeReport NodeDeletions::report() const {
  runtime::BrakeReport report = brake_.report(deps_.timers.now());
  report.held = held_.names().size();
  report.engaged = report.engaged || apart_.report(deps_.timers.now()).engaged || report.held > 0;
  return report;
}

std::string NodeDeletions::summary() const {
  return describe(report(), brake_.options(), subject_nodes()) +
         describe_strangers(apart_.report(deps_.timers.now()), apart_.options());
}

std::string NodeDeletions::status_text() const {
  const auto held = held_.names();
  std::string text = describe(report(), brake_.options(), subject_nodes(), held) +
                     describe_strangers(apart_.report(deps_.timers.now()), apart_.options());
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

Status NodeDeletions::refusal(const NodeDeletion& deletion, const NodeFacts& node) const {
  if (!deletion.options.uid.empty() && deletion.options.uid != node.uid) {
    return node_changed(deletion.name);
  }
  if (broker_->foreign(node.provider_id)) {
    return foreign_instance(node.provider_id);
  }
  if (node.deleting) {
    return Status(Code::not_found, ErrorClass::not_found,
                  "Node " + deletion.name + " is being deleted already");
  }
  if (node.ready) return node_is_ready(deletion.name);
  if (!node.provider_id.empty() || node.seen || node.released) return {};
  if (!node.of_cloud) return not_of_this_cloud(deletion.name);
  return instance_never_seen(deletion.name, broker_->absence_text(node.query()));
}

void NodeDeletions::remove(NodeDeletion deletion) {
  const auto now = deps_.timers.now();
  auto one = std::make_shared<Case>();
  const auto cached = deps_.cache.get(kNodes, {}, deletion.name);
  one->deadline = now + (deletion.call.timeout > milliseconds(0) ? deletion.call.timeout : kWhole);
  one->deletion = std::move(deletion);
  Status problem;
  if (!broker_ || (!broker_->can_list() && !broker_->can_confirm())) {
    problem = Status(Code::failed_precondition, ErrorClass::unsupported,
                     "no cloud can be asked whether the instance is gone, so no Node is deleted");
  } else if (!cached) {
    problem = Status(Code::unavailable, ErrorClass::unavailable,
                     "the cache does not hold Node " + one->deletion.name);
  } else {
    one->node = facts_of(cached);
    one->node.seen = sightings_.seen(*cached);
    one->apart = !one->node.seen;
    problem = refusal(one->deletion, one->node);
  }
  if (problem.ok() && observation_is_due(*one)) {
    waiting_.push_back(one);
    return schedule_round();
  }
  // Not inside this call.
  deps_.timers.after(milliseconds(0), [weak = std::weak_ptr(self_), one, problem] {
    const auto self = weak.lock();
    if (!self) return;
    if (!problem.ok()) return (*self)->fail(one, problem, "refused");
    (*self)->hold(one, (*self)->judgement_of(*one));
  });
}

// A held Node does not cost a call to the cloud for each request of a controller.
bool NodeDeletions::observation_is_due(const Case& one) {
  const auto now = deps_.timers.now();
  if (one.node.released || !held_last_ || !last_round_) return true;
  if (now - *last_round_ >= observation_pause(true)) return true;
  if (brake_.report(now).blind) return false;
  const BrakeVerdict verdict = judgement_of(one).verdict;
  return verdict == BrakeVerdict::pass || verdict == BrakeVerdict::blind;
}

// About one call a second when many Nodes go one after the other, and fewer for held ones.
milliseconds NodeDeletions::observation_pause(bool held) const {
  const milliseconds price = std::chrono::seconds(broker_->listing_calls() - 1);
  if (!held) return price;
  return std::max(kHeldPause, std::min(price * 4, kLongestHold));
}

// Strangers that register again and again must not cost more than that.
milliseconds NodeDeletions::round_pause() const {
  const bool strangers = std::all_of(waiting_.begin(), waiting_.end(),
                                     [](const CasePtr& one) { return !one->node.seen; });
  if (!strangers) return observation_pause(false);
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
    begin_round();
  });
}

void NodeDeletions::begin_round() {
  round_runs_ = true;
  held_in_round_ = 0;
  last_round_ = deps_.timers.now();
  Cases cases = std::exchange(waiting_, {});
  if (!broker_->can_list()) {
    note_sightings(nullptr);
    return listed(cases, InstanceSnapshot::Ptr());
  }
  broker_->refresh([weak = std::weak_ptr(self_), cases](const Result<InstanceSnapshot::Ptr>& all) {
    if (const auto self = weak.lock()) (*self)->listed(cases, all);
  });
}

void NodeDeletions::end_round() {
  round_runs_ = false;
  held_last_ = held_in_round_ > 0;
  held_.refresh();
  deps_.telemetry.observed(report());
  if (!waiting_.empty()) schedule_round();
}

void NodeDeletions::listed(const Cases& cases, const Result<InstanceSnapshot::Ptr>& listing) {
  if (!listing) {
    for (const CasePtr& one : cases) {
      fail(one, second_look_failed(listing.status()), "unknown");
    }
    return end_round();
  }
  auto round = std::make_shared<Round>();
  round->listed = *listing != nullptr;
  std::unordered_set<std::string> wanted;
  for (const CasePtr& one : cases) wanted.insert(one->node.uid);
  const std::vector<NodeFacts> nodes = our_nodes();
  const NodeView view = view_of({nodes, listing->get(), wanted, witnesses_});
  round->canary = view.canary;
  for (const CasePtr& one : cases) one->apart = view.apart_uids.contains(one->node.uid);
  if (round->listed) {
    if ((*listing)->complete() || !view.observation.terminated.empty()) observe(view);
    judge_listed(cases, round, **listing);
  } else {
    round->cases = cases;
  }
  look_up(round);
}

void NodeDeletions::judge_listed(const Cases& cases, const RoundPtr& round,
                                 const InstanceSnapshot& instances) {
  for (const CasePtr& one : cases) {
    switch (standing_of(one->node, instances)) {
      case Standing::exists:
      case Standing::unclear:
        fail(one, instance_exists(one->node.name), "exists");
        break;
      case Standing::terminated:
        // The cloud's word about this very instance needs no canary.
        if (!judge_gone(one)) break;
        one->ground = "terminated";
        read_fresh(one);
        break;
      case Standing::absent:
        if (!instances.complete() || instances.may_lack(one->node.provider_id)) {
          fail(one, listing_incomplete(), "unknown");
        } else if (judge_absent(one)) {
          round->cases.push_back(one);
        }
        break;
    }
  }
}

bool NodeDeletions::judge_absent(const CasePtr& one) {
  if (one->node.of_cloud) return judge_gone(one);
  fail(one, not_of_this_cloud(one->node.name), "foreign");
  return false;
}

bool NodeDeletions::judge_gone(const CasePtr& one) {
  runtime::Brake& brake = brake_of(*one);
  // A deletion whose answer was lost, or a cache that lags: it is already counted.
  if (brake.is_deleting(one->node.uid)) return true;
  const BrakeJudgement judgement = judgement_of(*one);
  if (one->node.released) {
    one->ground = "released";
  } else if (judgement.verdict != BrakeVerdict::pass) {
    hold(one, judgement);
    return false;
  } else if (!judgement.counts) {
    one->ground = "announced";
  }
  brake.deleting(one->node.uid, judgement.counts && !one->node.released, deps_.timers.now());
  return true;
}

// One call for each Node and one for the canary: a credential that lost its rights may get "not
// found" for each.
void NodeDeletions::look_up(const RoundPtr& round) {
  round->answers.resize(round->cases.size());
  if (round->cases.empty() || !broker_->can_confirm()) return looked_up(round);
  round->open = round->cases.size() + 1;
  const auto ended = [weak = std::weak_ptr(self_), round] {
    const auto self = weak.lock();
    if (self && --round->open == 0) (*self)->looked_up(round);
  };
  for (std::size_t index = 0; index < round->cases.size(); ++index) {
    broker_->confirm(round->cases[index]->node.query(),
                     [round, index, ended](const InstanceAnswer& answer) {
                       round->answers[index] = answer;
                       ended();
                     });
  }
  if (!round->canary) return ended();
  broker_->confirm(*round->canary, [round, ended](const InstanceAnswer& answer) {
    round->canary_answer = answer;
    ended();
  });
}

void NodeDeletions::looked_up(const RoundPtr& round) {
  if (!round->listed) {
    conclude_without_listing(round);
    return end_round();
  }
  // Without single look-ups the listing itself was the second look.
  const bool asked = broker_->can_confirm();
  const Standing canary =
      !round->canary ? Standing::absent
                     : (asked ? standing_of(round->canary_answer.state()) : Standing::exists);
  for (std::size_t index = 0; index < round->cases.size(); ++index) {
    conclude(round->cases[index], round->answers[index], canary);
  }
  end_round();
}

// The provider cannot list: the others are known only as far as they were asked for together.
void NodeDeletions::conclude_without_listing(const RoundPtr& round) {
  NodeView view;
  view.observation.known = view.apart.known = our_nodes().size();
  const bool sighted =
      round->canary && standing_of(round->canary_answer.state()) == Standing::exists;
  view.observation.sighted = view.apart.sighted = sighted;
  for (std::size_t index = 0; index < round->cases.size(); ++index) {
    const Standing standing = standing_of(round->answers[index].state());
    if (standing != Standing::absent && standing != Standing::terminated) continue;
    const Case& one = *round->cases[index];
    add_gone(one.apart ? view.apart : view.observation, one.node, standing);
  }
  observe(view);
  for (std::size_t index = 0; index < round->cases.size(); ++index) {
    const CasePtr& one = round->cases[index];
    const Standing standing = standing_of(round->answers[index].state());
    if (standing == Standing::absent && !judge_absent(one)) continue;
    if (standing == Standing::terminated && !judge_gone(one)) continue;
    conclude(one, round->answers[index], sighted ? Standing::exists : Standing::absent);
  }
}

}  // namespace ccm::plugin
