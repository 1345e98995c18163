// Ownership of a load balancer (docs/decisions/0011). Every annotation of a Service is written by
// its user, so no annotation proves anything. These do:
//   - a tag "k8s:CLUSTER:service:UID": the mark of load balancers with a chosen name;
//   - the name made from the Service's UID (DO-92), which the API server chooses;
//   - that this process has seen a proof before, or created it and got no answer;
//   - its address in the Service's status, which users cannot write: a manager of this cluster,
//     perhaps DigitalOcean's own, wrote it;
//   - with a host name in the status instead: that it serves this Service and no other.
// The tag of a cluster other than the configured one, and the mark of another Service, outweigh
// them. [serial]
#pragma once

#include "digitalocean/api.hpp"
#include "digitalocean/load_balancers/existing.hpp"

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ccm::digitalocean {

// DO-92: the name made from a Service's UID.
std::string uid_name(std::string_view service_uid);

// Whether some Service's UID made that name: "a" and 31 hexadecimal digits.
bool is_uid_name(std::string_view name);

// The UID in a tag "k8s:CLUSTER:service:UID"; nothing for other tags.
std::optional<std::string_view> marked_service(std::string_view tag);

// A tag "k8s:ID" of a cluster that is not `ours`; empty = none, or `ours` is there as well. Without
// an `ours` no tag is another cluster's.
std::string foreign_cluster_tag(const ExistingLoadBalancer& balancer, std::string_view ours);

class Ownership {
 public:
  // A Service's proofs, read once for a search among many load balancers.
  struct Claim {
    const LoadBalancerService& service;  // uid, id, ports and object are read
    std::string name;                    // made from the UID
    std::string chosen_name;             // by annotation
    std::vector<std::string> addresses;  // in its status
    bool host_name = false;              // its status has the host name of its annotation
  };

  Ownership(Host& host, Api& api) : host_(host), api_(api) {}

  [[nodiscard]] static Claim claim_of(const LoadBalancerService& service);
  // Whether there is a proof that it is the Service's.
  [[nodiscard]] bool owns(const Claim& claim, const ExistingLoadBalancer& balancer) const;
  // The same; ownership is remembered.
  bool proven(const LoadBalancerService& service, const ExistingLoadBalancer& balancer);

  // There is a temporary proof: a change of type empties the status.
  void remember(const LoadBalancerService& service, const std::string& id) {
    proven_[id] = service.uid;
    lost_.erase(service.uid);
  }
  // A load balancer of that name may have been created; its answer was lost. `marked`: its mark was
  // requested.
  void remember_lost(const LoadBalancerService& service, const std::string& name, bool marked) {
    lost_[service.uid] = {name, marked};
  }
  void forget(const LoadBalancerService& service) {
    std::erase_if(proven_, [&](const auto& each) { return each.second == service.uid; });
    lost_.erase(service.uid);
  }

 private:
  struct Lost {
    std::string name;
    bool marked = false;
  };

  [[nodiscard]] bool made_unheard(const Claim& claim, const ExistingLoadBalancer& balancer) const;
  [[nodiscard]] bool shown_in_status(const Claim& claim,
                                     const ExistingLoadBalancer& balancer) const;
  [[nodiscard]] bool older_one_shows_it(const Claim& claim,
                                        const ExistingLoadBalancer& balancer) const;
  [[nodiscard]] bool serves_only(const Claim& claim, const ExistingLoadBalancer& balancer) const;
  // Whether a Node of this cluster is among its backends.
  [[nodiscard]] bool reaches_nodes(const ExistingLoadBalancer& balancer) const;

  Host& host_;
  Api& api_;
  std::unordered_map<std::string, std::string> proven_;  // the Service's UID, by id
  std::unordered_map<std::string, Lost> lost_;           // by the Service's UID
};

}  // namespace ccm::digitalocean
