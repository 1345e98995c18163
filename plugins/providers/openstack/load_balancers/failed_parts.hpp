// Parts of a load balancer that Octavia could not change: they are in ERROR while the load balancer
// is ACTIVE. Octavia's API shows what was asked for, and the load balancer's machines do not have
// it. Octavia forgets about it; only a further write of the part makes it try again.
#pragma once

#include "existing.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <map>
#include <string>

namespace ccm::openstack {

// "listener of port 80, members of pool NAME"; empty = none. `ours_alone`: without listeners of
// other Services, and their pools. Any thread.
std::string failed_parts(const ExistingLoadBalancer& balancer, bool ours_alone);

// The text with a blank before it, for the end of a message; empty = nothing.
std::string in_brackets(const std::string& text);
// The answer about an ACTIVE load balancer: those parts of it are not as they were written.
Status not_applied(const ExistingLoadBalancer& balancer, const std::string& failed);

// When failed parts of a load balancer are written again: at once, and then every 10 minutes.
// [serial]
class Repairs {
 public:
  explicit Repairs(Host& host) : host_(host) {}

  // Whether it is time; then the next time is later. Called for each that has failed parts.
  bool begin(const std::string& balancer_id);
  // It has none, or is gone.
  void forget(const std::string& balancer_id) { last_.erase(balancer_id); }

 private:
  Host& host_;
  std::map<std::string, std::chrono::milliseconds> last_;  // by ID
};

}  // namespace ccm::openstack
