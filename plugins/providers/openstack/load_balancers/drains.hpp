// Members whose Nodes leave: Octavia gives one of weight 0 no new connections, and those that it
// has may end before it is removed (OS-451). [serial]
#pragma once

#include "existing.hpp"
#include "wanted.hpp"

#include <ccm/host.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace ccm::openstack {

class Drains {
 public:
  explicit Drains(Host& host) : host_(host) {}

  // Where members have weights, keeps those that are not wanted any more among the wanted ones,
  // with weight 0, until each had `timeout` for that. Returns when to come back for the first of
  // them; nothing: none is left.
  std::optional<milliseconds> keep(WantedLoadBalancer& wanted, const ExistingLoadBalancer& existing,
                                   milliseconds timeout);

 private:
  // Whether its time is not over yet, and how much of it is left.
  std::optional<milliseconds> left(const std::string& member, milliseconds timeout);

  Host& host_;
  std::map<std::string, milliseconds> since_;  // by pool's ID and the member's key
};

}  // namespace ccm::openstack
