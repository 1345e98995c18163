#include "writes.hpp"

#include "child_json.hpp"
#include "port_writes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

// The protocol of IP that a listener's is on: two listeners of one port differ in it (OS-387).
std::string transport_of(const std::string& protocol) {
  return protocol == "UDP" || protocol == "SCTP" ? protocol : "TCP";
}

bool is_wanted(const WantedLoadBalancer& wanted, const ExistingListener& listener) {
  return std::any_of(wanted.ports.begin(), wanted.ports.end(), [&](const WantedPort& port) {
    return port.protocol == listener.protocol && port.port == listener.port;
  });
}

// Whether nothing else uses the listener's pool.
bool goes_with(const ExistingLoadBalancer& existing, const ExistingListener& listener) {
  return existing.pool(listener.pool_id) != nullptr &&
         std::none_of(existing.listeners.begin(), existing.listeners.end(), [&](const auto& each) {
           return each.id != listener.id && each.pool_id == listener.pool_id;
         });
}

// "pool_3_NAME": one of ours that no listener has.
bool has_own_pool_name(const WantedLoadBalancer& wanted, const std::string& name) {
  constexpr std::string_view kKind = "pool_";
  if (!name.starts_with(kKind)) return false;
  const std::size_t end = name.find_first_not_of("0123456789", kKind.size());
  if (end == std::string::npos || end == kKind.size()) return false;
  const std::string number = name.substr(kKind.size(), end - kKind.size());
  return number.size() < 6 &&
         name == child_name("pool", static_cast<std::size_t>(std::stoi(number)), wanted.name);
}

LoadBalancerWrite deletion(std::string what, std::string path, const char* operation) {
  return {std::move(what), "DELETE", std::move(path), operation, {}};
}

// Listeners of ports that the Service has no more, their pools first (OS-263): a pool that is left
// alone would not be found again. And pools without a listener. Before anything is
// added: a listener keeps its port from others (OS-267).
void remove_surplus(const WantedLoadBalancer& wanted, const ExistingLoadBalancer& existing,
                    LoadBalancerWrites& out) {
  std::set<std::string> used;
  for (const ExistingListener& listener : existing.listeners) {
    used.insert(listener.pool_id);
    if (!listener.ours || is_wanted(wanted, listener)) continue;
    const std::string of_port = " of port " + std::to_string(listener.port);
    if (goes_with(existing, listener)) {
      out.push_back(deletion("pool" + of_port, "pools/" + listener.pool_id, "DeletePool"));
      out.back().replaces = "a pool of " +
                            std::to_string(existing.pool(listener.pool_id)->members.size()) +
                            " members";
    }
    out.push_back(deletion("listener" + of_port, "listeners/" + listener.id, "DeleteListener"));
  }
  for (const ExistingPool& pool : existing.pools) {
    if (used.contains(pool.id) || !has_own_pool_name(wanted, pool.name)) continue;
    if (is_replacement(wanted, existing, pool)) continue;
    out.push_back(deletion("pool " + pool.name, "pools/" + pool.id, "DeletePool"));
  }
}

}  // namespace

LoadBalancerWrite creation(const WantedLoadBalancer& wanted) {
  json body = {{"name", wanted.name},
               {"description", wanted.description},
               {"tags", json::array({wanted.name, wanted.mark})}};
  if (!wanted.cluster_mark.empty()) body["tags"].push_back(wanted.cluster_mark);
  const std::pair<const char*, const std::string&> texts[] = {
      {"provider", wanted.provider},
      {"vip_port_id", wanted.port_id},
      {"vip_address", wanted.address},
      {"flavor_id", wanted.flavor_id},
      {"availability_zone", wanted.availability_zone}};
  for (const auto& [name, text] : texts) {
    if (!text.empty()) body[name] = text;
  }
  if (wanted.port_id.empty()) {  // OS-201
    if (!wanted.subnet_id.empty()) body["vip_subnet_id"] = wanted.subnet_id;
    if (!wanted.network_id.empty()) body["vip_network_id"] = wanted.network_id;
  }
  if (!wanted.second_subnet_id.empty()) {
    body["additional_vips"] = json::array({{{"subnet_id", wanted.second_subnet_id}}});
  }
  if (!wanted.serial) {
    json& listeners = body["listeners"] = json::array();
    for (std::size_t i = 0; i < wanted.ports.size(); ++i) {
      listeners.push_back(whole_port_json(wanted, i));
    }
  }
  return {"load balancer", "POST", "loadbalancers", "CreateLoadBalancer",
          body_text({{"loadbalancer", std::move(body)}})};
}

