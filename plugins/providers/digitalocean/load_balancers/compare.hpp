// The differences between the wanted and the existing load balancer in managed settings, and the
// bodies that turn one into the other (DO-110, DO-233, DO-337, DO-345). Pure; any thread.
#pragma once

#include "digitalocean/load_balancers/existing.hpp"
#include "digitalocean/load_balancers/model.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ccm::digitalocean {

// Names of differing settings, for people ("forwarding rules"); empty = no write is needed. The
// order of rules, targets and ranges does not matter, and omitted values count as the API's
// default.
std::vector<std::string> differences(const WantedLoadBalancer& wanted,
                                     const ExistingLoadBalancer& existing);
// The name under which targets stand in that list.
inline constexpr const char* kBackendsDiffer = "backends";
// Differences that are not settings of the load balancer and are written separately.
inline constexpr const char* kOwnerDiffers = "owner";
inline constexpr const char* kTagDiffers = "cluster tag";

// Body of POST /v2/load_balancers.
std::string create_body(const WantedLoadBalancer& wanted);

// Body of PUT /v2/load_balancers/{id}: a PUT resets omitted members, so unmanaged settings are sent
// unchanged (project, cipher policy, further tags, size, idle timeout).
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
