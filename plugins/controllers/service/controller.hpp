// service-lb-controller: gives each Service of type LoadBalancer a load balancer of the cloud,
// keeps it as the Service says and its backends as the Nodes are, and takes it away again.
// [serial]
//
// The host's queue reconciles one Service once at a time, so creating, changing the backends and
// deleting never overlap (TRAP-12). Nothing waits inside a reconcile for the cloud to finish: the
// Service comes back later, and says in a condition what it waits for.
#pragma once

#include "backends.hpp"
#include "decision.hpp"
#include "intent.hpp"
#include "node_pass.hpp"
#include "patches.hpp"
#include "record.hpp"
#include "service_state.hpp"
#include "settings.hpp"
#include "time_to_address.hpp"

#include <ccm/controller.hpp>
#include <ccm/host.hpp>
#include <ccm/semaphore.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ccm::service {

class Controller {
 public:
  explicit Controller(Host& host);

  // Unimplemented when the provider has no load balancers (SVC-1).
  Status setup(Setup& setup);
  Task<Result<ReconcileResult>> reconcile(Ctx ctx, Request request);

 private:
  // One turn of one Service. Shared with a try that the host gave up and that has yet to notice.
  struct Turn {
    std::string key;
    std::shared_ptr<Record> record;
    Object object;
    ServiceState service;
    Surroundings surroundings;
    LoadBalancerService intent;
    BackendSet backends;
    uint64_t hash = 0;
  };
  using TurnPtr = std::shared_ptr<Turn>;

  // controller.cpp
  void on_service(EventKind kind, const Object& old, const Object& now, const Queue& queue);
  void on_update(const Object& old, const Object& now, const Queue& queue);
  void note_need(const ServiceState& before, const Object& object, const ServiceState& service);
  void on_node(EventKind kind, const Object& old, const Object& now, const Queue& queue);
  Task<Status> learn_limits(Ctx ctx);
  [[nodiscard]] Object cached(std::string_view key) const;
  Task<Status> take_turn(Ctx ctx, std::string key);
  std::shared_ptr<Record> record_of(const std::string& key, const std::string& uid);
  TurnPtr begin(std::string key, std::shared_ptr<Record> record, Object object) const;
  const BackendSet& backends();
  [[nodiscard]] ReconcileResult next_turn(const std::string& key) const;

  // ensure.cpp: the ensure branch (SVC-20 to SVC-28) and changes of Nodes.
  Task<Status> keep(Ctx ctx, TurnPtr turn);
  Task<Status> look(Ctx ctx, TurnPtr turn);
  Task<Status> ensure(Ctx ctx, TurnPtr turn);
  // `ensure` of the provider; once more, as a takeover, where it met somebody else's load balancer
  // and the administrator lets this Service have it.
  Task<Result<LoadBalancer>> ask(Ctx ctx, TurnPtr turn);
  Task<Result<LoadBalancer>> ask_once(Ctx ctx, TurnPtr turn);
  Task<Status> update_backends(Ctx ctx, TurnPtr turn);
  Task<Status> add_finalizer(Ctx ctx, TurnPtr turn);
  Task<Status> take_answer(Ctx ctx, TurnPtr turn, LoadBalancer answer);
  Task<Status> pending(Ctx ctx, TurnPtr turn, LoadBalancer answer);
  Task<Status> settle(Ctx ctx, TurnPtr turn);
  Task<Status> left_to_others(TurnPtr turn);
  void announce(const TurnPtr& turn) const;
  void remember(const TurnPtr& turn, const LoadBalancer& answer) const;
  void applied(const TurnPtr& turn) const;
  static Status foreign(const Turn& turn);
  static Status adoption_refused(const Turn& turn);
  [[nodiscard]] bool may_adopt(const Turn& turn, std::string_view id) const;
  [[nodiscard]] bool another_has(const Turn& turn, std::string_view id) const;
  [[nodiscard]] ServicePatch annotated(const Turn& turn) const;

  // clean_up.cpp: the delete branch (SVC-29 to SVC-36).
  Task<Status> clean_up(Ctx ctx, TurnPtr turn);
  Task<Status> let_go(Ctx ctx, TurnPtr turn, bool deleted);
  Task<Status> remove_vanished(Ctx ctx, TurnPtr turn);
  void tell_deleted(const Turn& turn) const;
  void tell_braked(const Turn& turn, const Status& why) const;
  void tell_not_owned(const Turn& turn) const;
  void tell_kept(const Turn& turn, const Status& why) const;

  // reporting.cpp
  Task<Status> write(Ctx ctx, TurnPtr turn, ServicePatch patch);
  // Tells of a failure by Event (`reason`; empty = none) and condition, and says when to come back.
  Task<Status> fail(Ctx ctx, TurnPtr turn, Status status, std::string_view reason,
                    bool with_condition);
  // Nothing is wrong, but the cloud needs time.
  Task<Status> wait(Ctx ctx, TurnPtr turn, Status status, std::string_view reason,
                    ServicePatch patch);
  void hold(const Turn& turn, const Status& status) const;

  Host& host_;
  const Events events_;
  Metric updates_;          // MET-4
  Metric failed_updates_;   // MET-5
  NodePass pass_;           // MET-6
  Metric update_duration_;  // MET-7
  TimeToAddress time_to_address_;
  Settings settings_;
  Semaphore limits_turn_;
  Status limits_failure_;  // of the last question
  std::chrono::milliseconds limits_failed_{0};
  std::optional<std::string> id_annotation_;  // from the first reconcile on
  std::unordered_map<std::string, std::shared_ptr<Record>> records_;
  std::optional<BackendSet> backends_;  // empty = Nodes changed since
};

}  // namespace ccm::service