Status check_collisions(const WantedLoadBalancer& wanted, const ExistingLoadBalancer& existing) {
  for (const ExistingListener& listener : existing.listeners) {
    for (const WantedPort& port : wanted.ports) {
      if (listener.ours || listener.port != port.port ||
          transport_of(listener.protocol) != transport_of(port.protocol)) {
        continue;
      }
      return Status(Code::failed_precondition, ErrorClass::invalid_spec,
                    "the load balancer already has a listener of " + transport_of(port.protocol) +
                        " port " + std::to_string(port.port) + " that is not this Service's")
          .with_reason("PortInUse");
    }
  }
  return {};
}

LoadBalancerWrites differences(const WantedLoadBalancer& wanted,
                               const ExistingLoadBalancer& existing) {
  LoadBalancerWrites out;
  remove_surplus(wanted, existing, out);
  for (std::size_t i = 0; i < wanted.ports.size(); ++i) {
    PortWrites(wanted, i, existing, out).all();
  }
  return out;
}

LoadBalancerWrites member_differences(const WantedLoadBalancer& wanted,
                                      const ExistingLoadBalancer& existing) {
  LoadBalancerWrites out;
  for (std::size_t i = 0; i < wanted.ports.size(); ++i) {
    PortWrites(wanted, i, existing, out).members_alone();
  }
  return out;
}

LoadBalancerWrite tags_of(const ExistingLoadBalancer& existing,
                          const std::vector<std::string>& tags) {
  return {"tags", "PUT", "loadbalancers/" + existing.id, "UpdateLoadBalancer",
          body_text({{"loadbalancer", {{"tags", tags}}}})};
}

LoadBalancerWrites tagging(const LoadBalancerService& service, Claim claim,
                           const ExistingLoadBalancer& existing, const std::string& cluster_uid) {
  const bool there =
      existing.tagged(service_mark(service)) && existing.tagged(load_balancer_name(service));
  if (there && claim != Claim::takeover) return {};
  auto tags = with_own_tags(service, claim, existing, cluster_uid);
  if (tags == existing.tags) return {};
  return {tags_of(existing, tags)};
}

LoadBalancerWrites removal_of_listeners(const ExistingLoadBalancer& existing) {
  LoadBalancerWrites out;
  for (const ExistingListener& listener : existing.listeners) {
    if (!listener.ours) continue;
    if (goes_with(existing, listener)) {
      out.push_back(
          deletion("pool " + listener.pool_id, "pools/" + listener.pool_id, "DeletePool"));
    }
    out.push_back(
        deletion("listener " + listener.id, "listeners/" + listener.id, "DeleteListener"));
  }
  return out;
}

LoadBalancerWrites removal_of_parts(const ExistingLoadBalancer& existing) {
  LoadBalancerWrites out;
  for (const ExistingPool& pool : existing.pools) {
    out.push_back(deletion("pool " + pool.id, "pools/" + pool.id, "DeletePool"));
  }
  for (const ExistingListener& listener : existing.listeners) {
    out.push_back(
        deletion("listener " + listener.id, "listeners/" + listener.id, "DeleteListener"));
  }
  return out;
}

LoadBalancerWrite removal(const ExistingLoadBalancer& existing, bool cascade) {
  return {"load balancer",
          "DELETE",
          "loadbalancers/" + existing.id + (cascade ? "?cascade=true" : ""),
          "DeleteLoadBalancer",
          {}};
}

}  // namespace ccm::openstack
