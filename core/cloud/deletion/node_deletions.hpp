// The gate that every deletion of a Node by any component passes: a second observation of the cloud
// that began after the request, a canary that shows whether this observation can be believed, the
// brake for many absences at once, and a fresh read of the Node with preconditions on its UID and
// resourceVersion. No component can bypass it: the kube service deletes Nodes only through
// GuardedObjectApi. Loop thread.
#pragma once

#include "cloud/broker/instances_broker.hpp"
#include "cloud/deletion/deletion_telemetry.hpp"
#include "cloud/deletion/held_nodes.hpp"
#include "cloud/deletion/node_view.hpp"
#include "cloud/deletion/sightings.hpp"
#include "plugin/host_services/kube_access.hpp"
#include "runtime/brake.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::plugin {

// One deletion that a component requests.
struct NodeDeletion {
  std::shared_ptr<ObjectApi> api;  // with the component's identity
  std::string name;
  kube::DeleteOptions options;
  kube::CallOptions call;  // `timeout` bounds the whole of it
  // Failures of the gate itself, by reason: waiting "DeletionHeld", "CloudViewBlind" and
  // "SecondLookFailed" and "InstanceNeverSeen", to be requested again; failed_precondition
  // "MachineExists" and "NodeIsReady"; aborted/conflict for a Node that was replaced;
  // unimplemented/unsupported "ForeignProviderID"; else the API server's. ok and not_found: it is
  // gone.
  ObjectApi::Done done;
};

class NodeDeletions {
 public:
  struct Dependencies {
    const ObjectCache& cache;  // keeps node_fact_fields() of v1/nodes
    runtime::Timers& timers;
    std::function<bool()> may_write;
    DeletionTelemetry& telemetry;
  };

  // The references in `dependencies` must outlive it.
  NodeDeletions(Dependencies dependencies, runtime::BrakeOptions options);
  ~NodeDeletions();
  NodeDeletions(const NodeDeletions&) = delete;
  NodeDeletions& operator=(const NodeDeletions&) = delete;

  // Without a broker every deletion is refused: there is no cloud to ask.
  void connect(std::shared_ptr<InstancesBroker> broker);
  // This process leads.
  void begin();

  // `done` is called once, not inside this call.
  void remove(NodeDeletion deletion);

  // Held are those whose deletion was requested; engaged means that any are held.
  [[nodiscard]] runtime::BrakeReport report() const;
  // The Node of that name passed this gate within BrakeOptions::window, and no longer exists.
  [[nodiscard]] bool deleted(const std::string& name) const;
  // One line for people, without names, as anybody may read it.
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] std::string status_text() const;

 private:
  struct Case;
  using CasePtr = std::shared_ptr<Case>;
  using Cases = std::vector<CasePtr>;
  struct Round;
  using RoundPtr = std::shared_ptr<Round>;

  void heard_listing(const InstanceSnapshot& instances);
  void note_sightings(const InstanceSnapshot* instances);
  void observe(const NodeView& view);
  [[nodiscard]] runtime::Brake& brake_of(const Case& one);
  [[nodiscard]] runtime::BrakeJudgement judgement_of(const Case& one);
  // Why it cannot be judged; ok: it can.
  [[nodiscard]] Status refusal(const NodeDeletion& deletion, const NodeFacts& node) const;
  [[nodiscard]] bool observation_is_due(const Case& one);
  void schedule_round();
  void begin_round();
  void end_round();
  void listed(const Cases& cases, const Result<InstanceSnapshot::Ptr>& listing);
  void judge_listed(const Cases& cases, const RoundPtr& round, const InstanceSnapshot& instances);
  // Whether it may go on; else it has its answer.
  bool judge_absent(const CasePtr& one);
  bool judge_gone(const CasePtr& one);  // or terminated
  void look_up(const RoundPtr& round);
  void looked_up(const RoundPtr& round);
  void conclude_without_listing(const RoundPtr& round);
  void conclude(const CasePtr& one, const InstanceAnswer& answer, Standing canary);

  void read_fresh(const CasePtr& one);
  void send(const CasePtr& one, const NodeFacts& fresh);
  void sent(const CasePtr& one, Result<std::string> answer);

  void note_deleted(const std::string& name);
  void hold(const CasePtr& one, runtime::BrakeJudgement judgement);
  [[nodiscard]] std::string why_held_back(const Case& one, runtime::BrakeVerdict verdict) const;
  void fail(const CasePtr& one, Status status, const char* decision);
  void end(const CasePtr& one, Result<std::string> result);
  [[nodiscard]] std::vector<NodeFacts> our_nodes() const;
  [[nodiscard]] std::chrono::milliseconds observation_pause(bool held) const;
  [[nodiscard]] std::chrono::milliseconds round_pause() const;

  // Between two observations while all requested deletions are held.
  static constexpr std::chrono::milliseconds kHeldPause{10'000};

  Dependencies deps_;
  runtime::Brake brake_;
  runtime::Brake apart_;  // of Nodes that prove nothing (NodeView::apart)
  HeldNodes held_;
  Sightings sightings_;
  std::map<std::string, runtime::TimePoint> deleted_;  // by name
  std::shared_ptr<InstancesBroker> broker_;
  std::vector<std::string> witnesses_;
  Cases waiting_;
  bool round_runs_ = false;
  runtime::Timers::Id round_timer_ = 0;
  runtime::TimePoint round_due_;
  std::size_t held_in_round_ = 0;
  bool held_last_ = false;
  std::optional<runtime::TimePoint> last_round_;
  std::shared_ptr<NodeDeletions*> self_;
};

}  // namespace ccm::plugin
