// digitalocean-tags: keeps the cluster's tag on the load balancers of its Services
// (DO-277..DO-283). [serial]
#pragma once

#include "digitalocean/api.hpp"
#include "digitalocean/load_balancers/listing.hpp"

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
  // Of this cluster's Services, disowned ones left out.
  [[nodiscard]] std::set<std::string> recorded_ids() const;
  // Of those, the ones that are there and lack the tag.
  [[nodiscard]] std::vector<std::string> untagged(const LoadBalancerListing::Balancers& all,
                                                  const std::set<std::string>& ids) const;
  Task<Status> tag(Ctx ctx, std::vector<std::string> ids);

  Host& host_;
  Api api_;
  LoadBalancerListing listing_;
  // Tagged by us, for answers that do not tell tags (DO-344).
  std::set<std::string> tagged_;
};

}  // namespace ccm::digitalocean
