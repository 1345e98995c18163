#include "work.hpp"

#include "kubelet_node.hpp"

#include <stdexcept>

namespace ccm::bench {

using nlohmann::json;

namespace {

constexpr const char* kTaint = "node.cloudprovider.kubernetes.io/uninitialized";

// The cheapest patch for an API server, with the cheapest answer.
BareRequest patch(const std::string& path, const json& body) {
  return {"PATCH", path, "application/strategic-merge-patch+json", body.dump(), kProtobuf};
}

BareRequest status_patch(std::size_t i, const json& status) {
  return patch("/api/v1/nodes/" + node_name(i) + "/status", {{"status", status}});
}

BareRequest node_patch(std::size_t i, const json& body) {
  return patch("/api/v1/nodes/" + node_name(i), body);
}

std::string bytes_of(std::size_t i) {
  return std::to_string(i >> 16 & 255) + "." + std::to_string(i >> 8 & 255) + "." +
         std::to_string(i & 255);
}

std::string range_of(std::size_t i) {
  return "10." + std::to_string(i >> 8 & 255) + "." + std::to_string(i & 255) + ".0/24";
}

bool says(std::string_view event, std::string_view part) {
  return event.find(part) != std::string_view::npos;
}

// The patches that initialise a node: its addresses, then everything else with the taint's removal.
void add_initialisation(std::size_t i, std::vector<BareRequest>& requests) {
  const json addresses = {{{"type", "InternalIP"}, {"address", "10." + bytes_of(i)}},
                          {{"type", "Hostname"}, {"address", node_name(i)}}};
  requests.push_back(status_patch(i, {{"addresses", addresses}}));
  requests.push_back(node_patch(
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

Work initialisation(std::size_t images) {
  Work work;
  work.node = [images](std::size_t i) {
    json node = kubelet_node(i, images);
    node["spec"]["taints"] = {{{"key", kTaint}, {"value", "true"}, {"effect", "NoSchedule"}}};
    return node;
  };
  work.add_patches = add_initialisation;
  work.done = [](std::string_view event) { return !says(event, kTaint); };
  work.flags = {"--configure-cloud-routes=false"};
  return work;
}

Work allocation(std::size_t images) {
  Work work;
  work.node = [images](std::size_t i) { return kubelet_node(i, images); };
  work.add_patches = [](std::size_t i, std::vector<BareRequest>& requests) {
    const json spec = {{"podCIDR", range_of(i)}, {"podCIDRs", {range_of(i)}}};
    requests.push_back(node_patch(i, {{"spec", spec}}));
  };
  // The names of fields are in managedFields alone, which are JSON in protobuf, too.
  work.done = [](std::string_view event) { return says(event, "\"f:podCIDR\":"); };
  work.flags = {"--controllers=node-ipam-controller", "--allocate-node-cidrs",
                "--cluster-cidr=10.0.0.0/8"};
  return work;
}

Work routing(std::size_t images) {
  Work work;
  work.node = [images](std::size_t i) {
    json node = kubelet_node(i, images);
    json& conditions = node["status"]["conditions"];
    conditions.erase(conditions.size() -
                     1);  // the CNI's NetworkUnavailable: this CNI has no part in routes
    node["spec"] = {{"providerID", "sandbox://" + node_name(i)},
                    {"podCIDR", range_of(i)},
                    {"podCIDRs", {range_of(i)}}};
    return node;
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
  work.done = [](std::string_view event) { return says(event, "RouteCreated"); };
  work.flags = {"--controllers=node-route-controller", "--cluster-cidr=10.0.0.0/8"};
  return work;
}

}  // namespace

Work work_called(const std::string& name, std::size_t images) {
  if (name == "init") return initialisation(images);
  if (name == "ipam") return allocation(images);
  if (name == "route") return routing(images);
  throw std::runtime_error("--work is init, ipam or route, not " + name);
}

}  // namespace ccm::bench
