// Measures whether one tenant can keep another one from its load balancers: how long 100 Services
// wait for their addresses, alone and beside 2,000 hostile ones that are created, edited in loops,
// hold 250 kB of misspelt annotations, are invalid or refused by the cloud, while kubelets flap the
// labels of their Nodes. Usage: bench/run.
#include "bare_client.hpp"
#include "kubelet_node.hpp"
#include "manager.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ccm::bench {
namespace {

using nlohmann::json;

constexpr const char* kMergePatch = "application/merge-patch+json";
constexpr const char* kExclude = "node.kubernetes.io/exclude-from-external-load-balancers";
constexpr const char* kHostile = "hostile";
constexpr std::size_t kHonestNamespaces = 10;
constexpr std::size_t kLargeBytes = 250'000;
constexpr auto kBetweenHonest = std::chrono::milliseconds(100);
constexpr auto kBetweenFlaps = std::chrono::milliseconds(100);

struct Settings {
  ManagerSettings manager;
  std::size_t honest = 100;
  std::size_t hostile = 2000;
  std::size_t large = 100;  // of the hostile ones
  std::size_t nodes = 10;
  std::size_t flapping = 5;  // of the Nodes
  std::size_t editors = 2;   // connections that edit all the time
  Server cloud;
};

void row(const char* what, double value, const char* unit) {
  std::printf("| %-62s | %8.2f %-2s |\n", what, value, unit);
  std::fflush(stdout);
}

std::string services_of(const std::string& namespace_name) {
  return "/api/v1/namespaces/" + namespace_name + "/services";
}

void create_namespace(const Server& admin, const std::string& name) {
  const json body = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
  send_one(admin, {"POST", "/api/v1/namespaces", kJson, body.dump()});
}

// Without node ports, of which an API server has 2,768.
json balanced(const std::string& name, const char* tenant) {
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata",
           {{"name", name}, {"labels", {{"tenant", tenant}}}, {"annotations", json::object()}}},
          {"spec",
           {{"type", "LoadBalancer"},
            {"allocateLoadBalancerNodePorts", false},
            {"ports", {{{"name", "http"}, {"port", 80}}}}}}};
}

BareRequest creation(const std::string& namespace_name, const json& service) {
  return {"POST", services_of(namespace_name), kJson, service.dump()};
}

// Thousands of names that are nearly right.
json misspelt_annotations() {
  json annotations = json::object();
  const std::string filler(20, 'x');
  std::size_t bytes = 0;
  for (std::size_t i = 0; bytes < kLargeBytes; ++i) {
    const std::string name = "sandbox.cloud/hostnme-" + std::to_string(i);
    bytes += name.size() + filler.size();
    annotations[name] = filler;
  }
  return annotations;
}

enum class Kind { plain, edited, invalid, refused };
Kind kind_of(std::size_t i) { return static_cast<Kind>(i % 4); }

json hostile_service(const Settings& settings, std::size_t i) {
  json service = balanced("h-" + std::to_string(i), kHostile);
  json& annotations = service["metadata"]["annotations"];
  if (kind_of(i) == Kind::edited && i / 4 < settings.large) annotations = misspelt_annotations();
  if (kind_of(i) == Kind::invalid) {
    annotations["service.beta.kubernetes.io/load-balancer-source-ranges"] = "everybody";
  }
  if (kind_of(i) == Kind::refused) service["spec"]["ports"][0]["protocol"] = "SCTP";
  return service;
}

// The hostile tenant and the hostile kubelets, at work until the destructor stops them.
class Attack {
 public:
  Attack(const Settings& settings, Server admin) : settings_(settings), admin_(std::move(admin)) {
    threads_.emplace_back([this] { create(); });
    threads_.emplace_back([this] { flap(); });
    for (std::size_t i = 0; i < settings_.editors; ++i) {
      threads_.emplace_back([this, i] { edit(i); });
    }
  }
  ~Attack() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Attack(const Attack&) = delete;
  Attack& operator=(const Attack&) = delete;

  [[nodiscard]] std::size_t created() const { return created_; }
  [[nodiscard]] std::size_t edits() const { return edits_; }
  [[nodiscard]] std::size_t flaps() const { return flaps_; }

