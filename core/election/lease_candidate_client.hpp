// Access of leader election to this process's LeaseCandidate; tests use one in memory.
#pragma once

#include "election/lease_candidate.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string>

namespace ccm::election {

// One request each, without retries; all but the watch bounded by the client's time limit. Failures
// as kube::Client's.
class LeaseCandidateClient {
 public:
  virtual ~LeaseCandidateClient() = default;
  // The apiVersion in which the API server has LeaseCandidates, for all further requests; not_found
  // when it has none.
  virtual boost::asio::awaitable<Result<std::string>> find_version() = 0;
  virtual boost::asio::awaitable<Result<LeaseCandidate>> get() = 0;
  virtual boost::asio::awaitable<Result<LeaseCandidate>> create(std::string body) = 0;
  virtual boost::asio::awaitable<Result<LeaseCandidate>> update(std::string body) = 0;
  virtual boost::asio::awaitable<Status> remove() = 0;

  // As LeaseClient's; nullopt = it was deleted.
  using Changed = std::function<bool(std::optional<LeaseCandidate> candidate)>;
  virtual boost::asio::awaitable<Status> watch(std::string resource_version, Changed changed) = 0;
};

}  // namespace ccm::election
