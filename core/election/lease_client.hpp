// Access of leader election to its objects on the API server; tests use some in memory.
#pragma once

#include "election/lease.hpp"
#include "kube/client.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ccm::election {

// One request each, without retries; all but the watch bounded by the client's time limit: the
// election has its own rhythm (API-65). Failures as kube::Client's.
template <typename T>
class ObjectClient {
 public:
  using Object = T;
  virtual ~ObjectClient() = default;
  virtual boost::asio::awaitable<Result<T>> get() = 0;
  virtual boost::asio::awaitable<Result<T>> create(std::string body) = 0;
  virtual boost::asio::awaitable<Result<T>> update(std::string body) = 0;

  // Called for each change; nullopt = the object was deleted. False ends the watch.
  using Changed = std::function<bool(std::optional<T> object)>;
  // Watches the object from `resource_version` on until `changed` returns false or the stream ends
  // in an orderly way: ok. Otherwise why it broke; out_of_range when that version is too old.
  virtual boost::asio::awaitable<Status> watch(std::string resource_version, Changed changed) = 0;
};

using LeaseClient = ObjectClient<Lease>;

// The client of this process's LeaseCandidate.
class LeaseCandidateClient : public ObjectClient<LeaseCandidate> {
 public:
  // The apiVersion in which the API server has LeaseCandidates, for all further requests; not_found
  // when it has none.
  virtual boost::asio::awaitable<Result<std::string>> find_version() = 0;
  virtual boost::asio::awaitable<Status> remove() = 0;
};

// The Lease and the LeaseCandidate on an API server. Home thread: the client's.

// `timeout` bounds each request but the watch (HOST-109).
std::unique_ptr<LeaseClient> kube_lease_client(kube::Client client, std::string namespace_name,
                                               std::string name, std::chrono::milliseconds timeout);
std::unique_ptr<LeaseCandidateClient> kube_lease_candidate_client(
    kube::Client client, std::string namespace_name, std::string name,
    std::chrono::milliseconds timeout);

}  // namespace ccm::election
