// Access of leader election to its Lease; tests use one in memory.
#pragma once

#include "election/lease.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string>

namespace ccm::election {

// One request each, without retries; all but the watch bounded by the client's time limit: the
// election has its own rhythm (API-65). Failures as kube::Client's.
class LeaseClient {
 public:
  virtual ~LeaseClient() = default;
  virtual boost::asio::awaitable<Result<Lease>> get() = 0;
  virtual boost::asio::awaitable<Result<Lease>> create(std::string body) = 0;
  virtual boost::asio::awaitable<Result<Lease>> update(std::string body) = 0;

  // Called for each change; nullopt = the Lease was deleted. False ends the watch.
  using Changed = std::function<bool(std::optional<Lease> lease)>;
  // Watches the Lease from `resource_version` on until `changed` returns false or the stream ends
  // in an orderly way: ok. Otherwise why it broke; out_of_range when that version is too old.
  virtual boost::asio::awaitable<Status> watch(std::string resource_version, Changed changed) = 0;
};

}  // namespace ccm::election
