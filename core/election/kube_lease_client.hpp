// The Lease on an API server.
#pragma once

#include "election/lease_client.hpp"
#include "election/object_requests.hpp"
#include "kube/client.hpp"

#include <chrono>
#include <string>

namespace ccm::election {

class KubeLeaseClient final : public LeaseClient {
 public:
  // `timeout` bounds each request but the watch (HOST-109). Home thread: the client's.
  KubeLeaseClient(const kube::Client& client, std::string namespace_name, std::string name,
                  std::chrono::milliseconds timeout);

  boost::asio::awaitable<Result<Lease>> get() override;
  boost::asio::awaitable<Result<Lease>> create(std::string body) override;
  boost::asio::awaitable<Result<Lease>> update(std::string body) override;
  boost::asio::awaitable<Status> watch(std::string resource_version, Changed changed) override;

 private:
  ObjectRequests<Lease> requests_;
};

}  // namespace ccm::election
