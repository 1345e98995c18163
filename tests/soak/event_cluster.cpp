#include "event_cluster.hpp"

#include "support/eventually.hpp"
#include "support/nodes.hpp"

#include <filesystem>
#include <map>
#include <stdexcept>
#include <thread>
#include <utility>

namespace ccm::soak {
namespace {

using nlohmann::json;

constexpr const char* kNodesPath = "/api/v1/nodes";
constexpr const char* kServicesPath = "/api/v1/namespaces/default/services";
constexpr const char* kLeasePath =
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cloud-controller-manager";

std::string node_path(int number) {
  return std::string(kNodesPath) + "/node-" + std::to_string(number);
}
std::string service_path(int number) {
  return std::string(kServicesPath) + "/service-" + std::to_string(number);
}

void must(const support::KubeResponse& response) {
  if (response.ok()) return;
  throw std::runtime_error(std::to_string(response.status) + " " + response.http.body);
}

json kubeconfig_of(const std::string& server) {
  return {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters", json::array({{{"name", "c"}, {"cluster", {{"server", server}}}}})},
      {"users", json::array({{{"name", "u"}, {"user", json::object()}}})},
      {"contexts", json::array({{{"name", "x"}, {"context", {{"cluster", "c"}, {"user", "u"}}}}})},
      {"current-context", "x"}};
}

json ready_condition(int64_t beat) {
  const std::string time = "2026-01-01T00:00:" + std::string(beat % 60 < 10 ? "0" : "") +
                           std::to_string(beat % 60) + "Z";
  return {{"type", "Ready"},
          {"status", "True"},
          {"reason", "KubeletReady"},
          {"message", "beat " + std::to_string(beat)},
          {"lastHeartbeatTime", time}};
}

}  // namespace

double open_descriptors(pid_t process) {
  std::error_code gone;
  double count = 0;
  for (auto entry =
           std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd", gone);
       !gone && entry != std::filesystem::directory_iterator(); entry.increment(gone)) {
    ++count;
  }
  return count;
}

EventCluster::EventCluster() : proxy_(support::read_kubeconfig(server_.kubeconfig())) {
  support::write_file(folder_.path() / "proxy.kubeconfig", kubeconfig_of(proxy_.server()).dump());
}

std::unique_ptr<support::Process> EventCluster::start_manager() {
  std::vector<std::string> command{
      support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
      "--kubeconfig=" + (folder_.path() / "proxy.kubeconfig").string(), "--cloud-provider=sandbox",
      "--cloud-config=" + cloud_.config().string(), "--configure-cloud-routes=false",
      "--secure-port=0",
      // All nodes are replaced within seconds, some of them while nothing can be seen.
      "--deletion-brake-percent=100", "--deletion-brake-minimum=1000000",
      // Thousands of nodes leave within the minutes of a run.
      "--deletion-brake-percent=100", "--node-monitor-period=1s", "--concurrent-service-syncs=4",
      "--kube-api-qps=-1",
      // Longer than the API server is away, on a busy machine, too.
      "--leader-elect-lease-duration=15s", "--leader-elect-renew-deadline=12s",
      "--leader-elect-retry-period=400ms"};
  const auto log = folder_.path() / ("manager" + std::to_string(++managers_) + ".log");
  return std::make_unique<support::Process>(
      command, support::ProcessOptions{log, {{"KUBECONFIG", ""}, {"HOME", ""}}});
}

std::string EventCluster::holder() {
  const auto lease = api_.get(kLeasePath);
  if (lease.status == 404) return {};
  must(lease);
  return lease.body.at("spec").value("holderIdentity", "");
}

void EventCluster::restart_api_server(int away_ms) {
  proxy_.away();
  server_.expire_history();
  // The time without an answer is what is being imitated here.
  std::this_thread::sleep_for(std::chrono::milliseconds(away_ms));
  proxy_.back();
}

void EventCluster::join_node(int number) {
  const std::string name = "node-" + std::to_string(number);
  const json address = {
      {"type", "InternalIP"},
      {"address", "10." + std::to_string(number / 62'500 % 250) + "." +
                      std::to_string(number / 250 % 250) + "." + std::to_string(number % 250 + 1)}};
  cloud_.control("PUT", "/machines/" + name,
                 {{"name", name}, {"addresses", json::array({address})}});
  json node = support::uninitialised_node(name, "");
  node["status"]["conditions"] = json::array({ready_condition(++beats_)});
  must(api_.create(kNodesPath, node));
  nodes_.push_back(number);
}

void EventCluster::heartbeat(uint32_t choice) {
  const json status = {{"conditions", json::array({ready_condition(++beats_)})}};
  must(api_.patch(node_path(nodes_[choice % nodes_.size()]) + "/status", support::kStrategicPatch,
                  {{"status", status}}));
}

void EventCluster::label_node(uint32_t choice) {
  const json labels = {{"example.com/generation", std::to_string(++beats_)}};
  must(api_.patch(node_path(nodes_[choice % nodes_.size()]), support::kMergePatch,
                  {{"metadata", {{"labels", labels}}}}));
}

// As an autoscaler does it: the oldest Node is cordoned before its machine goes. One that was never
// initialised would stay for 10 minutes.
void EventCluster::lose_oldest_node() {
  const int number = nodes_.front();
  // A history that expires again and again, within 2 minutes, makes an informer pause up to a
  // minute before it lists (API-35).
  const bool joined = support::eventually(std::chrono::seconds(150), [&] {
    const auto node = api_.get(node_path(number));
    must(node);
    return node.body.at("spec").contains("providerID");
  });
  if (!joined) throw std::runtime_error(node_path(number) + " is not initialised");
  nodes_.erase(nodes_.begin());
  must(api_.patch(node_path(number), support::kMergePatch, {{"spec", {{"unschedulable", true}}}}));
  cloud_.control("DELETE", "/machines/node-" + std::to_string(number));
  json silent = ready_condition(++beats_);
  silent["status"] = "Unknown";
  const auto answer = api_.patch(node_path(number) + "/status", support::kStrategicPatch,
                                 {{"status", {{"conditions", json::array({silent})}}}});
  if (answer.status != 404) must(answer);
}

void EventCluster::make_service(int number) {
  const int port = 1 + number % 30'000;
  must(api_.create(
      kServicesPath,
      {{"apiVersion", "v1"},
       {"kind", "Service"},
       {"metadata", {{"name", "service-" + std::to_string(number)}}},
       {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({{{"port", port}}})}}}}));
  services_.push_back({number, port});
}

