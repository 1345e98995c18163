// The checks of ccmctl doctor, on what was read from the cluster. Pure.
#pragma once

#include "report.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::ctl {

using SystemTime = std::chrono::system_clock::time_point;

// `server`: when the API server answered, by its header Date.
Finding check_clock(std::optional<SystemTime> server, SystemTime local);

// `lease`: the object, or null when there is none; `later`: the same a little later, where the
// first look did not tell. `now`: the API server's time.
struct LeaseLook {
  std::string name;  // "kube-system/cloud-controller-manager"
  nlohmann::json lease;
  nlohmann::json later;
  SystemTime now;
};
// Whether a second look is needed: the holder did not renew in time.
bool lease_seems_stale(const nlohmann::json& lease, SystemTime now);
Finding check_lease(const LeaseLook& look);

// Nodes that no manager has initialised although they wait for `limit` or longer.
Finding check_uninitialized(const nlohmann::json& nodes, SystemTime now,
                            std::chrono::minutes limit);
// Nodes that are Ready for `limit` or longer, and still have the taint of an instance that is shut
// down.
Finding check_shutdown(const nlohmann::json& nodes, SystemTime now, std::chrono::minutes limit);
// Nodes with neither the taint nor a provider ID: their kubelets run without
// --cloud-provider=external. `prefixes`: of the provider's IDs, such as "openstack://".
Finding check_kubelets(const nlohmann::json& nodes, const std::vector<std::string>& prefixes);

// Services that have the finalizer of load balancers. `removed`: a controller runs that removes it.
Finding check_load_balancer_finalizers(const nlohmann::json& services, bool removed);
// Several Nodes with one provider ID: the oldest one has the instance.
Finding check_provider_ids(const nlohmann::json& nodes);
// Services of type LoadBalancer whose load balancers have no Node, and why they have none.
Finding check_backends(const nlohmann::json& nodes, const nlohmann::json& services);
// Nodes of one IP family in a cluster with Nodes of two.
Finding check_families(const nlohmann::json& nodes);

// `allocates`: our node-ipam-controller runs with --allocate-node-cidrs.
Finding check_pod_ranges(const nlohmann::json& nodes, bool allocates);

// The provider IDs of Nodes that begin with one of `prefixes`; without prefixes all.
std::vector<std::string> provider_ids_of(const nlohmann::json& nodes,
                                         const std::vector<std::string>& prefixes);

}  // namespace ccm::ctl
