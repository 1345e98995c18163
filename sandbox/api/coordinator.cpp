#include "api/coordinator.hpp"

#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace sandbox {
namespace {

constexpr std::chrono::seconds kElection{5};       // a candidate may take this long to answer
constexpr std::chrono::seconds kLeaseDuration{5};  // until the holder has written its own
constexpr std::chrono::minutes kCandidateLife{30};

std::optional<Time> time_of(const Json& spec, const char* member) {
  const Json& value = member_or_null(spec, member);
  if (!value.is_string()) return std::nullopt;
  return parse_time(value.get_ref<const std::string&>());
}

const Json& spec_of(const Object& object) { return member_or_null(object.value, "spec"); }

std::string text_in(const Json& spec, const char* member) {
  const Json& value = member_or_null(spec, member);
  return value.is_string() ? value.get<std::string>() : std::string();
}

using SemanticVersion = std::tuple<long, long, long>;

SemanticVersion version_in(const Json& spec, const char* member) {
  const std::string text = text_in(spec, member);
  long parts[3] = {0, 0, 0};
  const char* at = text.c_str();
  for (long& part : parts) {
    char* end = nullptr;
    part = std::strtol(at, &end, 10);
    if (*end != '.') break;
    at = end + 1;
  }
  return {parts[0], parts[1], parts[2]};
}

// Oldest version first, then the candidate that came first.
auto rank_of(const Object& candidate) {
  const Json& spec = spec_of(candidate);
  return std::make_tuple(version_in(spec, "emulationVersion"), version_in(spec, "binaryVersion"),
                         metadata_text(candidate.value, "creationTimestamp"), candidate.key);
}

ObjectPtr best_of(const std::vector<ObjectPtr>& candidates) {
  ObjectPtr best;
  for (const ObjectPtr& candidate : candidates) {
    if (!best || rank_of(*candidate) < rank_of(*best)) best = candidate;
  }
  return best;
}

bool has_expired(const Json& lease_spec, Time now) {
  const auto renewed = time_of(lease_spec, "renewTime");
  const Json& duration = member_or_null(lease_spec, "leaseDurationSeconds");
  if (!renewed || !duration.is_number_integer()) return true;
  return *renewed + std::chrono::seconds(duration.get<long>()) < now;
}

bool answered_lately(const Json& spec, Time now) {
  const auto renewed = time_of(spec, "renewTime");
  return renewed && *renewed + kElection > now;
}

}  // namespace

void Coordinator::step(Time now) {
  std::map<std::pair<std::string, std::string>, Candidates> elections;
  const Resource& resource = resource_named("leasecandidates");
  for (const auto& [key, candidate] : store_.collection(resource.index).objects()) {
    const auto renewed = time_of(spec_of(*candidate), "renewTime");
    if (!renewed || *renewed + kCandidateLife < now) continue;
    elections[{metadata_text(candidate->value, "namespace"),
               text_in(spec_of(*candidate), "leaseName")}]
        .push_back(candidate);
  }
  for (const auto& [lease, candidates] : elections) {
    hold_election(lease.first, lease.second, candidates, now);
  }
}

void Coordinator::hold_election(const std::string& name_space, const std::string& lease_name,
                                const Candidates& candidates, Time now) {
  const Resource& leases = resource_named("leases");
  const ObjectPtr lease =
      store_.collection(leases.index).find(object_key(leases, name_space, lease_name));
  if (lease && !has_expired(spec_of(*lease), now)) {
    const std::string holder = text_in(spec_of(*lease), "holderIdentity");
    if (holder == metadata_text(best_of(candidates)->value, "name")) return;
    if (!holder.empty() && !text_in(spec_of(*lease), "preferredHolder").empty()) return;
  }
  if (ask(candidates, now)) return;
  Candidates present;
  for (const ObjectPtr& candidate : candidates) {
    if (answered_lately(spec_of(*candidate), now)) present.push_back(candidate);
  }
  if (present.empty()) return;
  name_holder(name_space, lease_name, *best_of(present), now);
}

// True while an answer may still come.
bool Coordinator::ask(const Candidates& candidates, Time now) {
  bool waiting = false;
  for (const ObjectPtr& candidate : candidates) {
    const Json& spec = spec_of(*candidate);
    if (answered_lately(spec, now)) continue;
    const auto asked = time_of(spec, "pingTime");
    const auto renewed = time_of(spec, "renewTime");
    const bool answered = !asked || (renewed && *renewed >= *asked);
    if (answered) {
      Json question = candidate->value;
      question["spec"]["pingTime"] = format_micro_time(now);
      writer_.update(resource_named("leasecandidates"), candidate, std::move(question), "", false);
    }
    waiting = waiting || answered || *asked + kElection > now;
  }
  return waiting;
}

void Coordinator::name_holder(const std::string& name_space, const std::string& lease_name,
                              const Object& elected, Time now) {
  const Resource& leases = resource_named("leases");
  const std::string& identity = metadata_text(elected.value, "name");
  const ObjectPtr lease =
      store_.collection(leases.index).find(object_key(leases, name_space, lease_name));
  Json object = lease ? lease->value : Json{{"metadata", {{"name", lease_name}}}};
  Json& spec = object["spec"];
  if (!spec.is_object()) spec = Json::object();
  spec["strategy"] = text_in(spec_of(elected), "strategy");
  const std::string holder = text_in(spec, "holderIdentity");
  if (holder.empty() || (has_expired(spec, now) && holder != identity)) {
    spec["holderIdentity"] = identity;
    spec["leaseDurationSeconds"] = kLeaseDuration.count();
    spec["renewTime"] = format_micro_time(now);
    spec.erase("acquireTime");
    spec.erase("preferredHolder");
  } else if (holder != identity) {
    spec["preferredHolder"] = identity;
  }
  if (lease) {
    writer_.update(leases, lease, std::move(object), "", false);
  } else {
    writer_.create(leases, name_space, std::move(object), false);
  }
}

}  // namespace sandbox
