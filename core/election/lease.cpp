#include "election/lease.hpp"

#include "kube/time_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace ccm::election {
using nlohmann::json;

json parse_bounded(std::string_view text) {
  constexpr int kMaxDepth = 64;
  return json::parse(
      text, [](int depth, json::parse_event_t, const json&) { return depth < kMaxDepth; }, false);
}

std::string text_member(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string resource_version_of(const json& object) {
  if (!object.is_object()) return {};
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return {};
  return text_member(*metadata, "resourceVersion");
}

namespace {

// An int32 that is not negative, as the API has it.
int64_t number(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return 0;
  if (found->is_number_unsigned() && found->get<uint64_t>() > INT32_MAX) return INT32_MAX;
  return std::clamp<int64_t>(found->get<int64_t>(), 0, INT32_MAX);
}

json spec_of(const LeaseRecord& record, json spec) {
  spec["holderIdentity"] = record.holder_identity;
  spec["leaseDurationSeconds"] = record.lease_duration.count();
  spec["acquireTime"] = record.acquire_time.empty() ? json(nullptr) : json(record.acquire_time);
  spec["renewTime"] = record.renew_time.empty() ? json(nullptr) : json(record.renew_time);
  // An int32 in the API, which refuses larger numbers.
  spec["leaseTransitions"] = std::min<int64_t>(record.lease_transitions, INT32_MAX);
  return spec;
}

}  // namespace

// Members of the wrong type read as absent: the other fields decide whether an odd Lease counts as
// free or expired; it never stops the election.
Result<Lease> parse_lease(std::string_view text_of_lease) {
  const json object = parse_bounded(text_of_lease);
  Lease lease;
  lease.document = std::string(text_of_lease);
  lease.resource_version = resource_version_of(object);
  if (lease.resource_version.empty()) {
    return Status(Code::data_loss, "the API server's answer is no Lease");
  }
  const auto spec = object.find("spec");
  if (spec != object.end() && spec->is_object()) {
    lease.record.holder_identity = text_member(*spec, "holderIdentity");
    lease.record.lease_duration = std::chrono::seconds(number(*spec, "leaseDurationSeconds"));
    lease.record.acquire_time = text_member(*spec, "acquireTime");
    lease.record.renew_time = text_member(*spec, "renewTime");
    lease.record.lease_transitions = number(*spec, "leaseTransitions");
    lease.preferred_holder = text_member(*spec, "preferredHolder");
  }
  return lease;
}

std::string new_lease(std::string_view namespace_name, std::string_view name,
                      const LeaseRecord& record) {
  json object;
  object["apiVersion"] = "coordination.k8s.io/v1";
  object["kind"] = "Lease";
  object["metadata"]["namespace"] = namespace_name;
  object["metadata"]["name"] = name;
  object["spec"] = spec_of(record, json::object());
  return object.dump();
}

std::string updated_lease(const Lease& lease, const LeaseRecord& record) {
  json object = parse_bounded(lease.document);
  json spec = object.value("spec", json::object());
  if (!spec.is_object()) spec = json::object();
  object["spec"] = spec_of(record, std::move(spec));
  return object.dump();
}

std::string micro_time(std::chrono::system_clock::time_point time) {
  const auto fraction = time - std::chrono::floor<std::chrono::seconds>(time);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(fraction).count();
  char text[16];
  std::snprintf(text, sizeof text, ".%06dZ", static_cast<int>(micros));
  std::string whole = kube::format_time(time);
  whole.pop_back();
  return whole + text;
}

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

Result<ObjectEvent<std::string>> parse_event(std::string_view text, std::string_view kind) {
  const nlohmann::json event = parse_bounded(text);
  const auto object = event.is_object() ? event.find("object") : event.end();
  if (!event.is_object() || object == event.end() || !object->is_object()) {
    return Status(Code::data_loss, "the watch on the " + std::string(kind) + " sent no event");
  }
  ObjectEvent<std::string> result;
  const std::string type = text_member(event, "type");
  if (type == "ERROR") {
    result.failure = object->dump();
  } else if (type == "ADDED" || type == "MODIFIED") {
    result.object = object->dump();
  } else if (type != "DELETED") {
    return Status(Code::data_loss,
                  "the watch on the " + std::string(kind) + " sent an event of type " + type);
  }
  return result;
}

}  // namespace ccm::election
