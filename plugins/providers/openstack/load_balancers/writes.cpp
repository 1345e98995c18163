#include "writes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestChildName = 255;

std::string as_text(const json& body) {
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

// OS-218.
std::string child_name(const char* kind, std::size_t index, const std::string& balancer) {
  std::string name = std::string(kind) + "_" + std::to_string(index) + "_" + balancer;
  if (name.size() > kLongestChildName) name.resize(kLongestChildName);
  return name;
}

std::string port_text(const WantedPort& port) {
  return port.protocol + " port " + std::to_string(port.port);
}

json members_json(const std::vector<Member>& members) {
  json list = json::array();
  for (const Member& member : members) {
    json& entry = list.emplace_back(
        json{{"name", member.name}, {"address", member.address}, {"protocol_port", member.port}});
    if (!member.subnet_id.empty()) entry["subnet_id"] = member.subnet_id;
    if (member.monitor_port != 0) entry["monitor_port"] = member.monitor_port;
  }
  return list;
}

json monitor_json(const Monitor& monitor) {
  json out = {{"delay", monitor.delay},
              {"timeout", monitor.timeout},
              {"max_retries", monitor.max_retries},
              {"max_retries_down", monitor.max_retries_down}};
  return out;
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

json persistence_json(bool source_ip) {
  return source_ip ? json{{"type", "SOURCE_IP"}} : json(nullptr);
}

// One port of the Service against its listener.
class PortWrites {
 public:
  PortWrites(const WantedLoadBalancer& wanted, std::size_t index,
             const ExistingLoadBalancer& existing, std::vector<LoadBalancerWrite>& out)
      : balancer_(wanted),
        port_(wanted.ports[index]),
        index_(index),
        existing_(existing),
        out_(out) {}

  [[nodiscard]] const ExistingListener* listener() const {
    for (const ExistingListener& each : existing_.listeners) {
      if (each.protocol == port_.protocol && each.port == port_.port) return &each;
    }
    return nullptr;
  }
  [[nodiscard]] const ExistingPool* pool() const {
    const ExistingListener* its = listener();
    for (const ExistingPool& each : existing_.pools) {
      if (its != nullptr && each.id == its->pool_id) return &each;
    }
    return nullptr;
  }

  [[nodiscard]] json listener_json() const {
    json out = {{"name", child_name("listener", index_, balancer_.name)},
                {"protocol", port_.protocol},
                {"protocol_port", port_.port},
                {"allowed_cidrs", port_.allowed_cidrs},
                {"tags", json::array({balancer_.name, balancer_.mark})}};
    return out;
  }
  [[nodiscard]] json pool_json() const {
    json out = {{"name", child_name("pool", index_, balancer_.name)},
                {"protocol", port_.protocol},
                {"lb_algorithm", port_.method}};
    if (port_.source_ip) out["session_persistence"] = persistence_json(true);
    return out;
  }
  [[nodiscard]] json monitor() const {
    return new_monitor_json(*port_.monitor, child_name("monitor", index_, balancer_.name));
  }
  // With all below it.
  [[nodiscard]] json whole() const {
    json out = listener_json();
    out["default_pool"] = pool_json();
    out["default_pool"]["members"] = members_json(port_.members);
    if (port_.monitor) out["default_pool"]["healthmonitor"] = monitor();
    return out;
  }

  void all() {
    const ExistingListener* its = listener();
    if (its == nullptr) {
      json body = listener_json();
      body["loadbalancer_id"] = existing_.id;
      return add("listener", "POST", "listeners", "CreateListener", {{"listener", body}});
    }
    if (its->allowed_cidrs != port_.allowed_cidrs) {
      add("source ranges", "PUT", "listeners/" + its->id, "UpdateListener",
          {{"listener", {{"allowed_cidrs", port_.allowed_cidrs}}}});
    }
    const ExistingPool* members_of = pool();
    if (members_of == nullptr) {
      json body = pool_json();
      body["listener_id"] = its->id;
      return add("pool", "POST", "pools", "CreatePool", {{"pool", body}});
    }
    pool_fields(*members_of);
    members(*members_of);
    monitor_fields(*members_of);
  }

  void members(const ExistingPool& pool) {
    if (pool.members == port_.members) return;
    add("members", "PUT", "pools/" + pool.id + "/members", "SetMembers",
        {{"members", members_json(port_.members)}});
  }

 private:
  void pool_fields(const ExistingPool& pool) {
    json changes = json::object();
    if (pool.method != port_.method) changes["lb_algorithm"] = port_.method;
    if (pool.source_ip != port_.source_ip) {
      changes["session_persistence"] = persistence_json(port_.source_ip);
    }
    if (changes.empty()) return;
    add("method or affinity", "PUT", "pools/" + pool.id, "UpdatePool", {{"pool", changes}});
  }
  // OS-280.
  void monitor_fields(const ExistingPool& pool) {
    if (pool.monitor == port_.monitor) return;
    const std::string path = "healthmonitors/" + pool.monitor_id;
    const bool change = pool.monitor && port_.monitor && pool.monitor->type == port_.monitor->type;
    if (change) {
      return add("health monitor", "PUT", path, "UpdateHealthMonitor",
                 {{"healthmonitor", monitor_json(*port_.monitor)}});
    }
    if (pool.monitor) add("health monitor", "DELETE", path, "DeleteHealthMonitor", nullptr);
    if (!port_.monitor) return;
    json body = monitor();
    body["pool_id"] = pool.id;
    add("health monitor", "POST", "healthmonitors", "CreateHealthMonitor",
        {{"healthmonitor", body}});
  }
  void add(const std::string& what, const char* method, const std::string& path,
           const char* operation, const json& body) {
    out_.push_back({what + " of " + port_text(port_), method, path, operation,
                    body.is_null() ? std::string() : as_text(body)});
  }

  const WantedLoadBalancer& balancer_;
  const WantedPort& port_;
  const std::size_t index_;
  const ExistingLoadBalancer& existing_;
  std::vector<LoadBalancerWrite>& out_;
};

// Listeners of ports that the Service has no more, and pools without a listener. Before anything is
// added: a listener keeps its port from others (OS-267).
void remove_surplus(const WantedLoadBalancer& wanted, const ExistingLoadBalancer& existing,
                    std::vector<LoadBalancerWrite>& out) {
  std::set<std::string> used;
  for (const ExistingListener& listener : existing.listeners) {
    const bool is_wanted =
        std::any_of(wanted.ports.begin(), wanted.ports.end(), [&](const WantedPort& port) {
          return port.protocol == listener.protocol && port.port == listener.port;
        });
    if (is_wanted) {
      used.insert(listener.pool_id);
    } else {
      out.push_back({"listener of port " + std::to_string(listener.port),
                     "DELETE",
                     "listeners/" + listener.id,
                     "DeleteListener",
                     {}});
    }
  }
  for (const ExistingPool& pool : existing.pools) {
    if (used.contains(pool.id)) continue;
    out.push_back({"pool " + pool.id, "DELETE", "pools/" + pool.id, "DeletePool", {}});
  }
}

}  // namespace

LoadBalancerWrite creation(const WantedLoadBalancer& wanted) {
  json body = {{"name", wanted.name},
               {"description", wanted.description},
               {"tags", json::array({wanted.name, wanted.mark})},
               {"listeners", json::array()}};
  if (!wanted.provider.empty()) body["provider"] = wanted.provider;
  if (!wanted.subnet_id.empty()) body["vip_subnet_id"] = wanted.subnet_id;
  if (!wanted.network_id.empty()) body["vip_network_id"] = wanted.network_id;
  if (!wanted.address.empty()) body["vip_address"] = wanted.address;
  std::vector<LoadBalancerWrite> none;
  const ExistingLoadBalancer nothing;
  for (std::size_t i = 0; i < wanted.ports.size(); ++i) {
    body["listeners"].push_back(PortWrites(wanted, i, nothing, none).whole());
  }
  return {"load balancer", "POST", "loadbalancers", "CreateLoadBalancer",
          as_text({{"loadbalancer", std::move(body)}})};
}

std::vector<LoadBalancerWrite> differences(const WantedLoadBalancer& wanted,
                                           const ExistingLoadBalancer& existing) {
  std::vector<LoadBalancerWrite> out;
  remove_surplus(wanted, existing, out);
  for (std::size_t i = 0; i < wanted.ports.size(); ++i) {
    PortWrites(wanted, i, existing, out).all();
  }
  std::set<std::string> tags(existing.tags.begin(), existing.tags.end());
  const std::size_t before = tags.size();
  tags.insert({wanted.name, wanted.mark});
  if (tags.size() != before) {
    out.push_back({"tags", "PUT", "loadbalancers/" + existing.id, "UpdateLoadBalancer",
                   as_text({{"loadbalancer", {{"tags", tags}}}})});
  }
  return out;
}

std::vector<LoadBalancerWrite> member_differences(const WantedLoadBalancer& wanted,
                                                  const ExistingLoadBalancer& existing) {
  std::vector<LoadBalancerWrite> out;
  for (std::size_t i = 0; i < wanted.ports.size(); ++i) {
    PortWrites port(wanted, i, existing, out);
    if (const ExistingPool* pool = port.pool()) port.members(*pool);
  }
  return out;
}

}  // namespace ccm::openstack
