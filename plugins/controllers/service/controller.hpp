// service-lb-controller: creates a load balancer of the cloud for each Service of type
// LoadBalancer, keeps it in sync with the Service and its backends in sync with the Nodes, and
// deletes it. [serial]
//
// The host's queue reconciles one Service once at a time, so creating, changing the backends and
// deleting never overlap (TRAP-12). No reconcile waits for the cloud to finish: the Service is
// requeued, and a condition says what it waits for.
#pragma once

#include "backends.hpp"
#include "decision.hpp"
#include "intent.hpp"
#include "members.hpp"
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
  // One reconcile of one Service. An attempt whose deadline has passed may still hold it.
  struct Sync {
    std::string key;
    std::shared_ptr<Record> record;
    Object object;
    ServiceState service;  // after a write the answer, which may hold a change by somebody else
    IntentOptions options;
    LoadBalancerService intent;
    // The state that `intent` was made from, with the annotations that were written since.
    ServiceState requested;
    Members::Set backends;
    uint64_t hash = 0;
  };
  using SyncPtr = std::shared_ptr<Sync>;

  // Which events count, one reconcile of one Service, changes of Nodes.
  void on_service(EventKind kind, const Object& old, const Object& now, const Queue& queue);
  void on_update(const Object& old, const Object& now, const Queue& queue);
  void note_need(const ServiceState& before, const Object& object, const ServiceState& service);
  void on_node(EventKind kind, const Object& old, const Object& now, const Queue& queue);
  Task<Status> learn_limits(Ctx ctx);
  [[nodiscard]] Object cached(std::string_view key) const;
  void erase_record(const std::string& key);
  Task<Status> sync_service(Ctx ctx, std::string key);
  std::shared_ptr<Record> record_of(const std::string& key, const std::string& uid);
  SyncPtr begin(std::string key, std::shared_ptr<Record> record, Object object) const;
  // Before a Service gets its members: what the cloud has to be asked first. Failure: nothing may
  // be concluded yet.
  Task<Status> know_nodes(Ctx ctx);
  // A change of Nodes: has the Services come whose backends it changes.
  Task<Status> sync_nodes(Ctx ctx);
  [[nodiscard]] ReconcileResult next_audit(const std::string& key) const;

  // The ensure branch (SVC-20 to SVC-28) and changes of Nodes.
  Task<Status> sync_load_balancer(Ctx ctx, SyncPtr sync);
  Task<Status> observe_cloud(Ctx ctx, SyncPtr sync);
  Task<Status> ensure(Ctx ctx, SyncPtr sync);
  // `ensure` of the provider; once more, as a takeover, where it met somebody else's load balancer
  // and the administrator allows this Service to take it over.
  Task<Result<LoadBalancer>> ask(Ctx ctx, SyncPtr sync);
  Task<Result<LoadBalancer>> ask_once(Ctx ctx, SyncPtr sync);
  Task<Status> update_backends(Ctx ctx, SyncPtr sync);
  // Nodes do not wait with a change that waits for its turn: the load balancer that exists follows
  // them.
  Task<Status> follow_nodes(Ctx ctx, SyncPtr sync);
  Task<Status> keep_members(Ctx ctx, SyncPtr sync);
  Task<Status> hold_members(Ctx ctx, SyncPtr sync, Status held);
  // Why no Node takes its traffic; empty = some do.
  static std::string no_members(const Sync& sync);
  void tell_no_members(const SyncPtr& sync) const;
  static void add_why_none(const Sync& sync, Status& failed);
  // Something in the cloud serves it, as far as known.
  [[nodiscard]] bool exists(const Sync& sync) const;
  Task<Status> record_partial(Ctx ctx, SyncPtr sync, Result<LoadBalancer> answer);
  Task<Status> add_finalizer(Ctx ctx, SyncPtr sync);
  Task<Status> take_answer(Ctx ctx, SyncPtr sync, LoadBalancer answer);
  Task<Status> pending(Ctx ctx, SyncPtr sync, LoadBalancer answer);
  Task<Status> not_now(Ctx ctx, SyncPtr sync, Status why, SyncState before);
  Task<Status> update_status(Ctx ctx, SyncPtr sync);
  Task<Status> left_to_others(SyncPtr sync);
  void announce(const SyncPtr& sync) const;
  void remember(const SyncPtr& sync, const LoadBalancer& answer);
  void remember_members(const SyncPtr& sync, const LoadBalancer& answer);
  void remember_request(const SyncPtr& sync) const;
  // Ownership of a load balancer, and whether it may be taken over (docs/decisions/0011).
  static Status foreign(const Sync& sync);
  static Status adoption_refused(const Sync& sync);
  [[nodiscard]] bool may_adopt(const Sync& sync, std::string_view id) const;
  [[nodiscard]] bool another_has(const Sync& sync, std::string_view id) const;
  [[nodiscard]] ServicePatch annotated(const Sync& sync) const;

  // The delete branch (SVC-29 to SVC-36).
  Task<Status> clean_up(Ctx ctx, SyncPtr sync);
  Task<Status> finish_clean_up(Ctx ctx, SyncPtr sync, bool deleted);
  Task<Status> remove_vanished(Ctx ctx, SyncPtr sync);
  static bool asks_to_retain(const ServiceState& service);
  // Whether the load balancer outlives its Service.
  [[nodiscard]] bool retains(const Sync& sync) const;
  // The annotation that asks for it, where it does not count.
  void tell_not_retained(const Sync& sync) const;
  void announce_deletion(const Sync& sync) const;
  void tell_deleted(const Sync& sync) const;
  void tell_braked(const Sync& sync, const Status& why) const;
  void tell_not_owned(const Sync& sync) const;
  void tell_kept(const Sync& sync, const Status& why) const;

  // Writes to a Service, Events, conditions, retries.
  Task<Status> write(Ctx ctx, SyncPtr sync, ServicePatch patch);
  // The patch without what others undo again and again, until its time has come.
  Task<ServicePatch> repeated(Ctx ctx, SyncPtr sync, ServicePatch patch);
  Task<std::string> writer(Ctx ctx, SyncPtr sync, bool of_addresses);
  // Reports a failure by Event (`reason`; empty = none) and condition, and returns when to retry.
  Task<Status> fail(Ctx ctx, SyncPtr sync, Status status, std::string_view reason,
                    bool with_condition);
  // Not a failure, but the cloud needs time.
  Task<Status> wait(Ctx ctx, SyncPtr sync, Status status, std::string_view reason,
                    ServicePatch patch);
  void defer(const Sync& sync, const Status& status) const;
  // `status`, of class waiting, with the time to come back: the provider's, or one that grows with
  // the time that the cloud has been working on this request.
  [[nodiscard]] Status in_time(const Sync& sync, Status status) const;
  static uint64_t request_hash(const Sync& sync);

  Host& host_;
  const Events events_;
  Metric updates_;          // MET-4
  Metric failed_updates_;   // MET-5
  NodePass pass_;           // MET-6
  Metric update_duration_;  // MET-7
  TimeToAddress time_to_address_;
  Settings settings_;
  Semaphore limits_slot_;
  Status limits_failure_;  // of the last call
  std::chrono::milliseconds limits_failed_{0};
  std::optional<std::string> id_annotation_;  // from the first reconcile on
  std::unordered_map<std::string, std::shared_ptr<Record>> records_;
  Members members_;
  bool nodes_missed_ = false;  // Nodes changed while there was no Service to ask the cloud for
};

}  // namespace ccm::service
