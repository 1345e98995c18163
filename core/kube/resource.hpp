// A kind of Kubernetes object, and the paths under which the API server offers it. Value type, any
// thread.
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <string_view>

namespace ccm::kube {

struct Resource {
  std::string group;    // empty for the core group
  std::string version;  // "v1"
  std::string plural;   // "nodes"
  std::string kind;     // "Node"; empty when neither given nor well known
  bool namespaced = false;

  // Reads "v1/nodes" or "coordination.k8s.io/v1/leases". Kind and scope are filled in for the
  // resources that a cloud controller manager deals with; other ones count as namespaced until the
  // caller says otherwise. Failure: invalid_argument naming the text.
  static Result<Resource> parse(std::string_view text);

  // "v1", "coordination.k8s.io/v1": the apiVersion of its objects.
  [[nodiscard]] std::string api_version() const {
    return group.empty() ? version : group + "/" + version;
  }
  // "v1/nodes": the inverse of parse().
  [[nodiscard]] std::string id() const { return api_version() + "/" + plural; }
  // Path without the server's prefix (API-1). Empty parts are left out: path("ns") is a collection,
  // path("", "n1", "status") a subresource. Names are percent-encoded.
  [[nodiscard]] std::string path(std::string_view namespace_name, std::string_view name = {},
                                 std::string_view subresource = {}) const;

  bool operator==(const Resource&) const = default;
};

namespace resources {
Resource nodes();
Resource services();
Resource events();
Resource leases();
Resource config_maps();
}  // namespace resources

// Both resourceVersions are of one resource, and `version` is the older one (API-13). False when
// one of them is no decimal number without a leading zero: then nothing is known.
bool older_version(std::string_view version, std::string_view other);

}  // namespace ccm::kube
