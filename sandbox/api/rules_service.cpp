#include "api/metadata.hpp"
#include "api/names.hpp"
#include "api/resource.hpp"

#include <set>

namespace sandbox {
namespace {

// Addresses and node ports are allocated in sequence: nothing here routes to them, they only have
// to be unique and stable.
std::string next_cluster_ip() {
  static unsigned counter = 10;
  unsigned value = counter++;
  return "10.96." + std::to_string(value / 250 % 250) + "." + std::to_string(value % 250 + 1);
}

int next_node_port() {
  static int counter = 0;
  return 30000 + counter++ % 2768;
}

std::string type_of(const Json& spec) { return spec.value("type", "ClusterIP"); }

bool wants_node_ports(const Json& spec) {
  std::string type = type_of(spec);
  return type == "NodePort" ||
         (type == "LoadBalancer" && spec.value("allocateLoadBalancerNodePorts", true));
}

void default_ports(Json& spec) {
  auto ports = spec.find("ports");
  if (ports == spec.end()) return;
  for (Json& port : *ports) {
    if (!port.contains("protocol")) port["protocol"] = "TCP";
    if (!port.contains("targetPort")) port["targetPort"] = port["port"];
    if (!wants_node_ports(spec)) continue;
    if (port.value("nodePort", 0) == 0) port["nodePort"] = next_node_port();
  }
}

void default_addresses(Json& spec) {
  if (type_of(spec) == "ExternalName") return;
  if (!spec.contains("clusterIP")) spec["clusterIP"] = next_cluster_ip();
  if (!spec.contains("clusterIPs")) spec["clusterIPs"] = Json::array({spec["clusterIP"]});
  if (!spec.contains("ipFamilies")) spec["ipFamilies"] = Json::array({"IPv4"});
  if (!spec.contains("ipFamilyPolicy")) spec["ipFamilyPolicy"] = "SingleStack";
  if (!spec.contains("internalTrafficPolicy")) spec["internalTrafficPolicy"] = "Cluster";
}

void default_spec(Json& spec) {
  if (!spec.contains("type")) spec["type"] = "ClusterIP";
  if (!spec.contains("sessionAffinity")) spec["sessionAffinity"] = "None";
  std::string type = type_of(spec);
  bool external = type == "NodePort" || type == "LoadBalancer";
  if (external && !spec.contains("externalTrafficPolicy"))
    spec["externalTrafficPolicy"] = "Cluster";
  if (type == "LoadBalancer" && !spec.contains("allocateLoadBalancerNodePorts")) {
    spec["allocateLoadBalancerNodePorts"] = true;
  }
  bool local = spec.value("externalTrafficPolicy", "") == "Local";
  if (type == "LoadBalancer" && local && spec.value("healthCheckNodePort", 0) == 0) {
    spec["healthCheckNodePort"] = next_node_port();
  }
  default_addresses(spec);
  default_ports(spec);
}

void create_service(Json& object) {
  object["status"] = {{"loadBalancer", Json::object()}};
  default_spec(object["spec"]);
}

// A Service that is no longer external loses its node ports.
void drop_node_ports(const Json& before, Json& spec) {
  auto ports = spec.find("ports");
  if (ports == spec.end()) return;
  for (Json& port : *ports) {
    for (const Json& old_port : member_or_null(before, "ports")) {
      if (old_port.value("nodePort", 0) == port.value("nodePort", 0)) port.erase("nodePort");
    }
  }
}

// An address without a mode is one that reaches the load balancer itself.
void default_ingress(Json& object) {
  Json& balancer = object["status"]["loadBalancer"];
  auto list = balancer.find("ingress");
  if (type_of(object["spec"]) != "LoadBalancer" || list == balancer.end()) return;
  for (Json& ingress : *list) {
    if (ingress.contains("ip") && !ingress.contains("ipMode")) ingress["ipMode"] = "VIP";
  }
}

// Fields that the client left out of a PUT are kept rather than allocated again.
void update_service(const Json& old, Json& candidate) {
  const Json& before = old["spec"];
  Json& spec = candidate["spec"];
  std::string type = type_of(spec);
  if (type != "ExternalName" && type_of(before) != "ExternalName") {
    for (const char* member : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      if (!spec.contains(member) && before.contains(member)) spec[member] = before[member];
    }
  }
  bool external = type == "NodePort" || type == "LoadBalancer";
  if (!external) {
    spec.erase("externalTrafficPolicy");
    drop_node_ports(before, spec);
  }
  if (type != "LoadBalancer") {
    spec.erase("allocateLoadBalancerNodePorts");
    spec.erase("loadBalancerClass");
    candidate["status"]["loadBalancer"] = Json::object();
  }
  default_spec(spec);
}

void validate_number(int number, const std::string& path, std::vector<Cause>& causes) {
  if (number >= 1 && number <= 65535) return;
  causes.push_back(invalid_value(path, number, "must be between 1 and 65535, inclusive"));
}

void validate_port(const Json& port, const std::string& path, bool need_name,
                   std::vector<Cause>& causes) {
  std::string name = port.value("name", "");
  if (name.empty() && need_name) causes.push_back(required_value(path + ".name", ""));
  if (!name.empty()) {
    if (auto problem = dns_label_problem(name)) {
      causes.push_back(invalid_value(path + ".name", name, *problem));
    }
  }
  validate_number(port.value("port", 0), path + ".port", causes);
  std::string protocol = port.value("protocol", "");
  if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
    causes.push_back(not_supported(path + ".protocol", protocol, {"SCTP", "TCP", "UDP"}));
  }
  const Json& target = member_or_null(port, "targetPort");
  if (target.is_number_integer()) validate_number(target, path + ".targetPort", causes);
}

void validate_ports(const Json& spec, std::vector<Cause>& causes) {
  const Json& ports = member_or_null(spec, "ports");
  bool headless = spec.value("clusterIP", "") == "None";
  if (ports.empty() && !headless && type_of(spec) != "ExternalName") {
    causes.push_back(required_value("spec.ports", ""));
  }
  std::set<std::string> names;
  std::set<std::pair<int, std::string>> numbers;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    std::string path = "spec.ports[" + std::to_string(i) + "]";
    validate_port(ports[i], path, ports.size() > 1, causes);
    std::string name = ports[i].value("name", "");
    if (!name.empty() && !names.insert(name).second) {
      causes.push_back(duplicate_value(path + ".name", name));
    }
    std::string protocol = ports[i].value("protocol", "");
    if (!numbers.emplace(ports[i].value("port", 0), protocol).second) {
      causes.push_back(
          duplicate_value(path, {{"port", ports[i].value("port", 0)}, {"protocol", protocol}}));
    }
  }
}

