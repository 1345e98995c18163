#include "election/kube_lease_candidate_client.hpp"

#include "election/json_fields.hpp"
#include "election/object_watch.hpp"

#include <utility>

namespace ccm::election {
namespace {

constexpr const char* kCoordinationGroup = "coordination.k8s.io";

// The newest first: both have the same fields.
constexpr const char* kCandidateVersions[] = {"v1beta1", "v1alpha2"};

Result<LeaseCandidate> decode_candidate(const Result<std::string>& answer) {
  return answer.ok() ? parse_lease_candidate(*answer) : Result<LeaseCandidate>(answer.status());
}

bool lists_candidates(const std::string& resource_list) {
  const nlohmann::json list = parse_bounded(resource_list);
  if (!list.is_object() || !list.contains("resources") || !list["resources"].is_array()) {
    return false;
  }
  for (const nlohmann::json& resource : list["resources"]) {
    if (resource.is_object() && text_member(resource, "name") == "leasecandidates") return true;
  }
  return false;
}

}  // namespace

KubeLeaseCandidateClient::KubeLeaseCandidateClient(const kube::Client& client,
                                                   std::string namespace_name, std::string name,
                                                   std::chrono::milliseconds timeout)
    : client_(client),
      namespace_(std::move(namespace_name)),
      name_(std::move(name)),
      timeout_(timeout) {}

kube::CallOptions KubeLeaseCandidateClient::once() const {
  kube::CallOptions options;
  options.timeout = timeout_;
  options.max_retries = 0;
  options.rate_limited = false;
  return options;
}

// Asks what is served instead of trying: without the right to create a LeaseCandidate the
// answer is 403 whether there are any or not.
boost::asio::awaitable<Result<std::string>> KubeLeaseCandidateClient::find_version() {
  for (const char* version : kCandidateVersions) {
    const kube::CallOptions call = once();
    std::string path = std::string("/apis/") + kCoordinationGroup + "/" + version;
    const auto answer = co_await client_.raw("GET", std::move(path), std::string(), call);
    if (!answer.ok() && answer.status().code() == Code::not_found) continue;
    if (!answer.ok()) co_return answer.status();
    if (!lists_candidates(*answer)) continue;
    resource_ = {kCoordinationGroup, version, "leasecandidates", "LeaseCandidate", true};
    co_return resource_.api_version();
  }
  co_return Status(Code::not_found, "the API server has no LeaseCandidates");
}

boost::asio::awaitable<Result<LeaseCandidate>> KubeLeaseCandidateClient::get() {
  const kube::CallOptions call = once();
  const auto answer = co_await client_.get(resource_, namespace_, name_, std::string_view(), call);
  co_return decode_candidate(answer);
}

boost::asio::awaitable<Result<LeaseCandidate>> KubeLeaseCandidateClient::create(std::string body) {
  const kube::WriteOptions write;
  const kube::CallOptions call = once();
  const auto answer = co_await client_.create(resource_, namespace_, std::move(body), write, call);
  co_return decode_candidate(answer);
}

boost::asio::awaitable<Result<LeaseCandidate>> KubeLeaseCandidateClient::update(std::string body) {
  const kube::WriteOptions write;
  const kube::CallOptions call = once();
  const auto answer =
      co_await client_.update(resource_, namespace_, name_, std::move(body), write, call);
  co_return decode_candidate(answer);
}

boost::asio::awaitable<Status> KubeLeaseCandidateClient::remove() {
  const kube::DeleteOptions unconditional;
  const kube::CallOptions call = once();
  const auto answer = co_await client_.remove(resource_, namespace_, name_, unconditional, call);
  co_return answer.status();
}

boost::asio::awaitable<Status> KubeLeaseCandidateClient::watch(std::string resource_version,
                                                               Changed changed) {
  EventText told = [changed = std::move(changed)](std::string_view text) -> Result<bool> {
    auto event = parse_lease_candidate_event(text);
    if (!event.ok()) return event.status();
    if (!event->failure.empty()) return kube::status_of_object(event->failure);
    return changed(std::move(event->candidate));
  };
  return watch_object(client_, resource_, namespace_, name_, std::move(resource_version),
                      std::move(told));
}

}  // namespace ccm::election
