#include "openstack_api/changing_services.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace ccm::openstack_api {
namespace {

constexpr const char* kId = "loadbalancer.openstack.org/load-balancer-id";
constexpr const char* kConnections = "loadbalancer.openstack.org/connection-limit";
const json kRanges = {"192.0.2.0/24", "198.51.100.0/24"};

const std::vector<std::string> kBalancing = {"loadbalancers", "listeners", "pools", "members",
                                             "healthmonitors"};
const std::vector<std::string> kNetworking = {"floatingips", "security_groups",
                                              "security_group_rules", "ports"};

Records& records_of(Cloud& cloud, const std::string& collection) {
  Region& region = cloud.region();
  const bool balancing =
      std::find(kBalancing.begin(), kBalancing.end(), collection) != kBalancing.end();
  return balancing ? region.load_balancing.records(collection) : region.network.records(collection);
}

// Without what others may change: a Node's port gets and loses groups.
json lasting(json record) {
  for (const char* name : {"security_groups", "revision_number", "updated_at"}) record.erase(name);
  return record;
}

json texts_of(const std::set<Port>& ports) {
  json list = json::array();
  for (const auto& [protocol, port] : ports) {
    list.push_back(
        {{"name", std::string(protocol == "TCP" ? "tcp-" : "udp-") + std::to_string(port)},
         {"protocol", protocol},
         {"port", port}});
  }
  return list;
}

// Checks one Service; counts what belongs to it.
class ServiceCheck {
 public:
  ServiceCheck(Cloud& cloud, const WantedService& wanted, const json& service, std::size_t nodes)
      : cloud_(cloud), wanted_(wanted), service_(service), nodes_(nodes) {}

  // "" = right.
  std::string fault(bool groups) {
    const json& metadata = service_.at("metadata");
    const std::string uid = metadata.at("uid");
    const std::string id = metadata.value("annotations", json::object()).value(kId, "");
    const json* balancer = records_of(cloud_, "loadbalancers").find(id);
    if (balancer == nullptr) return "has no load balancer (" + id + ")";
    balancer_id = id;
    if (balancer->at("provisioning_status") != "ACTIVE") return "waits for its load balancer";
    const json& tags = balancer->at("tags");
    if (std::count(tags.begin(), tags.end(), "ccm-service:" + uid) != 1) return "is not marked";
    std::string fault = address_fault(*balancer);
    if (fault.empty()) fault = listeners_fault(id, uid);
    if (fault.empty() && groups) fault = group_fault(uid);
    return fault;
  }

  std::string balancer_id;
  std::string floating_id;
  std::string group_id;
  std::set<std::string> listener_ids;
  std::set<std::string> pool_ids;

 private:
  std::string address_fault(const json& balancer) {
    std::string address = balancer.at("vip_address");
    std::size_t floating = 0;
    for (const json& each : records_of(cloud_, "floatingips")) {
      if (each.at("port_id") != balancer.at("vip_port_id")) continue;
      ++floating;
      floating_id = each.at("id");
      address = each.at("floating_ip_address");
    }
    const std::size_t due = wanted_.internal ? 0 : 1;
    if (floating != due) return "has " + std::to_string(floating) + " floating IPs";
    const json ingress =
        service_.at("status").value("loadBalancer", json::object()).value("ingress", json::array());
    if (ingress.size() != 1 || ingress[0].value("ip", "") != address) {
      return "shows " + ingress.dump() + " for " + address;
    }
    return "";
  }

  std::string listeners_fault(const std::string& balancer, const std::string& uid) {
    std::set<Port> found;
    for (const json* listener : records_of(cloud_, "listeners").of(balancer)) {
      const json& tags = listener->at("tags");
      if (std::count(tags.begin(), tags.end(), "ccm-service:" + uid) == 0) continue;
      const Port port{listener->at("protocol"), listener->at("protocol_port")};
      if (!found.insert(port).second) return "has a port twice";
      listener_ids.insert(listener->at("id"));
      std::string fault = listener_fault(*listener, port);
      if (!fault.empty()) return fault;
    }
    return found == wanted_.ports ? "" : "has " + std::to_string(found.size()) + " listeners";
  }