void validate_service(const Json* old, const Json& object, std::vector<Cause>& causes) {
  const Json& spec = object["spec"];
  std::string type = type_of(spec);
  validate_ports(spec, causes);
  static const std::vector<std::string>& types =
      *new std::vector<std::string>{"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"};
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    causes.push_back(not_supported("spec.type", type, types));
  }
  if (type == "ExternalName" && spec.value("externalName", "").empty()) {
    causes.push_back(required_value("spec.externalName", ""));
  }
  validate_labels(member_or_null(spec, "selector"), "spec.selector", causes);
  if (old == nullptr) return;
  const Json& before = (*old)["spec"];
  bool had_ip = !before.value("clusterIP", "").empty() && type_of(before) != "ExternalName";
  if (had_ip && type != "ExternalName" &&
      before.value("clusterIP", "") != spec.value("clusterIP", "")) {
    causes.push_back(invalid_value("spec.clusterIPs[0]", Json::array({spec.value("clusterIP", "")}),
                                   "may not change once set"));
  }
  bool stays = type == "LoadBalancer" && type_of(before) == "LoadBalancer";
  if (stays &&
      member_or_null(before, "loadBalancerClass") != member_or_null(spec, "loadBalancerClass")) {
    causes.push_back(invalid_value("spec.loadBalancerClass", spec.value("loadBalancerClass", ""),
                                   "may not change once set"));
  }
}

}  // namespace

const Rules kServiceRules{create_service, update_service, validate_service, default_ingress};

}  // namespace sandbox
