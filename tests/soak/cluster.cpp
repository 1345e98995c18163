#include "cluster.hpp"

#include "digitalocean_api/contract.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ccm::soak {
namespace {

using digitalocean_api::Api;
using digitalocean_api::Exchange;
using digitalocean_api::Milliseconds;

constexpr const char* kTaint = "node.cloudprovider.kubernetes.io/uninitialized";

void check(const support::KubeResponse& response, int status, const std::string& what) {
  if (response.status == status) return;
  throw std::runtime_error(what + ": " + std::to_string(response.status) + " " +
                           response.http.body);
}

// Until it has led for that long, the manager lets only two Nodes go; a short run would end before.
std::string brake_window(double minutes) {
  const auto seconds = static_cast<int64_t>(std::clamp(minutes * 60, 1.0, 600.0));
  return "--deletion-brake-window=" + std::to_string(seconds) + "s";
}

json ready_condition(bool ready) {
  return {{"type", "Ready"},
          {"status", ready ? "True" : "Unknown"},
          {"reason", ready ? "KubeletReady" : "NodeStatusUnknown"},
          {"lastHeartbeatTime", "2026-01-01T00:00:00Z"},
          {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
}

json service_object(const std::string& name, const WantedService& wanted) {
  json port = {{"name", "main"}, {"port", wanted.port}, {"protocol", "TCP"}};
  if (wanted.node_port) port["nodePort"] = 30'000 + wanted.port;
  json annotations = json::object();
  if (wanted.check_interval > 0) {
    annotations["service.beta.kubernetes.io/do-loadbalancer-healthcheck-check-interval-seconds"] =
        std::to_string(wanted.check_interval);
  }
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", {{"name", name}, {"annotations", annotations}}},
          {"spec",
           {{"type", wanted.node_port ? "NodePort" : "LoadBalancer"},
            {"selector", {{"app", name}}},
            {"ports", json::array({port})}}}};
}

}  // namespace

std::string node_name(int64_t number) { return "node-" + std::to_string(number); }

Cluster::Cluster(const Options& options, uint32_t seed)
    : options_(options),
      server_(folder_.path()),
      api_(server_.client()),
      faults_(options.fault_percent, seed) {
  cloud_.with([this](Api& api) {
    api.latency = Milliseconds(options_.latency_ms);
    api.activation_delay = Milliseconds(static_cast<int64_t>(options_.activation_s * 1000));
    api.hourly_limit = options_.hourly_limit;
    api.minute_limit = options_.minute_limit;
    api.tags()["worker"];
    api.chance = [this](const digitalocean_api::ApiRequest&) { return faults_.choose(); };
    api.observer = [this, &api](const Exchange& exchange) {
      ++calls_[exchange.method + " " + std::to_string(exchange.status)];
      if (exchange.method != "GET") {
        for (std::string& fault : digitalocean_api::contract_faults(exchange)) {
          breaches_.insert(exchange.method + " " + exchange.path + ": " + fault);
        }
      }
      api.clear_log();  // an hour of bodies would fill the memory
    };
  });
}

Cluster::~Cluster() {
  if (manager_) manager_->stop();
  // The fake's threads use what is destroyed before it.
  cloud_.with([](Api& api) {
    api.chance = nullptr;
    api.observer = nullptr;
  });
}

void Cluster::start_manager() {
  const std::map<std::string, std::string> environment = {
      {"DO_ACCESS_TOKEN", "dop_v1_test"},
      {"DO_OVERRIDE_URL", cloud_.url()},
      {"REGION", "nyc3"},
      {"DO_CLUSTER_ID", "soak"},
      {"PUBLIC_ACCESS_FIREWALL_NAME", kFirewall},
      {"PUBLIC_ACCESS_FIREWALL_TAGS", "worker"},
      {"KUBECONFIG", ""},
      {"HOME", ""}};
  const std::vector<std::string> command = {support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                            "--kubeconfig=" + server_.manager_kubeconfig().string(),
                                            "--cloud-provider=digitalocean",
                                            "--leader-elect=false",
                                            "--secure-port=0",
                                            brake_window(options_.minutes)};
  manager_ = std::make_unique<support::Process>(
      command, support::ProcessOptions{folder_.path() / "manager.log", environment});
}

void Cluster::join_node(int64_t number) {
  const std::string name = node_name(number);
  cloud_.with([&](Api& api) { api.generate_droplets(droplet_of(number), 1, "x"); });
  cloud_.with([&](Api& api) { api.droplet(droplet_of(number))["name"] = name; });
  json node = {
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata", {{"name", name}}},
      {"spec",
       {{"taints", json::array({{{"key", kTaint}, {"value", "true"}, {"effect", "NoSchedule"}}})}}},
      {"status", {{"conditions", json::array({ready_condition(true)})}}}};
  if (number % 2 == 0) {
    node["spec"]["providerID"] = "digitalocean://" + std::to_string(droplet_of(number));
  }
  const auto made = api_.create("/api/v1/nodes", node);
  check(made, 201, name);
  nodes_[number] = made.body.at("metadata").at("uid").get<std::string>();
}

void Cluster::lose_node(int64_t number) {
  cloud_.with([&](Api& api) { api.remove_droplet(droplet_of(number)); });
  set_ready(number, false);
  nodes_.erase(number);
}

void Cluster::set_ready(int64_t number, bool ready) {
  const json patch = {{"status", {{"conditions", json::array({ready_condition(ready)})}}}};
  const std::string path = "/api/v1/nodes/" + node_name(number) + "/status";
  check(api_.patch(path, support::kStrategicPatch, patch), 200, path);
}

void Cluster::put_service(const std::string& name, const WantedService& wanted) {
  const json object = service_object(name, wanted);
  if (!services_.contains(name)) {
    check(api_.create(kServices, object), 201, name);
  } else {
    // Ports are replaced as a whole; the annotation may go.
    json patch = {{"spec", {{"ports", object["spec"]["ports"]}}},
                  {"metadata", {{"annotations", object["metadata"]["annotations"]}}}};
    if (wanted.check_interval == 0) {
      patch["metadata"]["annotations"]
           ["service.beta.kubernetes.io/do-loadbalancer-healthcheck-check-interval-seconds"] =
               nullptr;
    }
    check(api_.patch(std::string(kServices) + "/" + name, support::kMergePatch, patch), 200, name);
  }
  services_[name] = wanted;
}

void Cluster::remove_service(const std::string& name) {
  check(api_.remove(std::string(kServices) + "/" + name), 200, name);
  services_.erase(name);
}

void Cluster::heal() {
  cloud_.with([this](Api&) { faults_.stop(); });
}

std::map<std::string, int64_t> Cluster::calls() {
  std::map<std::string, int64_t> copy;
  cloud_.with([&](Api&) { copy = calls_; });
  return copy;
}

std::map<std::string, int64_t> Cluster::faults() {
  std::map<std::string, int64_t> copy;
  cloud_.with([&](Api&) { copy = faults_.count(); });
  return copy;
}

std::set<std::string> Cluster::breaches() {
  std::set<std::string> copy;
  cloud_.with([&](Api&) { copy = breaches_; });
  return copy;
}

}  // namespace ccm::soak
