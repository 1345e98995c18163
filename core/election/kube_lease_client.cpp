#include "election/kube_lease_client.hpp"

#include <utility>

namespace ccm::election {
namespace {

kube::Resource leases() { return *kube::Resource::parse("coordination.k8s.io/v1/leases"); }

Result<Lease> decode(const Result<std::string>& answer) {
  return answer.ok() ? parse_lease(*answer) : Result<Lease>(answer.status());
}

}  // namespace

KubeLeaseClient::KubeLeaseClient(kube::Client client, std::string namespace_name, std::string name,
                                 std::chrono::milliseconds timeout)
    : client_(std::move(client)),
      namespace_(std::move(namespace_name)),
      name_(std::move(name)),
      timeout_(timeout) {}

// The election never waits behind a rate limit: a late renewal costs the leadership.
kube::CallOptions KubeLeaseClient::once() const {
  kube::CallOptions options;
  options.timeout = timeout_;
  options.max_retries = 0;
  options.rate_limited = false;
  return options;
}

boost::asio::awaitable<Result<Lease>> KubeLeaseClient::get() {
  const auto answer = co_await client_.get(leases(), namespace_, name_, std::string(), once());
  co_return decode(answer);
}

boost::asio::awaitable<Result<Lease>> KubeLeaseClient::create(std::string body) {
  const kube::WriteOptions write;
  const auto answer = co_await client_.create(leases(), namespace_, std::move(body), write, once());
  co_return decode(answer);
}

boost::asio::awaitable<Result<Lease>> KubeLeaseClient::update(std::string body) {
  const kube::WriteOptions write;
  const auto answer =
      co_await client_.update(leases(), namespace_, name_, std::move(body), write, once());
  co_return decode(answer);
}

}  // namespace ccm::election
