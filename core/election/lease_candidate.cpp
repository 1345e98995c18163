#include "election/lease_candidate.hpp"

#include "election/json_fields.hpp"
#include "election/lease.hpp"

#include <algorithm>

namespace ccm::election {

using nlohmann::json;

Result<LeaseCandidate> parse_lease_candidate(std::string_view text_of_candidate) {
  const json object = parse_bounded(text_of_candidate);
  LeaseCandidate candidate;
  candidate.document = std::string(text_of_candidate);
  candidate.resource_version = resource_version_of(object);
  if (candidate.resource_version.empty()) {
    return Status(Code::data_loss, "the API server's answer is no LeaseCandidate");
  }
  const auto spec = object.find("spec");
  if (spec != object.end() && spec->is_object()) {
    candidate.ping_time = text_member(*spec, "pingTime");
    candidate.renew_time = text_member(*spec, "renewTime");
  }
  return candidate;
}

std::string new_lease_candidate(const CandidateNames& names, const CandidateVersions& versions,
                                std::chrono::system_clock::time_point wall) {
  json object;
  object["apiVersion"] = names.api_version;
  object["kind"] = "LeaseCandidate";
  object["metadata"]["namespace"] = names.namespace_name;
  object["metadata"]["name"] = names.name;
  object["spec"]["leaseName"] = names.lease;
  object["spec"]["binaryVersion"] = versions.binary;
  object["spec"]["emulationVersion"] = versions.emulation;
  object["spec"]["strategy"] = "OldestEmulationVersion";
  object["spec"]["renewTime"] = micro_time(wall);
  return object.dump();
}

std::string renewed_lease_candidate(const LeaseCandidate& candidate,
                                    std::chrono::system_clock::time_point wall) {
  json object = parse_bounded(candidate.document);
  if (!object["spec"].is_object()) object["spec"] = json::object();
  // Texts of one length, both of UTC: they sort as the times do.
  object["spec"]["renewTime"] = std::max(micro_time(wall), candidate.ping_time);
  return object.dump();
}

}  // namespace ccm::election
