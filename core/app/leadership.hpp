// Whether this process leads: by the Lease, or always with --leader-elect=false (HOST-119).
// Loop thread, except leading(), transitions() and slow_paths().
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
#include <optional>
#include <string>

namespace ccm::app {

class Leadership final : public plugin::LeaderState {
 public:
  struct Callbacks {
    std::function<void()> started;
    // Called on the election's thread, even when the loop is blocked: ends the process.
    std::function<void(const std::string& reason)> lost;
    std::function<void(std::string message)> event;  // for an Event on the Lease (HOST-118)
    election::LeaderElector::Alive alive;
  };

  // The references must outlive it.
  Leadership(const LeaderElectionOptions& options, const ClientFactory& clients,
             runtime::EventLoop& loop);

  // Competes for the Lease, or leads at once.
  void start(Callbacks callbacks);
  // Leads without an election, whatever the options say: for a dry run, beside the real leader.
  void assume() { always_ = true; }
  // Gives the Lease back when no write of this process is under way any more; `done` is posted when
  // that has succeeded or failed.
  void release(std::function<void()> done);

  [[nodiscard]] bool leading() const override;
  [[nodiscard]] uint64_t transitions() const override;
  // The identity of this process in the election; empty before start() and without an election.
  [[nodiscard]] const std::string& identity() const { return identity_; }
  // MET-18.
  [[nodiscard]] uint64_t slow_paths() const;
  // The check "leaderElection" (HOST-96).
  [[nodiscard]] Status health() const;
  [[nodiscard]] kube::ObjectReference lease_reference() const;

 private:
  const LeaderElectionOptions& options_;
  const ClientFactory& clients_;
  runtime::EventLoop& loop_;
  SystemClock clock_;
  std::string identity_;
  std::atomic<bool> always_{false};
  std::atomic<const election::LeaderElector*> current_{nullptr};
  std::optional<election::LeaderElector> elector_;
};

}  // namespace ccm::app
