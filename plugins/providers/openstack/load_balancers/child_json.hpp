// The parts of a load balancer as Octavia takes them in requests (OS-264, OS-274, OS-279). Any
// thread.
#pragma once

#include "wanted.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace ccm::openstack {

// "listener_0_NAME" (OS-218).
std::string child_name(const char* kind, std::size_t index, const std::string& balancer);
// "TCP port 80".
std::string port_text(const WantedPort& port);

nlohmann::json members_json(const std::vector<Member>& members);
nlohmann::json member_json(const Member& member);
// The part of a monitor that can be changed.
nlohmann::json monitor_json(const Monitor& monitor);
nlohmann::json new_monitor_json(const Monitor& monitor, const std::string& name);
nlohmann::json timeouts_json(const Timeouts& timeouts);
nlohmann::json persistence_json(bool source_ip);
nlohmann::json headers_json(bool x_forwarded_for);
nlohmann::json new_listener_json(const WantedLoadBalancer& wanted, std::size_t index);
nlohmann::json new_pool_json(const WantedLoadBalancer& wanted, std::size_t index);
// A listener with all below it.
nlohmann::json whole_port_json(const WantedLoadBalancer& wanted, std::size_t index);

// A request's body.
std::string body_text(const nlohmann::json& body);

}  // namespace ccm::openstack
