// What differs between the load balancer that is wanted and the one that exists, in what we manage,
// and the bodies that make one of the other (DO-110, DO-233, DO-337, DO-345). Pure; any thread.
#pragma once

#include "digitalocean/load_balancers/existing.hpp"
#include "digitalocean/load_balancers/model.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ccm::digitalocean {

// Names of what differs, for people ("forwarding rules"); empty = no write is needed. The order of
// rules, targets and ranges means nothing, and what the API leaves out counts as its default.
std::vector<std::string> differences(const WantedLoadBalancer& wanted,
                                     const ExistingLoadBalancer& existing);
// The name under which targets stand in that list.
inline constexpr const char* kBackendsDiffer = "backends";
// What is no setting of the load balancer, and written by itself.
inline constexpr const char* kOwnerDiffers = "owner";
inline constexpr const char* kTagDiffers = "cluster tag";

// Body of POST /v2/load_balancers.
std::string create_body(const WantedLoadBalancer& wanted);

// Body of PUT /v2/load_balancers/{id}: a PUT resets what it leaves out, so whatever we do not
// manage stands in it as it is (project, cipher policy, further tags, size, idle timeout).
std::string update_body(const WantedLoadBalancer& wanted, const ExistingLoadBalancer& existing);

struct TargetChange {
  std::vector<int64_t> added;
  std::vector<int64_t> removed;
};
// `wanted` ascending, each once.
TargetChange target_change(const std::vector<int64_t>& wanted,
                           const ExistingLoadBalancer& existing);
// Body of POST and DELETE /v2/load_balancers/{id}/droplets.
std::string droplets_body(const std::vector<int64_t>& droplet_ids);

}  // namespace ccm::digitalocean
