// How leader election reaches its Lease; a test has one in memory.
#pragma once

#include "election/lease.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>

namespace ccm::election {

// One request each, without retries, bounded by the time limit that the client was made with: the
// election has its own rhythm (API-65). Failures as kube::Client's.
class LeaseClient {
 public:
  virtual ~LeaseClient() = default;
  virtual boost::asio::awaitable<Result<Lease>> get() = 0;
  virtual boost::asio::awaitable<Result<Lease>> create(std::string body) = 0;
  virtual boost::asio::awaitable<Result<Lease>> update(std::string body) = 0;
};

}  // namespace ccm::election
