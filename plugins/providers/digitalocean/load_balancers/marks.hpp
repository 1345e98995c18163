// Tags on existing load balancers: the cluster's, and the mark of the Service where the name does
// not show the owner (docs/decisions/0011); new ones have both. The API sets a load balancer's tags
// only at its creation; later ones are added through the tag (DO-353). A failure to add a tag
// blocks nothing, since there are other proofs: it is logged, for a token that may not change tags
// only once. [serial]
#pragma once

#include "digitalocean/api.hpp"
#include "digitalocean/load_balancers/existing.hpp"
#include "digitalocean/load_balancers/model.hpp"
#include "digitalocean/tags/tagging.hpp"

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/task.hpp>

#include <string>

namespace ccm::digitalocean {

class Marks {
 public:
  Marks(Host& host, Api& api) : host_(host), api_(api) {}

  // Whether the tag is wanted, seems to be missing, and can be added.
  [[nodiscard]] bool due(const std::string& tag, const ExistingLoadBalancer& existing) const;
  // Adds the missing tags, also to `existing`.
  Task<void> put(Ctx ctx, const WantedLoadBalancer& wanted, ExistingLoadBalancer& existing);
  // As put(), for a load balancer that is taken over: the former owners' tags are removed.
  Task<void> take_over(Ctx ctx, const LoadBalancerService& service,
                       const WantedLoadBalancer& wanted, ExistingLoadBalancer& existing);
  // Deletes the Service's mark, which would otherwise remain in the account.
  Task<void> drop(Ctx ctx, const LoadBalancerService& service, const ExistingLoadBalancer& deleted);

  // The token may not change tags.
  void refused(const Status& status);
  [[nodiscard]] bool allowed() const { return allowed_; }

 private:
  // False when it failed, which is logged.
  Task<bool> send(Ctx ctx, TagChange change, std::string tag, ExistingLoadBalancer& existing);

  Host& host_;
  Api& api_;
  bool allowed_ = true;
};

}  // namespace ccm::digitalocean
