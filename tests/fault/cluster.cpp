#include "cluster.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <stdexcept>

namespace ccm::fault {

using nlohmann::json;

namespace {

constexpr const char* kTaint = "node.cloudprovider.kubernetes.io/uninitialized";
constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
constexpr const char* kLease = "cloud-controller-manager";

void must(const support::KubeResponse& response, const std::string& what) {
  if (!response.ok()) throw std::runtime_error(what + ": " + response.http.body);
}

}  // namespace

std::vector<std::string> LeaseTimes::flags() const {
  const auto text = [](std::chrono::milliseconds time) {
    return std::to_string(time.count()) + "ms";
  };
  return {"--leader-elect-lease-duration=" + text(lease),
          "--leader-elect-renew-deadline=" + text(deadline),
          "--leader-elect-retry-period=" + text(retry)};
}

Cluster::Cluster() : server_(folder_.path()), cloud_(folder_.path()), api_(server_.client()) {}

Cluster::~Cluster() {
  if (!testing::Test::HasFailure()) return;
  folder_.keep();
  std::cerr << "Logs are kept: " << folder_.path().string() << "\n";
}

std::string Cluster::address_of(const std::string& name) {
  const auto hash = std::hash<std::string>{}(name);
  return "10." + std::to_string(hash % 250 + 1) + "." + std::to_string(hash / 250 % 250 + 1) + "." +
         std::to_string(hash / 62'500 % 250 + 1);
}

void Cluster::add_machine(support::KubeClient& api, const std::string& name) {
  const json address = {{"type", "InternalIP"}, {"address", address_of(name)}};
  cloud_.control("PUT", "/machines/" + name,
                 {{"name", name},
                  {"type", "small"},
                  {"zone", "zone-1"},
                  {"region", "region-1"},
                  {"addresses", json::array({address})}});
  add_node(api, name);
}

void Cluster::add_node(support::KubeClient& api, const std::string& name) {
  const json taint = {{"key", kTaint}, {"value", "true"}, {"effect", "NoSchedule"}};
  must(api.create("/api/v1/nodes", {{"apiVersion", "v1"},
                                    {"kind", "Node"},
                                    {"metadata", {{"name", name}}},
                                    {"spec", {{"taints", json::array({taint})}}}}),
       "create node " + name);
}

std::unique_ptr<support::Process> Cluster::start(
    const std::string& name, const std::vector<std::string>& flags,
    const std::map<std::string, std::string>& environment) {
  std::vector<std::string> command = {support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                      "--kubeconfig=" + server_.manager_kubeconfig().string(),
                                      "--cloud-provider=sandbox",
                                      "--cloud-config=" + cloud_.config().string(),
                                      "--secure-port=0",
                                      "--configure-cloud-routes=false"};
  command.insert(command.end(), flags.begin(), flags.end());
  support::ProcessOptions options{folder_.path() / (name + ".log"),
                                  {{"KUBECONFIG", ""}, {"HOME", ""}}};
  options.environment.insert(environment.begin(), environment.end());
  return std::make_unique<support::Process>(command, options);
}

json Cluster::lease() {
  const auto answer = api_.get(std::string(kLeases) + "/" + kLease);
  if (answer.status == 404) return nullptr;
  must(answer, "lease");
  return answer.body.at("spec");
}

std::string Cluster::holder() {
  const json spec = lease();
  return spec.is_null() ? "" : spec.value("holderIdentity", "");
}

void Cluster::take_lease(const std::string& holder) {
  const json spec = {{"holderIdentity", holder}, {"leaseDurationSeconds", 3600}};
  must(api_.patch(std::string(kLeases) + "/" + kLease, support::kMergePatch, {{"spec", spec}}),
       "take the Lease");
}

json Cluster::nodes() {
  const auto answer = api_.get("/api/v1/nodes");
  must(answer, "nodes");
  json result = json::object();
  for (const json& node : answer.body.at("items")) result[node.at("metadata").at("name")] = node;
  return result;
}

std::string Cluster::fault_of(const json& node) {
  const std::string name = node.at("metadata").at("name");
  const json& spec = node.at("spec");
  for (const json& taint : spec.value("taints", json::array())) {
    if (taint.at("key") == kTaint) return name + " is not initialised";
  }
  if (spec.value("providerID", "") != "sandbox://" + name) return name + ": wrong providerID";
  const json wanted = json::array({{{"type", "InternalIP"}, {"address", address_of(name)}}});
  json addresses = json::array();
  for (const json& address : node.at("status").value("addresses", json::array())) {
    if (address.at("type") == "InternalIP") addresses.push_back(address);
  }
  if (addresses != wanted) return name + ": addresses " + addresses.dump();
  const json labels = node.at("metadata").value("labels", json::object());
  for (const auto& [key, value] : {std::pair("node.kubernetes.io/instance-type", "small"),
                                   std::pair("topology.kubernetes.io/zone", "zone-1"),
                                   std::pair("topology.kubernetes.io/region", "region-1")}) {
    if (labels.value(key, "") != value) return name + ": label " + key;
  }
  return {};
}

}  // namespace ccm::fault
