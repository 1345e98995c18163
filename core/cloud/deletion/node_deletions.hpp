// The gate that every deletion of a Node by any component passes: a second observation of the cloud
// that began after the request, a canary that shows whether this observation can be believed, the
// brake for many absences at once, and a fresh read of the Node with preconditions on its UID and
// resourceVersion. No component can bypass it: the kube service deletes Nodes only through
// guard_nodes(). NodeDeletions::decide() is the decision from top to bottom: it waits for a
// listing and look-ups that deletions share, and erase() carries it out. Loop thread.
#pragma once

#include "cloud/broker/instances_broker.hpp"
#include "cloud/deletion/brake.hpp"
#include "cloud/deletion/deletion_telemetry.hpp"
#include "cloud/deletion/node_view.hpp"
#include "plugin/host_services/kube_access.hpp"
#include "runtime/timers.hpp"

#include <ccm/scope.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::cloud {

// One deletion that a component requests.
struct NodeDeletion {
  std::shared_ptr<plugin::ObjectApi> api;  // with the component's identity
  plugin::ObjectRequest asked;             // `call.timeout` bounds the whole of it
  // Failures of the gate itself, by reason: waiting "DeletionHeld", "CloudViewBlind",
  // "SecondLookFailed", "IncompleteListing" and "InstanceNeverSeen", to be requested again;
  // failed_precondition "InstanceExists", "NodeIsReady", "NotOfThisCloud" and "NotLeading";
  // aborted/conflict for a Node that was replaced; unimplemented/unsupported "ForeignProviderID";
  // else the API server's. ok: it is gone. not_found: it is gone, or is being deleted already.
  plugin::ObjectApi::Done done;
};

class NodeDeletions {
 public:
  struct Dependencies {
    const plugin::ObjectCache& cache;  // keeps node_fact_fields() of v1/nodes
    runtime::Timers& timers;
    std::function<bool()> may_write;
    DeletionTelemetry& telemetry;
  };

  // The references in `dependencies` must outlive it.
  NodeDeletions(Dependencies dependencies, BrakeOptions options);
  ~NodeDeletions();
  NodeDeletions& operator=(NodeDeletions&&) = delete;

  // Without a broker every deletion is refused: there is no cloud to ask.
  void connect(std::shared_ptr<InstancesBroker> broker);
  // This process leads.
  void begin();

  // `done` is called once, not inside this call.
  void remove(NodeDeletion deletion);

  // Held are those whose deletion was requested; engaged means that any are held.
  [[nodiscard]] BrakeReport report() const;
  // The Node of that name passed this gate within BrakeOptions::window, and no longer exists.
  [[nodiscard]] bool deleted(const std::string& name) const;
  // One line for people, without names, as anybody may read it.
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] std::string status_text() const;

 private:
  struct Candidate;
  using Candidates = std::vector<Candidate*>;  // they live in the coroutines that decide on them
  struct Round;
  struct Pause;

  // One deletion, from the request to its answer.
  Task<Result<std::string>> decide(NodeDeletion request);
  // The observation for all deletions that are requested at one moment.
  Task<void> observe_together();
  Task<Result<std::string>> erase(Candidate& candidate);

  [[nodiscard]] Status identify(Candidate& candidate) const;
  [[nodiscard]] Status refusal(const plugin::ObjectRequest& request, const NodeFacts& node) const;
  [[nodiscard]] Status change_since(const Candidate& candidate, const NodeFacts& fresh) const;
  // Counts it as deleted; else it has its answer.
  Status limit(Candidate& candidate, Standing standing);
  Status hold(const Candidate& candidate, BrakeJudgement judgement);
  Status refuse(const Candidate& candidate, Status status, const char* decision);
  // As refuse(), and it does not count as deleted.
  Status give_back(const Candidate& candidate, Status status, const char* decision);
  [[nodiscard]] std::string why_held_back(const Candidate& candidate, BrakeVerdict verdict) const;
  [[nodiscard]] Brake& brake_of(const Candidate& candidate);
  [[nodiscard]] BrakeJudgement judgement_of(const Candidate& candidate);

  [[nodiscard]] bool observation_is_due(const Candidate& candidate);
  [[nodiscard]] std::chrono::milliseconds observation_pause(bool held) const;
  [[nodiscard]] std::chrono::milliseconds round_pause() const;
  void schedule_round();
  void round_ended();
  static void go_on(Candidates candidates);
  void observe_listing(Round& round, const Candidates& candidates);
  void observe_answers(const Round& round);
  void observe(const NodeView& view);
  void heard_listing(const InstanceSnapshot& instances);
  void note_found(const InstanceQuery& query, const InstanceAnswer& answer);
  void note_sightings(const InstanceSnapshot* instances);
  void note_deleted(const std::string& name);
  [[nodiscard]] std::vector<NodeFacts> our_nodes() const;

  // What the coroutines wait for.
  Task<void> look_up(Round& round);
  Task<Result<kube::ObjectPtr>> read_fresh(const Candidate& candidate);

  // Between two observations for a deletion while the last round held one.
  static constexpr std::chrono::milliseconds kHeldPause{10'000};

  Dependencies deps_;
  Brake brake_;
  Brake unseen_brake_;  // for Nodes that prove nothing (NodeView::unseen)
  HeldNodes held_;
  Sightings sightings_;
  std::map<std::string, runtime::TimePoint> deleted_;  // by name
  std::shared_ptr<InstancesBroker> broker_;
  std::vector<std::string> spare_canaries_;
  Candidates waiting_;
  bool round_runs_ = false;
  runtime::Timers::Id round_timer_ = 0;
  runtime::TimePoint round_due_;
  std::size_t held_in_round_ = 0;
  bool held_last_ = false;
  std::optional<runtime::TimePoint> last_round_;
  Scope running_;  // last: its coroutines use the others
};

// `api` with deletions of Nodes routed through `deletions`, which must outlive the result.
std::shared_ptr<plugin::ObjectApi> guard_nodes(std::shared_ptr<plugin::ObjectApi> api,
                                               NodeDeletions& deletions);

}  // namespace ccm::cloud