 private:
  // An answer that is no success is a reason to go on: the API server may be busy.
  bool send(Connection& connection, const BareRequest& request) const {
    try {
      connection.send(request);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }
  void create() {
    Connection connection(admin_);
    for (std::size_t i = 0; i < settings_.hostile && !stop_; ++i) {
      send(connection, creation(kHostile, hostile_service(settings_, i)));
      ++created_;
    }
  }
  // All of its share that exist, one after the other, without a pause.
  void edit(std::size_t first) {
    Connection connection(admin_);
    std::size_t i = first;
    for (std::size_t round = 0; !stop_; ++round, i += settings_.editors) {
      const std::size_t there = created_;
      if (there == 0) continue;
      const json annotations = {
          {"sandbox.cloud/hostname", "h" + std::to_string(round) + ".example"}};
      const json patch = {{"metadata", {{"annotations", annotations}}}};
      const std::string path = services_of(kHostile) + "/h-" + std::to_string(i % there);
      if (send(connection, {"PATCH", path, kMergePatch, patch.dump()})) ++edits_;
    }
  }
  void flap() {
    Connection connection(admin_);
    for (std::size_t round = 0; !stop_; ++round) {
      const json value = round / settings_.flapping % 2 == 0 ? json("true") : json(nullptr);
      const json patch = {{"metadata", {{"labels", {{kExclude, value}}}}}};
      const std::string path = "/api/v1/nodes/" + node_name(round % settings_.flapping);
      if (send(connection, {"PATCH", path, kMergePatch, patch.dump()})) ++flaps_;
      std::this_thread::sleep_for(kBetweenFlaps);
    }
  }

  const Settings& settings_;
  const Server admin_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::size_t> created_ = 0;
  std::atomic<std::size_t> edits_ = 0;
  std::atomic<std::size_t> flaps_ = 0;
  std::vector<std::thread> threads_;
};

// When Services of one round got their addresses.
class Watcher {
 public:
  Watcher(const Server& admin, std::string round, std::size_t count)
      : admin_(admin), round_(std::move(round)), count_(count), thread_([this] { run(); }) {}
  ~Watcher() { thread_.join(); }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  std::map<std::string, Clock::time_point> addressed() {
    thread_.join();
    thread_ = std::thread([] {});
    return addressed_;
  }

 private:
  void note(const json& service) {
    if (service.at("status").at("loadBalancer").value("ingress", json::array()).empty()) return;
    addressed_.emplace(service.at("metadata").at("name"), Clock::now());
  }
  // A watch that ends is followed by a list.
  void run() {
    const std::string path = "/api/v1/services?labelSelector=tenant%3D" + round_;
    while (addressed_.size() < count_) {
      const json listed = json::parse(send_one(admin_, {"GET", path, "", ""}));
      for (const json& service : listed.at("items")) note(service);
      if (addressed_.size() >= count_) return;
      const std::string version = listed.at("metadata").at("resourceVersion");
      watch(admin_, path + "&watch=true&resourceVersion=" + version, Encoding::json,
            [&](std::string_view line) {
              const json event = json::parse(line);
              if (event.at("type") == "ERROR") return false;
              note(event.at("object"));
              return addressed_.size() < count_;
            });
    }
  }

