#pragma once

#include "api/schema.hpp"
#include "api/status.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sandbox {

// The differences between kinds beyond their schema. Null members mean "nothing special".
struct Rules {
  // Defaults of a new object.
  void (*create)(Json& object) = nullptr;
  // `candidate` is about to replace `old`; restores fields that this write may not change.
  void (*update)(const Json& old, Json& candidate) = nullptr;
  // Adds a cause for every violated rule. `old` is null on create.
  void (*validate)(const Json* old, const Json& object, std::vector<Cause>& causes) = nullptr;
  // Defaults of a written status.
  void (*status)(Json& candidate) = nullptr;
};

enum class NameRule { kSubdomain, kLabel, kConfigKey };

struct Resource {
  std::string group;
  std::string version;
  std::string plural;
  std::string singular;
  std::string kind;
  std::vector<std::string> short_names;
  bool namespaced = true;
  bool has_status = false;           // has the status subresource
  bool unconditional_update = true;  // PUT without resourceVersion is accepted (API-44)
  bool create_on_update = false;     // PUT of a missing object creates it
  bool returns_deleted = false;      // DELETE answers with the object, not with a Status
  bool has_generation = false;
  NameRule name_rule = NameRule::kSubdomain;
  std::vector<std::string> selectable;  // field selectors besides name and namespace
  const Rules* rules = nullptr;
  const Schema* schema = nullptr;
  std::size_t index = 0;  // of its collection in the store
  std::string prefix;     // serialised start of every object: {"kind":...,"apiVersion":...,

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
};

// Has an API server with the feature gate CoordinatedLeaderElection: LeaseCandidates, and the
// fields of Leases that belong to them. Before anything else of this file.
void enable_coordinated_leader_election();

const std::vector<Resource>& resources();
const Resource* find_resource(std::string_view group, std::string_view version,
                              std::string_view plural);
// By plural name alone; for administration.
const Resource& resource_named(std::string_view plural);
bool known_group(std::string_view group);

// "namespace/name", or "name" of a cluster-scoped object.
std::string object_key(const Resource& resource, const std::string& name_space,
                       const std::string& name);

extern const Rules kNodeRules;
extern const Rules kServiceRules;
extern const Rules kEventRules;
extern const Rules kLeaseRules;
extern const Rules kPlainLeaseRules;  // without coordinated leader election
extern const Rules kLeaseCandidateRules;
extern const Rules kSecretRules;
extern const Rules kConfigMapRules;
extern const Rules kNamespaceRules;

}  // namespace sandbox
