// Ownership of a load balancer (docs/decisions/0032). A Service's annotations and its spec, node
// ports included, are written by its user, so they prove nothing. These do:
//   - a tag "k8s:CLUSTER:service:UID": the mark; new ones have "...:UID:NAMESPACE:NAME" beside it;
//   - the name made from the Service's UID (DO-92), which the API server chooses;
//   - that this process has seen a proof before, or created it and got no answer.
// A load balancer of DigitalOcean's own manager may have a chosen name and no mark. It is the
// Service's that has no other by a mark, and whose status, which users cannot write, shows
//   - its address; one that the Service asks for only with Nodes of this cluster behind it and
//     nobody else who shows it, since other controllers copy wishes into the status;
//   - a host name, which is the user's: when it leads to Nodes of this cluster and to node ports
//     alone that the API server gave to this Service, and the Service was there before it.
// The tag of a cluster other than the configured one, and the mark of another Service, outweigh
// them. [serial]
#pragma once

#include "digitalocean/api.hpp"
#include "digitalocean/load_balancers/existing.hpp"
#include "digitalocean/load_balancers/listing.hpp"

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

// The UID in a tag "k8s:CLUSTER:service:UID" or "k8s:CLUSTER:service:UID:NAMESPACE:NAME"; nothing
// for other tags.
std::optional<std::string_view> marked_service(std::string_view tag);
// "NAMESPACE/NAME" in such a tag; empty = it has no room for them.
std::string marked_name(std::string_view tag);

// A tag "k8s:ID" of a cluster that is not `ours`; empty = none, or `ours` is there as well. Without
// an `ours` no tag is another cluster's.
std::string foreign_cluster_tag(const ExistingLoadBalancer& balancer, std::string_view ours);

class Ownership {
 public:
  // A Service's proofs, read once for a search among many load balancers.
  struct Claim {
    const LoadBalancerService& service;         // uid, id, ports and object are read
    std::string name;                           // made from the UID
    std::string chosen_name;                    // by annotation
    std::vector<std::string> addresses;         // in its status
    std::vector<std::string> asked;             // there, too, but the Service asks for them
    bool host_name = false;                     // its status has the host name of its annotation
    const LoadBalancerListing::Balancers& all;  // of the account
  };

  Ownership(Host& host, Api& api) : host_(host), api_(api) {}

  // OWNERSHIP: borrows from both.
  [[nodiscard]] static Claim claim_of(const LoadBalancerService& service,
                                      const LoadBalancerListing::Balancers& all);
  // Whether there is a proof that it is the Service's.
  [[nodiscard]] bool owns(const Claim& claim, const ExistingLoadBalancer& balancer) const;
  // As owns(), and ownership is remembered.
  bool proven(const LoadBalancerService& service, const ExistingLoadBalancer& balancer,
              const LoadBalancerListing::Balancers& all);

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

  // By mark or name; nothing = neither it nor another Service's says so.
  [[nodiscard]] std::optional<bool> marked(const Claim& claim,
                                           const ExistingLoadBalancer& balancer) const;
  // Whether one of the account's others is the Service's by mark or name, or known to be.
  [[nodiscard]] bool has_another(const Claim& claim, const ExistingLoadBalancer& balancer) const;
  [[nodiscard]] bool made_unheard(const Claim& claim, const ExistingLoadBalancer& balancer) const;
  [[nodiscard]] bool shown_in_status(const Claim& claim,
                                     const ExistingLoadBalancer& balancer) const;
  [[nodiscard]] bool older_one_shows_it(const Claim& claim,
                                        const ExistingLoadBalancer& balancer) const;
  [[nodiscard]] bool other_shows_it(const Claim& claim, const ExistingLoadBalancer& balancer) const;
  [[nodiscard]] bool serves_only(const Claim& claim, const ExistingLoadBalancer& balancer) const;
  // Whether most of its droplets are Nodes of this cluster: a kubelet may register its Node as a
  // droplet of another one.
  [[nodiscard]] bool reaches_nodes(const ExistingLoadBalancer& balancer) const;

  Host& host_;
  Api& api_;
  std::unordered_map<std::string, std::string> proven_;  // the Service's UID, by id
  std::unordered_map<std::string, Lost> lost_;           // by the Service's UID
};

}  // namespace ccm::digitalocean
