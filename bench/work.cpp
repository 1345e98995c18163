#include "work.hpp"

#include <stdexcept>

namespace ccm::bench {

using nlohmann::json;

std::string node_name(std::size_t i) { return "node-" + std::to_string(i); }

json ready_condition(const std::string& heartbeat) {
  return {{"type", "Ready"},
          {"status", "True"},
          {"reason", "KubeletReady"},
          {"message", "kubelet is posting ready status"},
          {"lastHeartbeatTime", heartbeat},
          {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
}

namespace {

constexpr const char* kTaint = "node.cloudprovider.kubernetes.io/uninitialized";

// The size of a kubelet's registration, without images and managedFields.
json registered(std::size_t i) {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata",
           {{"name", node_name(i)},
            {"labels",
             {{"kubernetes.io/hostname", node_name(i)},
              {"kubernetes.io/os", "linux"},
              {"kubernetes.io/arch", "amd64"}}}}},
          {"spec", json::object()},
          {"status", {{"conditions", {ready_condition("2026-01-01T00:00:00Z")}}}}};
}

BareRequest creation(const json& node) {
  return {"POST", "/api/v1/nodes", "application/json", node.dump()};
}

BareRequest status_patch(std::size_t i, const json& status) {
  return {"PATCH", "/api/v1/nodes/" + node_name(i) + "/status",
          "application/strategic-merge-patch+json", json({{"status", status}}).dump()};
}

BareRequest merge_patch(std::size_t i, const json& body) {
  return {"PATCH", "/api/v1/nodes/" + node_name(i), "application/merge-patch+json", body.dump()};
}

std::string bytes_of(std::size_t i) {
  return std::to_string(i >> 16 & 255) + "." + std::to_string(i >> 8 & 255) + "." +
         std::to_string(i & 255);
}

std::string range_of(std::size_t i) {
  return "10." + std::to_string(i >> 8 & 255) + "." + std::to_string(i & 255) + ".0/24";
}

bool says(std::string_view line, std::string_view part) {
  return line.find(part) != std::string_view::npos;
}

// The patches that initialise a node: its addresses, then everything else with the taint's removal.
void add_initialisation(std::size_t i, std::vector<BareRequest>& requests) {
  const json addresses = {{{"type", "InternalIP"}, {"address", "10." + bytes_of(i)}},
                          {{"type", "Hostname"}, {"address", node_name(i)}}};
  requests.push_back(status_patch(i, {{"addresses", addresses}}));
  requests.push_back(merge_patch(
      i, {{"metadata",
           {{"labels",
             {{"beta.kubernetes.io/instance-type", "small"},
              {"node.kubernetes.io/instance-type", "small"},
              {"failure-domain.beta.kubernetes.io/zone", "sandbox-1a"},
              {"topology.kubernetes.io/zone", "sandbox-1a"},
              {"failure-domain.beta.kubernetes.io/region", "sandbox-1"},
              {"topology.kubernetes.io/region", "sandbox-1"}}}}},
          {"spec", {{"providerID", "sandbox://" + node_name(i)}, {"taints", nullptr}}}}));
}

Work initialisation() {
  Work work;
  work.create = [](std::size_t i) {
    json node = registered(i);
    node["spec"]["taints"] = {{{"key", kTaint}, {"value", "true"}, {"effect", "NoSchedule"}}};
    return creation(node);
  };
  work.add_patches = add_initialisation;
  work.done = [](std::string_view line) { return !says(line, kTaint); };
  work.flags = {"--configure-cloud-routes=false"};
  return work;
}

Work allocation() {
  Work work;
  work.create = [](std::size_t i) { return creation(registered(i)); };
  work.add_patches = [](std::size_t i, std::vector<BareRequest>& requests) {
    const json spec = {{"podCIDR", range_of(i)}, {"podCIDRs", {range_of(i)}}};
    requests.push_back(merge_patch(i, {{"spec", spec}}));
  };
  work.done = [](std::string_view line) { return says(line, "\"podCIDR\":"); };
  work.flags = {"--controllers=node-ipam-controller", "--allocate-node-cidrs",
                "--cluster-cidr=10.0.0.0/8"};
  return work;
}

Work routing() {
  Work work;
  work.create = [](std::size_t i) {
    json node = registered(i);
    node["spec"] = {{"providerID", "sandbox://" + node_name(i)},
                    {"podCIDR", range_of(i)},
                    {"podCIDRs", {range_of(i)}}};
    return creation(node);
  };
  work.add_patches = [](std::size_t i, std::vector<BareRequest>& requests) {
    const json condition = {{"type", "NetworkUnavailable"},
                            {"status", "False"},
                            {"reason", "RouteCreated"},
                            {"message", "The cloud has a route to the Node's Pods"},
                            {"lastHeartbeatTime", "2026-01-01T00:00:00Z"},
                            {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
    requests.push_back(status_patch(i, {{"conditions", {condition}}}));
  };
  work.done = [](std::string_view line) { return says(line, "\"RouteCreated\""); };
  work.flags = {"--controllers=node-route-controller", "--cluster-cidr=10.0.0.0/8"};
  return work;
}

}  // namespace

Work work_called(const std::string& name) {
  if (name == "init") return initialisation();
  if (name == "ipam") return allocation();
  if (name == "route") return routing();
  throw std::runtime_error("--work is init, ipam or route, not " + name);
}

}  // namespace ccm::bench