  std::string listener_fault(const json& listener, const Port& port) {
    if (listener.at("connection_limit") != wanted_.connections) return "has another limit";
    const json ranges = listener.at("allowed_cidrs");
    const bool open = ranges.is_null() || ranges.empty() || ranges == json{"0.0.0.0/0"};
    if (open == wanted_.restricted) return "lets in " + ranges.dump();
    const json& pool_id = listener.at("default_pool_id");
    const json* pool = pool_id.is_null() ? nullptr : records_of(cloud_, "pools").find(pool_id);
    if (pool == nullptr) return "has a listener without a pool";
    pool_ids.insert(pool->at("id"));
    if (pool->at("session_persistence").is_null() == wanted_.sticky) return "has another affinity";
    std::set<std::string> addresses;
    for (const json* member : records_of(cloud_, "members").of(pool->at("id"))) {
      addresses.insert(member->at("address"));
      if (member->at("protocol_port") != node_port(port)) return "has members of another node port";
    }
    const std::size_t members = records_of(cloud_, "members").of(pool->at("id")).size();
    if (members != nodes_ || addresses.size() != nodes_) {
      return "has " + std::to_string(members) + " members";
    }
    return "";
  }

  std::string group_fault(const std::string& uid) {
    const std::string prefix = "lb-sg-" + uid + "-";
    std::size_t groups = 0;
    for (const json& group : records_of(cloud_, "security_groups")) {
      if (!group.at("name").get<std::string>().starts_with(prefix)) continue;
      ++groups;
      group_id = group.at("id");
    }
    if (groups != 1) return "has " + std::to_string(groups) + " security groups";
    std::set<Port> rules;
    for (const json& rule : records_of(cloud_, "security_group_rules")) {
      if (rule.at("security_group_id") != group_id) continue;
      const json& protocol = rule.at("protocol");
      const Port port{
          protocol == "udp" ? "UDP" : "TCP",
          rule.at("port_range_min").is_null() ? 0 : rule.at("port_range_min").get<int>()};
      if (rule.at("direction") != "ingress" || !rules.insert(port).second) return "has odd rules";
    }
    std::set<Port> due;
    for (const Port& port : wanted_.ports) due.insert({port.first, node_port(port)});
    if (rules != due) return "has " + std::to_string(rules.size()) + " rules";
    std::size_t ports = 0;
    for (const json& port : records_of(cloud_, "ports")) {
      const json& its = port.at("security_groups");
      ports += static_cast<std::size_t>(std::count(its.begin(), its.end(), group_id));
    }
    return ports == nodes_ ? "" : "has its group on " + std::to_string(ports) + " ports";
  }

  [[nodiscard]] int node_port(const Port& wanted) const {
    for (const json& port : service_.at("spec").at("ports")) {
      if (port.at("protocol") == wanted.first && port.at("port") == wanted.second) {
        return port.value("nodePort", 0);
      }
    }
    return 0;
  }

  Cloud& cloud_;
  const WantedService& wanted_;
  const json& service_;
  std::size_t nodes_;
};

}  // namespace

json WantedService::object(const std::string& name) const {
  json annotations = json::object();
  if (connections >= 0) annotations[kConnections] = std::to_string(connections);
  if (!shared_id.empty()) annotations[kId] = shared_id;
  if (internal) {
    annotations["service.beta.kubernetes.io/openstack-internal-load-balancer"] = "true";
  }
  json spec = {{"type", "LoadBalancer"},
               {"selector", {{"app", name}}},
               {"sessionAffinity", sticky ? "ClientIP" : "None"},
               {"ports", texts_of(ports)}};
  if (restricted) spec["loadBalancerSourceRanges"] = kRanges;
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", {{"name", name}, {"annotations", annotations}}},
          {"spec", spec}};
}

json WantedService::patch() const {
  json spec = {{"sessionAffinity", sticky ? "ClientIP" : "None"}, {"ports", texts_of(ports)}};
  spec["loadBalancerSourceRanges"] = restricted ? kRanges : json(nullptr);
  const json limit = connections < 0 ? json(nullptr) : json(std::to_string(connections));
  return {{"metadata", {{"annotations", {{kConnections, limit}}}}}, {"spec", spec}};
}

