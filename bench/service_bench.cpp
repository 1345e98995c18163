// Measures Services of type LoadBalancer: how long until N of them, created at once, have an
// address; what a restart of the manager writes; what one node that leaves costs. Usage: bench/run.
#include "bare_client.hpp"
#include "kubelet_node.hpp"
#include "manager.hpp"
#include "service_yardstick.hpp"
#include "traffic.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ccm::bench {
namespace {

using nlohmann::json;
const std::vector<std::string> kLeading = {"\"Leading\"", "Caches are synced"};
// Services that can have two node ports each; the API server has 2,768 node ports.
constexpr std::size_t kMostWithNodePorts = 1300;
// Create Services and delete them when no bare client is compared. Their cluster IPs come from one
// record of the API server: more at a time mostly try again, and take the processor from the rest.
constexpr std::size_t kWriters = 4;

using Calls = std::map<std::string, long>;

struct Settings {
  ManagerSettings manager;
  std::size_t services = 50;
  std::size_t nodes = 3;
  std::size_t connections = 64;  // as many as the manager has workers
  std::size_t images = 50;       // of each Node
  int server_pid = 0;            // the process that is API server and etcd
  bool yardstick = false;
  double cloud_seconds = 2;  // what the cloud needs for one load balancer
  Server cloud;
};

// Where --cloud-config leads: {"endpoint": "http://127.0.0.1:1", "token": "..."}
Server cloud_of(const std::string& path) {
  std::ifstream file(path);
  const json config = json::parse(file);
  const std::string endpoint = config.at("endpoint");
  const auto host = endpoint.find("//") + 2;
  const auto colon = endpoint.rfind(':');
  Server server;
  server.host = endpoint.substr(host, colon - host);
  server.port = endpoint.substr(colon + 1);
  server.token = config.at("token");
  return server;
}

// Calls to the cloud by operation, since its start.
Calls cloud_calls(const Settings& settings) {
  Calls calls;
  const json counted =
      json::parse(send_one(settings.cloud, {"GET", "/control/calls", "", ""})).at("by_operation");
  for (const auto& [operation, count] : counted.items()) {
    if (count.is_number()) calls[operation] = count.get<long>();
  }
  return calls;
}

// "CreateLoadBalancer 50, GetLoadBalancer 61": what has been added.
std::string added(const Calls& before, const Calls& after) {
  std::string text;
  for (const auto& [operation, count] : after) {
    const auto place = before.find(operation);
    const long difference = count - (place == before.end() ? 0 : place->second);
    if (difference == 0) continue;
    if (!text.empty()) text += ", ";
    text += operation + " " + std::to_string(difference);
  }
  return text.empty() ? "none" : text;
}

long writes(const std::map<std::string, long>& calls) {
  long sum = 0;
  for (const char* operation :
       {"CreateLoadBalancer", "UpdateLoadBalancer", "UpdateBackends", "DeleteLoadBalancer"}) {
    const auto place = calls.find(operation);
    if (place != calls.end()) sum += place->second;
  }
  return sum;
}

json list(const Server& server, const std::string& path) {
  return json::parse(send_one(server, {"GET", path, "", ""}));
}

std::string service_name(std::size_t i) { return "service-" + std::to_string(i); }

std::string machine_name(std::size_t i) { return "node-" + std::to_string(i); }

void create_nodes(const Server& admin, const Settings& settings) {
  std::vector<BareRequest> creations;
  for (std::size_t i = 0; i < settings.nodes; ++i) {
    json node = kubelet_node(i, settings.images);
    node["metadata"]["name"] = machine_name(i);
    node["spec"] = {{"providerID", "sandbox://" + machine_name(i)}};
    creations.push_back({"POST", "/api/v1/nodes", kJson, node.dump()});
  }
  send_all(admin, creations, settings.connections);
}

// Returns when every Service has an address. A server with much to do forgets the version that a
// watch begins with, which ends it; then all are listed again.
void await_addresses(const Server& admin, std::size_t services) {
  std::set<std::string> done;
  while (done.size() < services) {
    const json listed = list(admin, kServices);
    for (const json& service : listed.at("items")) {
      if (has_address(service)) done.insert(service.at("metadata").at("name"));
    }
    if (done.size() >= services) return;
    const std::string version = listed.at("metadata").at("resourceVersion");
    watch(admin, std::string(kServices) + "?watch=true&resourceVersion=" + version, Encoding::json,
          [&](std::string_view line) {
            const json event = json::parse(line);
            if (event.at("type") == "ERROR") return false;
            const json& service = event.at("object");
            if (has_address(service)) done.insert(service.at("metadata").at("name"));
            return done.size() < services;
          });
  }
}

std::map<std::string, std::string> versions(const Server& admin) {
  std::map<std::string, std::string> result;
  const json services = list(admin, kServices);
  for (const json& service : services.at("items")) {
    result[service.at("metadata").at("name")] = service.at("metadata").at("resourceVersion");
  }
  return result;
}

// Waits until the cloud was not called for two seconds; the time of the last call, from `start`.
double until_quiet(const Settings& settings, Clock::time_point start) {
  auto last = cloud_calls(settings);
  double changed = 0;
  for (int quiet = 0; quiet < 40; ++quiet) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    auto now = cloud_calls(settings);
    if (now == last) continue;
    last = std::move(now);
    changed = seconds_since(start);
    quiet = 0;
  }
  return changed;
}

