#include "audit.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ccm::soak {
namespace {

using digitalocean_api::Api;

constexpr const char* kIdAnnotation = "kubernetes.digitalocean.com/load-balancer-id";

struct Findings {
  std::vector<std::string> lines;
  void operator()(std::string line) {
    if (lines.size() < 20) lines.push_back(std::move(line));
  }
};

std::map<std::string, json> by_name(const json& list) {
  std::map<std::string, json> all;
  for (const json& item : list.at("items")) {
    all[item.at("metadata").at("name").get<std::string>()] = item;
  }
  return all;
}

void check_nodes(Cluster& cluster, Findings& note) {
  const json listed = cluster.api().get("/api/v1/nodes").body;
  auto nodes = by_name(listed);
  for (const auto& [number, uid] : cluster.nodes()) {
    const std::string name = node_name(number);
    const auto place = nodes.find(name);
    if (place == nodes.end() || place->second.at("metadata").at("uid") != uid) {
      note("Node " + name + " was deleted although its droplet is there");
      continue;
    }
    const json& spec = place->second.at("spec");
    for (const json& taint : spec.value("taints", json::array())) {
      note("Node " + name + " has the taint " + taint.at("key").get<std::string>());
    }
    if (spec.value("providerID", "") != "digitalocean://" + std::to_string(droplet_of(number))) {
      note("Node " + name + " has the provider ID \"" + spec.value("providerID", "") + "\"");
    }
    nodes.erase(place);
  }
  for (const auto& [name, node] : nodes) note("Node " + name + " is there without its droplet");
}

void check_balancer(const std::string& name, const WantedService& wanted, const json& balancer,
                    const json& droplets, Findings& note) {
  const auto differs = [&](const std::string& what, const json& is) {
    note("the load balancer of Service " + name + " has " + what + " " + is.dump().substr(0, 200));
  };
  if (balancer.at("status") != "active") differs("status", balancer.at("status"));
  const json& rules = balancer.at("forwarding_rules");
  if (rules.size() != 1 || rules[0].at("entry_port") != wanted.port) differs("rules", rules);
  if (wanted.check_interval > 0 &&
      balancer.at("health_check").at("check_interval_seconds") != wanted.check_interval) {
    differs("check interval", balancer.at("health_check").at("check_interval_seconds"));
  }
  if (balancer.at("droplet_ids") != droplets) differs("droplets", balancer.at("droplet_ids"));
  // The cluster's, the Service's, and one that tells people namespace and name.
  const json& tags = balancer.at("tags");
  const std::string mark = tags.size() == 3 ? tags[1].get<std::string>() : std::string();
  const bool ours = mark.starts_with(std::string(kClusterTag) + ":service:");
  const json wanted_tags = {kClusterTag, mark, mark + ":default:" + name};
  if (!ours || tags != wanted_tags) differs("tags", tags);
}

void check_services(Cluster& cluster, Findings& note) {
  const auto services = by_name(cluster.api().get(kServices).body);
  std::map<std::string, json> balancers;
  cluster.cloud().with([&](Api& api) { balancers = api.load_balancers(); });
  json droplets = json::array();
  for (const auto& [number, uid] : cluster.nodes()) droplets.push_back(droplet_of(number));
  for (const auto& [name, service] : services) {
    if (!cluster.services().contains(name) && name != "kubernetes") {
      note("Service " + name + " is still there");
    }
  }
  for (const auto& [name, wanted] : cluster.services()) {
    const auto place = services.find(name);
    if (place == services.end()) {
      note("Service " + name + " is gone");
      continue;
    }
    if (wanted.node_port) continue;
    const json& service = place->second;
    const std::string id =
        service.at("metadata").value("annotations", json::object()).value(kIdAnnotation, "");
    const auto balancer = balancers.find(id);
    if (balancer == balancers.end()) {
      note("Service " + name + " has no load balancer (\"" + id + "\")");
      continue;
    }
    const json status = service.value("status", json::object());
    const json ingress =
        status.value("loadBalancer", json::object()).value("ingress", json::array());
    if (ingress.empty() || ingress[0].value("ip", "") != balancer->second.at("ip")) {
      note("Service " + name + " has the addresses " + ingress.dump());
    }
    check_balancer(name, wanted, balancer->second, droplets, note);
    balancers.erase(balancer);
  }
  for (const auto& [id, balancer] : balancers) {
    note("load balancer " + id + " (" + balancer.value("name", "") + ") belongs to no Service");
  }
}

// Looks at the ports alone; the unit tests look at the rest of the rules.
void check_firewall(Cluster& cluster, Findings& note) {
  std::set<std::string> wanted;
  for (const auto& [name, service] : cluster.services()) {
    wanted.insert(std::to_string(service.node_port ? 30'000 + service.port : service.port));
  }
  std::map<std::string, json> firewalls;
  cluster.cloud().with([&](Api& api) { firewalls = api.firewalls(); });
  if (firewalls.size() != 1) {
    return note("there are " + std::to_string(firewalls.size()) + " firewalls");
  }
  std::set<std::string> open;
  for (const json& rule : firewalls.begin()->second.at("inbound_rules")) {
    if (rule.at("ports") != "10256") open.insert(rule.at("ports").get<std::string>());
  }
  std::vector<std::string> differ;
  std::set_symmetric_difference(wanted.begin(), wanted.end(), open.begin(), open.end(),
                                std::back_inserter(differ));
  for (const std::string& port : differ) note("the firewall is wrong about port " + port);
}

}  // namespace

std::vector<std::string> audit(Cluster& cluster) {
  Findings note;
  check_nodes(cluster, note);
  check_services(cluster, note);
  check_firewall(cluster, note);
  for (const std::string& breach : cluster.breaches()) note("against the description: " + breach);
  return note.lines;
}

int64_t wrongly_deleted(Cluster& cluster) {
  const auto nodes = by_name(cluster.api().get("/api/v1/nodes").body);
  return std::count_if(cluster.nodes().begin(), cluster.nodes().end(), [&](const auto& entry) {
    const auto place = nodes.find(node_name(entry.first));
    return place == nodes.end() || place->second.at("metadata").at("uid") != entry.second;
  });
}

}  // namespace ccm::soak
