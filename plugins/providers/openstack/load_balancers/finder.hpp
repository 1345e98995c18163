// The load balancer of a Service among those of the cloud, and the proof that it is the Service's
// (OS-226..OS-229). [serial]
#pragma once

#include "addresses.hpp"
#include "existing.hpp"
#include "octavia.hpp"
#include "ownership.hpp"
#include "service_marks.hpp"

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/object.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <map>
#include <optional>
#include <string>

namespace ccm::openstack {

class LoadBalancerFinder {
 public:
  using Found = std::optional<ExistingLoadBalancer>;

  LoadBalancerFinder(Host& host, Octavia& octavia, Addresses& addresses)
      : host_(host), octavia_(octavia), addresses_(addresses) {}

  // By the recorded ID, by the Service's mark, then by the name that the Go manager gave. One that
  // the ID leads to and that is somebody else's: only when there is no other.
  Task<Result<Found>> find(Ctx ctx, const LoadBalancerService& service);
  // As ownership.hpp says, with the proofs that Octavia and Neutron have.
  Task<Result<Claim>> claim(Ctx ctx, const LoadBalancerService& service,
                            const ExistingLoadBalancer& balancer);
  // Whether a Service of this cluster may share it: each that has it permits its namespace.
  Task<Status> may_join(Ctx ctx, const LoadBalancerService& guest, const std::string& cluster_uid,
                        const ExistingLoadBalancer& balancer);
  // Drops what is remembered about a Service whose load balancer is gone.
  void forget(const LoadBalancerService& service) { proven_.erase(service.uid); }

 private:
  Task<Result<Found>> find_by_name(Ctx ctx, const LoadBalancerService& service);
  Task<Result<bool>> is_this_clusters(Ctx ctx, const LoadBalancerService& service,
                                      const ExistingLoadBalancer& balancer);
  Task<Result<bool>> serves_nodes(Ctx ctx, const ExistingLoadBalancer& balancer);
  // The Service of the cluster by whose name a load balancer goes; empty = there is none, or it is
  // not proven to be its.
  Task<Result<Object>> user_of(Ctx ctx, const LoadBalancerService& guest, MarkedService user,
                               const ExistingLoadBalancer& balancer);
  [[nodiscard]] std::map<std::string, std::string> servers_with(
      const std::map<std::string, const Member*>& addresses) const;

  Host& host_;
  Octavia& octavia_;
  Addresses& addresses_;
  // By the Service's UID, where no mark says so: a change of its type empties the status.
  std::map<std::string, std::string> proven_;
};

}  // namespace ccm::openstack
