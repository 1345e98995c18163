// digitalocean-tags: maintains the cluster's tag on the load balancers of its Services
// (DO-277..DO-283). [serial]
#pragma once

#include "digitalocean/api.hpp"
#include "digitalocean/load_balancers/listing.hpp"
#include "digitalocean/load_balancers/ownership.hpp"

#include <ccm/controller.hpp>
#include <ccm/host.hpp>
#include <ccm/task.hpp>

#include <set>
#include <string>
#include <vector>

namespace ccm::digitalocean {

class TagController {
 public:
  explicit TagController(Host& host);

  // Unimplemented without a cluster id; invalid_argument, one line, for wrong settings.
  Status setup(Setup& setup);
  Task<Result<ReconcileResult>> reconcile(Ctx ctx, Request request);

 private:
  // This cluster's Services with a recorded id, disowned ones left out.
  [[nodiscard]] std::vector<LoadBalancerService> recorded() const;
  // The IDs of those load balancers of these Services that are theirs and lack the tag.
  [[nodiscard]] std::vector<std::string> untagged(
      const LoadBalancerListing::Balancers& all,
      const std::vector<LoadBalancerService>& services) const;
  Task<Status> tag(Ctx ctx, std::vector<std::string> ids);

  Host& host_;
  Api api_;
  LoadBalancerListing listing_;
  Ownership ownership_;
  // Tagged by us, for answers that omit tags (DO-344).
  std::set<std::string> tagged_;
};

}  // namespace ccm::digitalocean