void EventCluster::change_service(uint32_t choice) {
  WantedService& service = services_[choice % services_.size()];
  service.port = 1 + (service.port + 1) % 30'000;
  must(api_.patch(service_path(service.number), support::kMergePatch,
                  {{"spec", {{"ports", json::array({{{"port", service.port}}})}}}}));
}

void EventCluster::remove_service(uint32_t choice) {
  const std::size_t at = choice % services_.size();
  const int number = services_[at].number;
  std::swap(services_[at], services_.back());
  services_.pop_back();
  must(api_.remove(service_path(number)));
}

std::string EventCluster::node_fault() {
  const auto listed = api_.get(kNodesPath);
  must(listed);
  std::map<std::string, json> found;
  for (const json& node : listed.body.at("items")) found[node.at("metadata").at("name")] = node;
  for (const int number : nodes_) {
    const std::string name = "node-" + std::to_string(number);
    const auto place = found.find(name);
    if (place == found.end()) return name + " was deleted although its machine is there";
    const json& spec = place->second.at("spec");
    for (const json& taint : spec.value("taints", json::array())) {
      if (taint.at("key") == support::kUninitializedTaint) return name + " is not initialised";
    }
    if (spec.value("providerID", "") != "sandbox://" + name) return name + " has no provider ID";
    found.erase(place);
  }
  if (!found.empty()) return found.begin()->first + " is there without its machine";
  return {};
}

std::string EventCluster::service_fault() {
  std::map<int, int> balancers;  // how many of each port
  const json in_cloud = cloud_.control("GET", "/load_balancers").at("load_balancers");
  for (const json& balancer : in_cloud) {
    const json& ports = balancer.at("ports");
    if (balancer.at("backends").size() != nodes_.size()) {
      return "a load balancer has " + std::to_string(balancer.at("backends").size()) + " members";
    }
    ++balancers[ports.empty() ? 0 : ports[0].value("port", 0)];
  }
  if (in_cloud.size() != services_.size()) {
    return std::to_string(in_cloud.size()) + " load balancers for " +
           std::to_string(services_.size()) + " Services";
  }
  const auto listed = api_.get(kServicesPath);
  must(listed);
  std::map<std::string, json> found;
  for (const json& service : listed.body.at("items")) {
    if (service.at("spec").value("type", "") == "LoadBalancer") {
      found[service.at("metadata").at("name")] = service;
    }
  }
  for (const WantedService& wanted : services_) {
    const std::string name = "service-" + std::to_string(wanted.number);
    const auto place = found.find(name);
    if (place == found.end()) return name + " is gone";
    const json status = place->second.value("status", json::object());
    if (status.value("loadBalancer", json::object()).empty()) return name + " has no address";
    if (--balancers[wanted.port] < 0) return name + " has no load balancer";
    found.erase(place);
  }
  if (!found.empty()) return found.begin()->first + " was deleted and is still there";
  return {};
}

std::string EventCluster::fault() {
  std::string found = node_fault();
  return found.empty() ? service_fault() : found;
}

}  // namespace ccm::soak