void row(const char* what, double value, const char* unit) {
  std::printf("| %-56s | %8.2f %-2s |\n", what, value, unit);
  std::fflush(stdout);
}

void row_of_calls(const char* what, const Calls& before, const Calls& after) {
  std::printf("| %-56s | %s |\n", what, added(before, after).c_str());
  std::fflush(stdout);
}

std::size_t writers(const Settings& settings) {
  return settings.yardstick ? settings.connections : kWriters;
}

double of_each(long count, const Settings& settings) {
  return static_cast<double>(count) / static_cast<double>(settings.services);
}

// The time of a bare client; afterwards only the load balancers in the cloud are left.
double measure_yardstick(const Settings& settings, const Server& admin) {
  ServiceYardstick bare;
  bare.admin = admin;
  bare.identity = server_of(settings.manager.manager_kubeconfig);
  bare.cloud = settings.cloud;
  bare.services = settings.services;
  bare.connections = std::min(settings.connections, settings.services);
  bare.backends = json::array();
  for (std::size_t i = 0; i < settings.nodes; ++i) bare.backends.push_back(machine_name(i));
  bare.active_after_seconds = settings.cloud_seconds;
  const double seconds = bare.measure();
  send_one(settings.cloud, {"DELETE", "/control/load_balancers", "", ""});
  return seconds;
}

std::unique_ptr<Manager> start_manager(const Settings& settings) {
  auto manager = std::make_unique<Manager>(settings.manager);
  (void)manager->await_log(kLeading);
  return manager;
}

// From the first creation to the last address. `bare` 0: there is no yardstick.
void measure_creation(const Settings& settings, const Server& admin, const Manager& manager,
                      double bare) {
  const Calls before = cloud_calls(settings);
  const double requests = answered_requests(admin);
  const double server = cpu_seconds(settings.server_pid);
  std::vector<BareRequest> creations;
  for (std::size_t i = 0; i < settings.services; ++i) {
    creations.push_back(create_service(service_name(i), settings.services <= kMostWithNodePorts));
  }
  const auto start = Clock::now();
  const double created =
      std::chrono::duration<double>(send_all(admin, creations, writers(settings))).count();
  await_addresses(admin, settings.services);
  const double total = seconds_since(start);
  row("bare client, to create the Services alone", created, "s");
  if (bare > 0) row("bare client, all the calls that the manager makes", bare, "s");
  row("manager, until the last Service has its address", total, "s");
  if (bare > 0) row("ratio", total / bare, "");
  row("manager, over the cloud's own time", total - settings.cloud_seconds, "s");
  until_quiet(settings, start);
  const Calls after = cloud_calls(settings);
  row("cloud writes for each", of_each(writes(after) - writes(before), settings), "");
  row_of_calls("cloud calls", before, after);
  row("processor time of API server and etcd, all of this",
      cpu_seconds(settings.server_pid) - server, "s");
  row("processor time of the manager", manager.cpu_seconds(), "s");
  row("requests that the API server answered, creations included",
      answered_requests(admin) - requests - 1, "");
  const Bytes bytes = bytes_of(manager.pid(), admin);
  row("bytes from the API server", bytes.received / 1e6, "MB");
  row("bytes to the API server", bytes.sent / 1e6, "MB");
  row("resident memory", manager.megabytes("VmRSS:"), "MB");
  row("RssAnon", manager.megabytes("RssAnon:"), "MB");
  row("resident memory, highest", manager.megabytes("VmHWM:"), "MB");
}

