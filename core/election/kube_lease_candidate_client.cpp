#include "election/kube_lease_candidate_client.hpp"

#include "election/json_fields.hpp"

#include <utility>

namespace ccm::election {
namespace {

constexpr const char* kCoordinationGroup = "coordination.k8s.io";

// The newest first: both have the same fields.
constexpr const char* kCandidateVersions[] = {"v1beta1", "v1alpha2"};

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
    : requests_(client, kube::Resource(), std::move(namespace_name), std::move(name), timeout,
                &parse_lease_candidate) {}

// Asks what is served instead of trying: without the right to create a LeaseCandidate the
// answer is 403 whether there are any or not.
boost::asio::awaitable<Result<std::string>> KubeLeaseCandidateClient::find_version() {
  for (const char* version : kCandidateVersions) {
    std::string path = std::string("/apis/") + kCoordinationGroup + "/" + version;
    const auto answer = co_await requests_.read(std::move(path));
    if (!answer.ok() && answer.status().code() == Code::not_found) continue;
    if (!answer.ok()) co_return answer.status();
    if (!lists_candidates(*answer)) continue;
    requests_.set_resource(
        {kCoordinationGroup, version, "leasecandidates", "LeaseCandidate", true});
    co_return requests_.resource().api_version();
  }
  co_return Status(Code::not_found, "the API server has no LeaseCandidates");
}

boost::asio::awaitable<Result<LeaseCandidate>> KubeLeaseCandidateClient::get() {
  return requests_.get();
}

boost::asio::awaitable<Result<LeaseCandidate>> KubeLeaseCandidateClient::create(std::string body) {
  return requests_.create(std::move(body));
}

boost::asio::awaitable<Result<LeaseCandidate>> KubeLeaseCandidateClient::update(std::string body) {
  return requests_.update(std::move(body));
}

boost::asio::awaitable<Status> KubeLeaseCandidateClient::remove() { return requests_.remove(); }

boost::asio::awaitable<Status> KubeLeaseCandidateClient::watch(std::string resource_version,
                                                               Changed changed) {
  return requests_.watch(std::move(resource_version), std::move(changed));
}

}  // namespace ccm::election
