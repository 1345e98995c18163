// The Lease on an API server.
#pragma once

#include "election/lease_client.hpp"
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
  [[nodiscard]] kube::CallOptions once() const;

  kube::Client client_;
  std::string namespace_;
  std::string name_;
  std::chrono::milliseconds timeout_;
};

}  // namespace ccm::election
