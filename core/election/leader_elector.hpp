// Leader election on a thread and a connection of its own, so that a stalled plugin cannot lose the
// Lease, while a host whose loop hangs gives it up. Go's managers and this one
// exclude each other on the same Lease (HOST-107..118).
#pragma once

#include "base/clock.hpp"
#include "election/lease.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ccm::election {

struct ElectionOptions {
  std::string namespace_name = "kube-system";
  std::string name = "cloud-controller-manager";
  std::string identity;  // HOST-108
  // "namespace/name", for the log.
  [[nodiscard]] std::string lease() const { return namespace_name + "/" + name; }
  std::chrono::milliseconds lease_duration{15'000};
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};
  // Gives the Lease's annotations for each write that takes or renews it, on the election's thread;
  // may be empty.
  std::function<LeaseAnnotations()> annotations{};
  CandidateVersions versions{};  // for an election that the API server coordinates
};

// "<host name>_<random UUID>" (HOST-108). Fails when the host has no name.
Result<std::string> new_identity();

// One attempt may take this long, so that a hung request cannot cost the Lease (HOST-109, API-65).
std::chrono::milliseconds request_timeout(const ElectionOptions& options);

struct ElectionCallbacks {
  std::function<void(std::function<void()>)> post;  // to the host's loop
  // Posted. Took the Lease. `transitions` fences off older leaders.
  std::function<void(int64_t transitions)> started_leading;
  // The Lease was lost unintentionally: the process must end (HOST-115). Called on the election's
  // thread, since a hung loop would never run a posted function. Once.
  std::function<void(const std::string& reason)> lost;
  // The API server's storage was restored to an earlier state, so that nothing that this process
  // has read holds any more (API-141): it must end, leading or not. Nothing is written any more.
  // Called on the election's thread. Once.
  std::function<void(const std::string& reason)> restored{};
  // Posted. The API server's coordinator has chosen another process: this one should end its work
  // and release() the Lease, which it keeps until then. Once.
  std::function<void(std::string identity)> outvoted{};
  // Posted. The Lease has a new holder: another identity, or this one.
  std::function<void(std::string identity)> new_leader;
};

class LeaderElector {
 public:
  // Makes the client of the Lease on the election's own executor.
  using MakeLeaseClient =
      std::function<std::unique_ptr<LeaseClient>(const boost::asio::any_io_executor& executor)>;

  // Makes the client for its LeaseCandidate.
  using MakeCandidateClient = std::function<std::unique_ptr<LeaseCandidateClient>(
      const boost::asio::any_io_executor& executor)>;

  // Whether the host's loop is alive, else who or what blocks it: the Lease is taken and renewed
  // only while it is. `holding`: for a renewal, which tolerates for a while that a plugin blocks
  // the loop. Called on the election's thread.
  using Alive = std::function<Status(bool holding)>;

  // With `candidates` the API server's coordinator chooses the holder (KEP-4355), unless that API
  // server has no LeaseCandidates. `clock` must outlive this object. All functions: any thread.
  LeaderElector(ElectionOptions options, MakeLeaseClient factory, ElectionCallbacks callbacks,
                Alive alive, const Clock& clock, const MakeCandidateClient& candidates = {});
  ~LeaderElector();  // stops without releasing
  LeaderElector& operator=(LeaderElector&&) = delete;

  void start();

  // Ends the election and cancels requests under way. A leader gives the Lease back (as HOST-117;
  // Go's manager never does, HOST-116). `done` is called on the election's thread within
  // request_timeout(), in a coordinated election a second later at most, also after a failure: the
  // Lease then expires. Once, after start().
  void release(std::function<void()> done);

  // Holds the Lease at this very moment by the local clock: fences every write. Becomes false at
  // the renew deadline even if the election's thread does not run.
  [[nodiscard]] bool leading() const;
  // leaseTransitions when the Lease was taken; 0 before.
  [[nodiscard]] int64_t transitions() const;
  // The check "leaderElection" of /healthz (HOST-96).
  [[nodiscard]] Status health() const;
  // Attempts that had to read the Lease first (MET-18).
  [[nodiscard]] uint64_t slow_paths() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ccm::election
