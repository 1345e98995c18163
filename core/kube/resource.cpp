#include "kube/resource.hpp"

#include <ccm/percent_encode.hpp>

#include <algorithm>
#include <array>
#include <ranges>
#include <vector>

namespace ccm::kube {

namespace {

struct Known {
  std::string_view group, plural, kind;
  bool namespaced;
};

constexpr std::array kKnown = {
    Known{"", "nodes", "Node", false},
    Known{"", "services", "Service", true},
    Known{"", "endpoints", "Endpoints", true},
    Known{"", "events", "Event", true},
    Known{"", "configmaps", "ConfigMap", true},
    Known{"", "secrets", "Secret", true},
    Known{"", "pods", "Pod", true},
    Known{"", "namespaces", "Namespace", false},
    Known{"", "serviceaccounts", "ServiceAccount", true},
    Known{"", "persistentvolumes", "PersistentVolume", false},
    Known{"", "persistentvolumeclaims", "PersistentVolumeClaim", true},
    Known{"apps", "deployments", "Deployment", true},
    Known{"apps", "daemonsets", "DaemonSet", true},
    Known{"authentication.k8s.io", "tokenreviews", "TokenReview", false},
    Known{"authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview", false},
    Known{"coordination.k8s.io", "leases", "Lease", true},
    Known{"discovery.k8s.io", "endpointslices", "EndpointSlice", true},
    Known{"networking.k8s.io", "ingresses", "Ingress", true},
    Known{"storage.k8s.io", "storageclasses", "StorageClass", false},
    Known{"storage.k8s.io", "volumeattachments", "VolumeAttachment", false},
};

bool good_part(std::string_view part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

Resource make(std::string_view group, std::string_view version, std::string_view plural) {
  Resource result{std::string(group), std::string(version), std::string(plural), {}, true};
  for (const Known& known : kKnown) {
    if (known.group != group || known.plural != plural) continue;
    result.kind = known.kind;
    result.namespaced = known.namespaced;
  }
  return result;
}

}  // namespace

Result<Resource> Resource::parse(std::string_view text) {
  std::vector<std::string_view> parts;
  for (const auto part : std::views::split(text, '/')) parts.emplace_back(part.begin(), part.end());
  const bool good = (parts.size() == 2 || parts.size() == 3) &&
                    std::all_of(parts.begin(), parts.end(), good_part);
  if (!good) {
    return Status(
        Code::invalid_argument, ErrorClass::invalid_spec,
        "\"" + std::string(text) +
            "\" names no resource: write \"v1/nodes\" or \"coordination.k8s.io/v1/leases\"");
  }
  if (parts.size() == 2) return make("", parts[0], parts[1]);
  return make(parts[0], parts[1], parts[2]);
}

std::string Resource::path(std::string_view namespace_name, std::string_view name,
                           std::string_view subresource) const {
  std::string out = (group.empty() ? "/api/" : "/apis/") + api_version();
  if (namespaced && !namespace_name.empty()) out += "/namespaces/" + percent_encode(namespace_name);
  out += "/" + plural;
  if (!name.empty()) out += "/" + percent_encode(name);
  if (!name.empty() && !subresource.empty()) out += "/" + std::string(subresource);
  return out;
}

namespace resources {
Resource nodes() { return make("", "v1", "nodes"); }
Resource services() { return make("", "v1", "services"); }
Resource events() { return make("", "v1", "events"); }
Resource leases() { return make("coordination.k8s.io", "v1", "leases"); }
Resource config_maps() { return make("", "v1", "configmaps"); }
}  // namespace resources

namespace {

bool well_formed(std::string_view version) {
  return !version.empty() && version.front() != '0' &&
         std::all_of(version.begin(), version.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool older_version(std::string_view version, std::string_view other) {
  if (!well_formed(version) || !well_formed(other)) return false;
  return version.size() != other.size() ? version.size() < other.size() : version < other;
}

}  // namespace ccm::kube