std::unique_ptr<Manager> measure_restart(const Settings& settings, const Server& admin,
                                         std::unique_ptr<Manager> manager) {
  const auto settled = versions(admin);
  const Calls before = cloud_calls(settings);
  manager->end(SIGTERM);
  manager = start_manager(settings);
  const double looked = until_quiet(settings, Clock::now());
  const Calls after = cloud_calls(settings);
  row("second manager: until all load balancers are looked at", looked, "s");
  row("second manager: cloud writes", static_cast<double>(writes(after) - writes(before)), "");
  row_of_calls("second manager: cloud calls", before, after);
  std::size_t changed = 0;
  for (const auto& [name, now] : versions(admin)) changed += settled.at(name) != now ? 1 : 0;
  row("second manager: Services written", static_cast<double>(changed), "");
  row("second manager: processor time", manager->cpu_seconds(), "s");
  row("second manager: resident memory", manager->megabytes("VmRSS:"), "MB");
  row("second manager: RssAnon", manager->megabytes("RssAnon:"), "MB");
  return manager;
}

void measure_leaving_node(const Settings& settings, const Server& admin) {
  const Calls before = cloud_calls(settings);
  const auto left = Clock::now();
  send_one(admin, {"DELETE", "/api/v1/nodes/" + machine_name(0), "", ""});
  row("a node leaves: until the last load balancer follows", until_quiet(settings, left), "s");
  const long written = writes(cloud_calls(settings)) - writes(before);
  row("a node leaves: cloud writes for each", of_each(written, settings), "");
}

void measure_deletion(const Settings& settings, const Server& admin) {
  const auto deleted = Clock::now();
  std::vector<BareRequest> deletions;
  for (std::size_t i = 0; i < settings.services; ++i) {
    deletions.push_back({"DELETE", std::string(kServices) + "/" + service_name(i), "", ""});
  }
  send_all(admin, deletions, writers(settings));
  // The API server's own Service, "kubernetes", stays. No more than a second one is listed.
  const std::string two = std::string(kServices) + "?limit=2";
  while (list(admin, two).at("items").size() > 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  row("all deleted, their load balancers too", seconds_since(deleted), "s");
}

void run(const Settings& settings) {
  const Server admin = server_of(settings.manager.kubeconfig);
  std::printf("Services %zu, nodes %zu, load balancers active %.1f s after their creation\n",
              settings.services, settings.nodes, settings.cloud_seconds);
  std::printf("| %-56s | %11s |\n| %s | ----------: |\n", "what", "measured",
              std::string(56, '-').c_str());
  delete_nodes(admin);
  create_nodes(admin, settings);
  const double bare = settings.yardstick ? measure_yardstick(settings, admin) : 0;
  auto manager = start_manager(settings);
  measure_creation(settings, admin, *manager, bare);
  manager = measure_restart(settings, admin, std::move(manager));
  measure_leaving_node(settings, admin);
  measure_deletion(settings, admin);
}

}  // namespace
}  // namespace ccm::bench

int main(int argc, char** argv) {
  ccm::bench::Settings settings;
  CLI::App app("Time until N Services of type LoadBalancer have addresses, and what they cost");
  settings.manager.add_options(app);
  app.add_option("--services", settings.services, "how many")->capture_default_str();
  app.add_option("--nodes", settings.nodes, "behind each load balancer")->capture_default_str();
  app.add_option("--connections", settings.connections, "of the bare client")
      ->capture_default_str();
  app.add_flag("--yardstick", settings.yardstick,
               "let a bare client make the same calls first, and print the ratio");
  app.add_option("--images", settings.images, "container images of a Node, 50 at most")
      ->check(CLI::Range(0, 50))
      ->capture_default_str();
  app.add_option("--server-pid", settings.server_pid, "of the process that is API server and etcd")
      ->required();
  app.add_option("--cloud-seconds", settings.cloud_seconds,
                 "until a load balancer is active in the cloud")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  settings.manager.flags = {"--controllers=service-lb-controller"};
  try {
    settings.cloud = ccm::bench::cloud_of(settings.manager.cloud_config);
    ccm::bench::run(settings);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "service_bench: %s\n", fault.what());
    return 1;
  }
  return 0;
}
