#include "child_json.hpp"

#include <nlohmann/json.hpp>

namespace ccm::openstack {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestChildName = 255;

}  // namespace

std::string body_text(const json& body) {
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string child_name(const char* kind, std::size_t index, const std::string& balancer) {
  std::string name = std::string(kind) + "_" + std::to_string(index) + "_" + balancer;
  if (name.size() > kLongestChildName) name.resize(kLongestChildName);
  return name;
}

std::string port_text(const WantedPort& port) {
  return port.protocol + " port " + std::to_string(port.port);
}

json member_json(const Member& member) {
  json entry = {{"name", member.name}, {"address", member.address}, {"protocol_port", member.port}};
  if (!member.subnet_id.empty()) entry["subnet_id"] = member.subnet_id;
  if (member.monitor_port != 0) entry["monitor_port"] = member.monitor_port;
  return entry;
}

json members_json(const std::vector<Member>& members) {
  json list = json::array();
  for (const Member& member : members) list.push_back(member_json(member));
  return list;
}

json monitor_json(const Monitor& monitor) {
  return {{"delay", monitor.delay},
          {"timeout", monitor.timeout},
          {"max_retries", monitor.max_retries},
          {"max_retries_down", monitor.max_retries_down}};
}

json new_monitor_json(const Monitor& monitor, const std::string& name) {
  json out = monitor_json(monitor);
  out["name"] = name;
  out["type"] = monitor.type;
  if (monitor.type == "HTTP") {
    out.update({{"url_path", "/healthz"}, {"http_method", "GET"}, {"expected_codes", "200"}});
  }
  return out;
}

json timeouts_json(const Timeouts& timeouts) {
  return {{"timeout_client_data", timeouts.client_data},
          {"timeout_member_connect", timeouts.member_connect},
          {"timeout_member_data", timeouts.member_data},
          {"timeout_tcp_inspect", timeouts.tcp_inspect}};
}

json persistence_json(bool source_ip) {
  return source_ip ? json{{"type", "SOURCE_IP"}} : json(nullptr);
}

json headers_json(bool x_forwarded_for) {
  return x_forwarded_for ? json{{"X-Forwarded-For", "true"}} : json::object();
}

json new_listener_json(const WantedLoadBalancer& wanted, std::size_t index) {
  const WantedPort& port = wanted.ports[index];
  json out = {{"name", child_name("listener", index, wanted.name)},
              {"protocol", port.protocol},
              {"protocol_port", port.port},
              {"connection_limit", port.connection_limit},
              {"tags", json::array({wanted.name, wanted.mark})}};
  if (port.timeouts) out.update(timeouts_json(*port.timeouts));
  if (port.allowed_cidrs) out["allowed_cidrs"] = *port.allowed_cidrs;
  if (port.x_forwarded_for) out["insert_headers"] = headers_json(true);
  if (!port.tls_container_ref.empty()) out["default_tls_container_ref"] = port.tls_container_ref;
  return out;
}

json new_pool_json(const WantedLoadBalancer& wanted, std::size_t index) {
  const WantedPort& port = wanted.ports[index];
  json out = {{"name", child_name("pool", index, wanted.name)},
              {"protocol", port.pool_protocol},
              {"lb_algorithm", port.method}};
  if (port.source_ip) out["session_persistence"] = persistence_json(true);
  return out;
}

json whole_port_json(const WantedLoadBalancer& wanted, std::size_t index) {
  const WantedPort& port = wanted.ports[index];
  json out = new_listener_json(wanted, index);
  json& pool = out["default_pool"] = new_pool_json(wanted, index);
  pool["members"] = members_json(port.members);
  if (port.monitor) {
    pool["healthmonitor"] =
        new_monitor_json(*port.monitor, child_name("monitor", index, wanted.name));
  }
  return out;
}

}  // namespace ccm::openstack