  const Server& admin_;
  const std::string round_;
  const std::size_t count_;
  std::map<std::string, Clock::time_point> addressed_;
  std::thread thread_;
};

std::string honest_namespace(std::size_t i) {
  return "honest-" + std::to_string(i % kHonestNamespaces);
}

// The waits of the honest Services, shortest first, in seconds.
std::vector<double> measure_honest(const Settings& settings, const Server& admin,
                                   const std::string& round) {
  Watcher watcher(admin, round, settings.honest);
  Connection connection(admin);
  std::map<std::string, Clock::time_point> created;
  for (std::size_t i = 0; i < settings.honest; ++i) {
    const std::string name = round + "-" + std::to_string(i);
    created[name] = Clock::now();
    connection.send(creation(honest_namespace(i), balanced(name, round.c_str())));
    std::this_thread::sleep_until(created[name] + kBetweenHonest);
  }
  std::vector<double> waits;
  for (const auto& [name, at] : watcher.addressed()) {
    waits.push_back(std::chrono::duration<double>(at - created.at(name)).count());
  }
  std::sort(waits.begin(), waits.end());
  for (std::size_t i = 0; i < settings.honest; ++i) {
    connection.send({"DELETE",
                     services_of(honest_namespace(i)) + "/" + round + "-" + std::to_string(i), "",
                     ""});
  }
  return waits;
}

void print(const std::vector<double>& waits, const std::string& round) {
  row((round + ": median wait for an address").c_str(), waits.at(waits.size() / 2), "s");
  row((round + ": the longest").c_str(), waits.back(), "s");
}

long cloud_calls(const Settings& settings) {
  return json::parse(send_one(settings.cloud, {"GET", "/control/calls", "", ""})).at("total");
}

void prepare(const Settings& settings, const Server& admin) {
  delete_nodes(admin);
  for (std::size_t i = 0; i < settings.nodes; ++i) {
    json node = kubelet_node(i, 5);
    node["spec"] = {{"providerID", "sandbox://" + node["metadata"]["name"].get<std::string>()}};
    send_one(admin, {"POST", "/api/v1/nodes", kJson, node.dump()});
  }
  create_namespace(admin, kHostile);
  for (std::size_t i = 0; i < kHonestNamespaces; ++i) create_namespace(admin, honest_namespace(i));
}

void run(const Settings& settings) {
  const Server admin = server_of(settings.manager.kubeconfig);
  prepare(settings, admin);
  std::printf(
      "Honest Services %zu in %zu namespaces, hostile ones %zu, %zu of them with 250 kB; "
      "Nodes %zu, %zu of them flap\n",
      settings.honest, kHonestNamespaces, settings.hostile, settings.large, settings.nodes,
      settings.flapping);
  Manager manager(settings.manager);
  (void)manager.await_log({"\"Leading\"", "Caches are synced"});
  (void)measure_honest(settings, admin, "warm");
  const auto alone = measure_honest(settings, admin, "alone");
  print(alone, "alone");
  const long before = cloud_calls(settings);
  const double processor = manager.cpu_seconds();
  const auto start = Clock::now();
  {
    const Attack attack(settings, admin);
    while (attack.created() < settings.hostile / 4) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    const auto beside = measure_honest(settings, admin, "beside");
    print(beside, "beside");
    row("ratio of the medians", beside.at(beside.size() / 2) / alone.at(alone.size() / 2), "");
    row("ratio of the longest", beside.back() / alone.back(), "");
    row("hostile Services that were created", static_cast<double>(attack.created()), "");
    row("edits of them, a second", static_cast<double>(attack.edits()) / seconds_since(start), "");
    row("changes of the Nodes' labels", static_cast<double>(attack.flaps()), "");
  }
  row("cloud calls, a second",
      static_cast<double>(cloud_calls(settings) - before) / seconds_since(start), "");
  row("processor time of the manager, a second",
      (manager.cpu_seconds() - processor) / seconds_since(start), "s");
  row("resident memory, highest", manager.megabytes("VmHWM:"), "MB");
}

}  // namespace
}  // namespace ccm::bench

int main(int argc, char** argv) {
  ccm::bench::Settings settings;
  CLI::App app("How long honest Services wait beside hostile ones");
  settings.manager.add_options(app);
  app.add_option("--honest", settings.honest, "Services that are measured")->capture_default_str();
  app.add_option("--hostile", settings.hostile, "Services beside them")->capture_default_str();
  app.add_option("--large", settings.large, "hostile ones with 250 kB of annotations")
      ->capture_default_str();
  app.add_option("--editors", settings.editors, "connections that edit hostile ones in a loop")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  settings.manager.flags = {"--controllers=service-lb-controller"};
  try {
    std::ifstream file(settings.manager.cloud_config);
    const nlohmann::json config = nlohmann::json::parse(file);
    const std::string endpoint = config.at("endpoint");
    const auto host = endpoint.find("//") + 2;
    const auto colon = endpoint.rfind(':');
    settings.cloud.host = endpoint.substr(host, colon - host);
    settings.cloud.port = endpoint.substr(colon + 1);
    settings.cloud.token = config.at("token");
    ccm::bench::run(settings);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "tenants_bench: %s\n", fault.what());
    return 1;
  }
  return 0;
}
