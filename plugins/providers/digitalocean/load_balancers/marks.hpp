// Tags on load balancers that exist already: the cluster's, and the mark of the Service where the
// name does not say whose it is (docs/decisions/0011). The API takes a load balancer's tags only
// when it is made; later ones go by the tag (DO-353). A tag that cannot be put there holds up
// nothing, since there are other proofs: it is logged, and a token that may not change tags once.
// [serial]
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

  // Whether the tag is wanted, is missing as far as the API tells, and can be put there.
  [[nodiscard]] bool due(const std::string& tag, const ExistingLoadBalancer& existing) const;
  // Puts the tags there that are missing; `existing` has them then.
  Task<void> put(Ctx ctx, const WantedLoadBalancer& wanted, ExistingLoadBalancer& existing);
  // The same for one that is taken over: the tags of those who had it go.
  Task<void> take_over(Ctx ctx, const LoadBalancerService& service,
                       const WantedLoadBalancer& wanted, ExistingLoadBalancer& existing);
  // Deletes the Service's mark, which would stay behind in the account.
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
