#include "api/resource.hpp"

namespace sandbox {
namespace {

bool coordinated_leader_election = false;

Resource core(std::string plural, std::string singular, std::string kind, std::string short_name) {
  Resource resource;
  resource.version = "v1";
  resource.plural = std::move(plural);
  resource.singular = std::move(singular);
  resource.kind = std::move(kind);
  if (!short_name.empty()) resource.short_names = {std::move(short_name)};
  return resource;
}

std::vector<Resource> build() {
  std::vector<Resource> table;
  auto add = [&](Resource resource) -> Resource& {
    return table.emplace_back(std::move(resource));
  };

  Resource& nodes = add(core("nodes", "node", "Node", "no"));
  nodes.namespaced = false;
  nodes.has_status = true;
  nodes.selectable = {"spec.unschedulable"};
  nodes.rules = &kNodeRules;

  Resource& services = add(core("services", "service", "Service", "svc"));
  services.has_status = true;
  services.returns_deleted = true;
  services.create_on_update = true;
  services.name_rule = NameRule::kLabel;
  services.selectable = {"spec.clusterIP", "spec.type"};
  services.rules = &kServiceRules;

  Resource& events = add(core("events", "event", "Event", "ev"));
  events.selectable = {"involvedObject.kind",
                       "involvedObject.namespace",
                       "involvedObject.name",
                       "involvedObject.uid",
                       "involvedObject.apiVersion",
                       "involvedObject.resourceVersion",
                       "involvedObject.fieldPath",
                       "reason",
                       "reportingComponent",
                       "source",
                       "type"};
  events.create_on_update = true;
  events.rules = &kEventRules;

  Resource& leases = add(core("leases", "lease", "Lease", ""));
  leases.group = "coordination.k8s.io";
  leases.unconditional_update = false;
  leases.create_on_update = true;
  leases.rules = coordinated_leader_election ? &kLeaseRules : &kPlainLeaseRules;

  if (coordinated_leader_election) {
    Resource& candidates = add(core("leasecandidates", "leasecandidate", "LeaseCandidate", ""));
    candidates.group = "coordination.k8s.io";
    candidates.version = "v1beta1";
    candidates.unconditional_update = false;
    candidates.name_rule = NameRule::kConfigKey;
    candidates.rules = &kLeaseCandidateRules;
  }

  add(core("configmaps", "configmap", "ConfigMap", "cm")).rules = &kConfigMapRules;

  Resource& secrets = add(core("secrets", "secret", "Secret", ""));
  secrets.selectable = {"type"};
  secrets.rules = &kSecretRules;

  Resource& namespaces = add(core("namespaces", "namespace", "Namespace", "ns"));
  namespaces.namespaced = false;
  namespaces.has_status = true;
  namespaces.returns_deleted = true;
  namespaces.name_rule = NameRule::kLabel;
  namespaces.selectable = {"status.phase"};
  namespaces.rules = &kNamespaceRules;

  add(core("serviceaccounts", "serviceaccount", "ServiceAccount", "sa")).returns_deleted = true;

  // Only the parts that `kubectl describe` of nodes and services needs.
  Resource& pods = add(core("pods", "pod", "Pod", "po"));
  pods.has_status = true;
  pods.returns_deleted = true;
  pods.selectable = {"spec.nodeName", "status.phase"};
  Resource& slices = add(core("endpointslices", "endpointslice", "EndpointSlice", ""));
  slices.group = "discovery.k8s.io";

  for (std::size_t i = 0; i < table.size(); ++i) {
    Resource& resource = table[i];
    resource.index = i;
    resource.schema = find_schema(resource.kind);
    resource.prefix =
        "{\"kind\":\"" + resource.kind + "\",\"apiVersion\":\"" + resource.api_version() + "\"";
  }
  return table;
}

}  // namespace

void enable_coordinated_leader_election() { coordinated_leader_election = true; }

const std::vector<Resource>& resources() {
  static const std::vector<Resource>& table = *new std::vector<Resource>(build());
  return table;
}

const Resource* find_resource(std::string_view group, std::string_view version,
                              std::string_view plural) {
  for (const Resource& resource : resources()) {
    if (resource.plural == plural && resource.group == group && resource.version == version) {
      return &resource;
    }
  }
  return nullptr;
}

const Resource& resource_named(std::string_view plural) {
  for (const Resource& resource : resources()) {
    if (resource.plural == plural) return resource;
  }
  throw bad_request("no such resource: " + std::string(plural));
}

bool known_group(std::string_view group) {
  if (group == "authentication.k8s.io" || group == "authorization.k8s.io") return true;
  for (const Resource& resource : resources()) {
    if (resource.group == group) return true;
  }
  return false;
}

std::string object_key(const Resource& resource, const std::string& name_space,
                       const std::string& name) {
  return resource.namespaced ? name_space + "/" + name : name;
}

}  // namespace sandbox
