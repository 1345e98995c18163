// Whether this process leads: by the Lease, or always with --leader-elect=false (HOST-119). With
// leader migration a second Lease is for the controllers that move (HOST-125).
// Loop thread, except what says "any thread", leading(), transitions() and leases().
#pragma once

#include "app/client_factory.hpp"
#include "app/flags/options.hpp"
#include "base/clock.hpp"
#include "election/leader_elector.hpp"
#include "kube/events.hpp"
#include "plugin/host_services/leader_service.hpp"
#include "runtime/event_loop.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ccm::app {

class Leadership final : public plugin::LeaderState {
 public:
  struct Callbacks {
    std::function<void()> started;
    std::function<void()> migration_started;  // it holds the Lease of the migration, too
    // Called on the election's thread, even when the loop is blocked: ends the process.
    std::function<void(const std::string& reason)> lost;
    // The API server's storage was restored to an earlier state (API-141). As `lost`.
    std::function<void(const std::string& reason)> restored;
    // The API server's coordinator has chosen another process (KEP-4355): end in order.
    std::function<void(const std::string& identity)> outvoted;
    // For an Event on the Lease of that name (HOST-118).
    std::function<void(const std::string& lease, std::string message)> event;
    election::LeaderElector::Alive alive;
  };

  // The references must outlive it. `migration_lease`: the name of the second Lease; empty: none.
  // `coordinated`: the API server names the holder of the first one, where it can. The second one
  // is shared with kube-controller-manager, whose election of it is a plain one.
  Leadership(const LeaderElectionOptions& options, bool coordinated, std::string migration_lease,
             const ClientFactory& clients, runtime::EventLoop& loop);

  // Competes for the Lease, or leads at once. Then competes for the one of the migration.
  void start(Callbacks callbacks);
  // From now on the first Lease, while it is held, says where this process is asked for its state.
  // Any thread.
  void publish(int port, const std::string& fingerprint);
  // Leads without an election, whatever the options say: for a dry run, beside the real leader.
  void assume() { always_ = true; }
  // Records that this process stops leading, while it still does: its Events need the Lease.
  void tell_end() const;
  // Gives the Leases back at once: the caller has seen that no write of this process is under way
  // any more. `done` is posted when that has succeeded or failed.
  void release(std::function<void()> done);

  // Holds the Lease, and the one of the migration once it was taken.
  [[nodiscard]] bool leading() const override;
  [[nodiscard]] uint64_t transitions() const override;
  // Holds both Leases, or leads without an election.
  [[nodiscard]] bool leading_migration() const {
    return always_ || (migration_.taken && leading());
  }
  // The identity of this process in the election; empty before start() and without an election.
  [[nodiscard]] const std::string& identity() const { return identity_; }
  // The check "leaderElection" (HOST-96, 126).
  [[nodiscard]] Status health() const;
  // The Lease of that name.
  [[nodiscard]] kube::ObjectReference lease_reference(const std::string& name) const;

  struct LeaseReport {
    std::string name;
    bool held = false;
    uint64_t slow_paths = 0;  // MET-18
  };
  // One report for each Lease for which this process competes, or will.
  [[nodiscard]] std::vector<LeaseReport> leases() const;

 private:
  struct Election {
    std::string lease;
    bool coordinated = false;
    std::atomic<bool> taken{false};
    std::atomic<const election::LeaderElector*> current{nullptr};
    std::optional<election::LeaderElector> elector{};

    [[nodiscard]] bool holds() const {
      const election::LeaderElector* election = current;
      return election != nullptr && election->leading();
    }
  };
  // `won` is called on the loop.
  void compete(Election& entry, const Callbacks& callbacks, std::function<void()> won);

  const LeaderElectionOptions& options_;
  const ClientFactory& clients_;
  runtime::EventLoop& loop_;
  SystemClock clock_;
  std::string identity_;
  std::function<void(const std::string& lease, std::string message)> event_;
  std::atomic<bool> always_{false};
  mutable std::mutex published_mutex_;
  election::LeaseAnnotations published_;
  bool releasing_ = false;  // no Lease is taken any more
  Election main_;
  Election migration_;
};

}  // namespace ccm::app
