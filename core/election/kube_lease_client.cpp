#include "election/kube_lease_client.hpp"

#include <utility>

namespace ccm::election {

KubeLeaseClient::KubeLeaseClient(const kube::Client& client, std::string namespace_name,
                                 std::string name, std::chrono::milliseconds timeout)
    : requests_(client, *kube::Resource::parse("coordination.k8s.io/v1/leases"),
                std::move(namespace_name), std::move(name), timeout, &parse_lease) {}

boost::asio::awaitable<Result<Lease>> KubeLeaseClient::get() { return requests_.get(); }

boost::asio::awaitable<Result<Lease>> KubeLeaseClient::create(std::string body) {
  return requests_.create(std::move(body));
}

boost::asio::awaitable<Result<Lease>> KubeLeaseClient::update(std::string body) {
  return requests_.update(std::move(body));
}

boost::asio::awaitable<Status> KubeLeaseClient::watch(std::string resource_version,
                                                      Changed changed) {
  return requests_.watch(std::move(resource_version), std::move(changed));
}

}  // namespace ccm::election
