// The objects that a manager made in the account, by the rules of ccm/abi/owned.h: load balancers
// with a tag "k8s:CLUSTER" or "k8s:CLUSTER:service:UID", those whose name is made from a Service's
// UID, and the firewall that the settings name. [serial]
#pragma once

#include "digitalocean/api.hpp"
#include "digitalocean/load_balancers/existing.hpp"
#include "digitalocean/load_balancers/listing.hpp"

#include <ccm/host.hpp>
#include <ccm/owned.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ccm::digitalocean {

// The load balancer as one of this cluster, or of none; nothing for one of another cluster, or of
// no manager. Any thread.
std::optional<OwnedObject> owned_balancer(const ExistingLoadBalancer& balancer,
                                          const std::vector<std::string>& clusters);

class Owned {
 public:
  using Objects = std::vector<OwnedObject>;

  Owned(Host& host, Api& api) : host_(host), api_(api), balancers_(host, api) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  Task<Result<Objects>> list(Ctx ctx, ClusterNames cluster);
  Task<Status> remove(Ctx ctx, ClusterNames cluster, OwnedObject object);

 private:
  // The names of the cluster in tags: DO_CLUSTER_ID outweighs the rest (docs/decisions/0011).
  [[nodiscard]] std::vector<std::string> names_of(const ClusterNames& cluster) const;
  // Its name proves no cluster, so it is listed and never removed.
  Task<Status> list_firewall(Ctx ctx, Objects& out);
  Task<void> drop_marks(Ctx ctx, ExistingLoadBalancer deleted, std::vector<std::string> clusters);

  Host& host_;
  Api& api_;
  LoadBalancerListing balancers_;
};

}  // namespace ccm::digitalocean
