#include "election/kube_lease_client.hpp"

#include "election/object_watch.hpp"

#include <utility>

namespace ccm::election {
namespace {

kube::Resource leases() { return *kube::Resource::parse("coordination.k8s.io/v1/leases"); }

Result<Lease> decode(const Result<std::string>& answer) {
  return answer.ok() ? parse_lease(*answer) : Result<Lease>(answer.status());
}

}  // namespace

KubeLeaseClient::KubeLeaseClient(const kube::Client& client, std::string namespace_name,
                                 std::string name, std::chrono::milliseconds timeout)
    : client_(client),
      namespace_(std::move(namespace_name)),
      name_(std::move(name)),
      timeout_(timeout) {}

// The election never waits for a rate limit: a late renewal costs the leadership.
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

boost::asio::awaitable<Status> KubeLeaseClient::watch(std::string resource_version,
                                                      Changed changed) {
  EventText told = [changed = std::move(changed)](std::string_view text) -> Result<bool> {
    auto event = parse_lease_event(text);
    if (!event.ok()) return event.status();
    if (!event->failure.empty()) return kube::status_of_object(event->failure);
    return changed(std::move(event->lease));
  };
  return watch_object(client_, leases(), namespace_, name_, std::move(resource_version),
                      std::move(told));
}

}  // namespace ccm::election
