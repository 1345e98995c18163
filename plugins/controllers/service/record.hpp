// The state of one Service's load balancer, in memory only: a restart rebuilds it from the
// Service's annotations and from the cloud.
#pragma once

#include "names.hpp"
#include "rewrites.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/object.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ccm::service {

// Where a Service's load balancer stands. `ensured`, `synced` and `elsewhere` hold for the request
// with the hashes of the record; all others lead to a whole `ensure`.
enum class SyncState {
  unknown,        // the cloud has not answered since this process leads
  out_of_sync,    // it has, and the load balancer differs or the last attempt failed
  ensuring,       // EnsuringLoadBalancer was recorded; EnsuredLoadBalancer or a failure follows
  ensured,        // in the cloud; the Service's status and EnsuredLoadBalancer are to follow
  synced,         // the cloud and the Service's status are right
  elsewhere,      // another program sees to it (SVC-24)
  deleting,       // DeletingLoadBalancer was recorded
  deletion_held,  // so was DeletionHeld: the host's brake holds the deletion back
};

// An update of the backends that the cloud has not finished yet.
struct BackendUpdate {
  std::chrono::milliseconds begun{0};
  bool changed = false;  // an answer said that something was changed
};

struct Record {
  using Milliseconds = std::chrono::milliseconds;

  std::string uid;
  // By the cloud's last answer.
  std::string id;
  std::vector<Label> annotations;
  std::vector<Ingress> ingress;

  std::string adopting;  // the id of the load balancer that is being taken over right now
  SyncState state = SyncState::unknown;
  uint64_t intent_hash = 0;
  uint64_t backend_hash = 0;             // 0 = the cloud may have any backends
  uint64_t offered_hash = 0;             // of the backends with which the last sync began
  std::vector<std::string> node_labels;  // sorted: by them the provider chose among the backends
  std::string no_members;                // the provider's word: why none of them can be one
  std::string reported_no_members;       // recorded in an Event
  std::optional<BackendUpdate> update;
  Milliseconds audit_due{0};

  bool scheduled = false;  // a change of Nodes brings it back soon (NodePass)

  // The request that failed or waits is not sent again before that time; 0: none does.
  Milliseconds not_before{0};
  uint64_t deferred_hash = 0;
  Status deferred;  // why

  // The request that the cloud is working on, and since when it is asked about it.
  uint64_t polled_hash = 0;
  Milliseconds polled_since{0};

  bool reported_retention = false;  // that the annotation does not count
  Milliseconds condition_written{0};
  Rewrites rewrites;  // of what others undo
  Object newest;      // the answer to our own last write, until the watch has brought it
  Object vanished;    // the former Service, gone with its load balancer still there (SVC-16)

  // The cloud has what the hashes stand for.
  [[nodiscard]] bool in_cloud() const {
    return state == SyncState::ensured || state == SyncState::synced;
  }
  [[nodiscard]] bool applied() const { return in_cloud() || state == SyncState::elsewhere; }
  [[nodiscard]] bool deleting() const {
    return state == SyncState::deleting || state == SyncState::deletion_held;
  }
  // The host holds a change of the Service back: its namespace has had as many as it may have.
  [[nodiscard]] bool changes_limited() const {
    return not_before > Milliseconds(0) && deferred.reason() == kHostsChangesLimited;
  }
  // The cloud may have something for it.
  [[nodiscard]] bool has_balancer() const { return !id.empty() || in_cloud(); }
};

}  // namespace ccm::service
