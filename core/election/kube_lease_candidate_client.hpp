// The LeaseCandidate on an API server.
#pragma once

#include "election/lease_candidate_client.hpp"
#include "election/object_requests.hpp"
#include "kube/client.hpp"

#include <chrono>
#include <string>

namespace ccm::election {

class KubeLeaseCandidateClient final : public LeaseCandidateClient {
 public:
  // `timeout` bounds each request but the watch. Home thread: the client's.
  KubeLeaseCandidateClient(const kube::Client& client, std::string namespace_name, std::string name,
                           std::chrono::milliseconds timeout);

  boost::asio::awaitable<Result<std::string>> find_version() override;
  boost::asio::awaitable<Result<LeaseCandidate>> get() override;
  boost::asio::awaitable<Result<LeaseCandidate>> create(std::string body) override;
  boost::asio::awaitable<Result<LeaseCandidate>> update(std::string body) override;
  boost::asio::awaitable<Status> remove() override;
  boost::asio::awaitable<Status> watch(std::string resource_version, Changed changed) override;

 private:
  ObjectRequests<LeaseCandidate> requests_;  // of the version that was found
};

}  // namespace ccm::election
