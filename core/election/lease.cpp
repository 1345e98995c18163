#include "election/lease.hpp"

#include "election/json_fields.hpp"
#include "kube/time_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace ccm::election {

using nlohmann::json;

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

}  // namespace ccm::election