// Ports above 1000 come and go; those below tell Services that share a load balancer apart.
void WantedService::change(std::mt19937& random) {
  switch (random() % 4) {
    case 0: {
      const int base = ports.begin()->second % 1000;
      const Port extra{"TCP", 1000 * static_cast<int>(1 + random() % 3) + base};
      if (ports.erase(extra) == 0) ports.insert(extra);
      break;
    }
    case 1:
      restricted = !restricted;
      break;
    case 2:
      sticky = !sticky;
      break;
    default:
      connections = connections < 0 ? static_cast<int>(100 + random() % 100) : -1;
  }
}

WantedService service_of(int number) {
  WantedService service;
  service.ports = {{"TCP", 80 + number}};
  if (number % 4 == 1) {
    service.ports.insert({"TCP", 400 + number});
    service.ports.insert({"UDP", 500 + number});
  }
  service.internal = number % 4 == 2;
  service.restricted = number % 4 == 3;
  return service;
}

Foreign::Foreign(Cloud& cloud) {
  cloud.region().load_balancing.advance();
  for (const auto* collections : {&kBalancing, &kNetworking}) {
    for (const std::string& collection : *collections) {
      for (const json& record : records_of(cloud, collection)) {
        objects_[record.at("id")] = {collection, lasting(record),
                                     record.value("security_groups", json::array())};
      }
    }
  }
}

std::string Foreign::fault(Cloud& cloud) const {
  for (const auto& [id, object] : objects_) {
    const auto& [collection, before, groups] = object;
    const json* now = records_of(cloud, collection).find(id);
    if (now == nullptr) return "foreign: " + id + " of the " + collection + " is gone";
    // Groups of a port are for everybody; those that were there stay.
    for (const json& group : groups) {
      const json& its = now->at("security_groups");
      if (std::count(its.begin(), its.end(), group) != 1) return "foreign: " + id + " lost a group";
    }
    if (lasting(*now) != before)
      return "foreign: " + lasting(*now).dump() + " was " + before.dump();
  }
  return "";
}

std::string cloud_fault(Cloud& cloud, const Foreign& foreign,
                        const std::map<std::string, WantedService>& wanted,
                        const std::map<std::string, json>& services, std::size_t nodes,
                        bool groups) {
  cloud.region().load_balancing.advance();
  std::set<std::string> owned;
  std::size_t pools = 0;  // each with a health monitor
  for (const auto& [name, service] : services) {
    if (!wanted.contains(name)) return name + " is still there";
  }
  for (const auto& [name, service] : wanted) {
    const auto place = services.find(name);
    if (place == services.end()) return name + " is not there";
    ServiceCheck check(cloud, service, place->second, nodes);
    const std::string fault = check.fault(groups);
    if (!fault.empty()) return name + " " + fault;
    owned.insert({check.balancer_id, check.floating_id, check.group_id});
    owned.insert(check.listener_ids.begin(), check.listener_ids.end());
    owned.insert(check.pool_ids.begin(), check.pool_ids.end());
    pools += check.pool_ids.size();
  }
  // An object that is no Service's and was not there before is an orphan or was made twice.
  for (const char* collection :
       {"loadbalancers", "listeners", "pools", "floatingips", "security_groups"}) {
    for (const json& record : records_of(cloud, collection)) {
      const std::string id = record.at("id");
      if (!foreign.has(id) && !owned.contains(id)) {
        return "one too many of the " + std::string(collection) + ": " + visible(record).dump();
      }
    }
  }
  const std::size_t monitors = records_of(cloud, "healthmonitors").size();
  if (monitors != pools) return std::to_string(monitors) + " health monitors";
  for (const json& port : records_of(cloud, "ports")) {
    const std::string id = port.at("id");
    if (foreign.has(id)) continue;
    const std::string owner = port.at("device_id");
    if (!owner.starts_with("lb-") || !owned.contains(owner.substr(3))) {
      return "one too many of the ports: " + visible(port).dump();
    }
  }
  return foreign.fault(cloud);
}

}  // namespace ccm::openstack_api
