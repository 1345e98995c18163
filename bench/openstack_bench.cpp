// Measures openstack.so on the fake of OpenStack's APIs at 50 ms a call: cloud calls to initialise
// N nodes, to make one load balancer of many members and many load balancers, to look at all of
// them again, to restart, and to make routes; and the memory of the manager. Usage: bench/run.
#include "bare_client.hpp"
#include "kubelet_node.hpp"
#include "manager.hpp"
#include "openstack_api/add_servers.hpp"
#include "openstack_api/server.hpp"
#include "services.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ccm::bench {
namespace {

using nlohmann::json;
using openstack_api::Cloud;
using std::chrono::milliseconds;

constexpr const char* kTaint = "node.cloudprovider.kubernetes.io/uninitialized";
constexpr std::size_t kConnections = 16;

struct Settings {
  ManagerSettings manager;
  std::size_t nodes = 1000;
  std::size_t services = 100;
  std::size_t ports = 4;      // of the one large load balancer
  std::size_t members = 300;  // of each of them
  std::size_t few = 20;       // members of each port of the other load balancers
  std::size_t routes = 500;
  std::size_t images = 50;
};

void row(const std::string& what, double value, const char* unit) {
  std::printf("| %-66s | %8.2f %-2s |\n", what.c_str(), value, unit);
  std::fflush(stdout);
}

void row(const std::string& what, const std::string& value) {
  std::printf("| %-66s | %s |\n", what.c_str(), value.c_str());
  std::fflush(stdout);
}

std::string pod_range(std::size_t i) {
  return "10." + std::to_string(128 + (i >> 8)) + "." + std::to_string(i & 255) + ".0/24";
}

class Bench {
 public:
  explicit Bench(Settings settings)
      : settings_(std::move(settings)), admin_(server_of(settings_.manager.kubeconfig)) {}

  void run() {
    fill();
    initialise();
    one_large_load_balancer();
    many_load_balancers();
    restart();
    make_routes();
  }

 private:
  void fill() {
    std::printf("openstack: nodes %zu, Services %zu, 50 ms a call\n", settings_.nodes,
                settings_.services);
    std::printf("| %-66s | %11s |\n| %s | ----------: |\n", "what", "measured",
                std::string(66, '-').c_str());
    std::vector<std::string> ids;
    cloud_.with([&](Cloud& cloud) {
      const json& facts = cloud_.facts();
      ids =
          openstack_api::add_servers(cloud, facts, "node-", static_cast<int64_t>(settings_.nodes));
      auto& network = cloud.region().network;
      network.set_quota(facts.at("projects").at("demo"), "floatingip", -1);
      network.add_interface(facts.at("ids").at("router"),
                            network.records("subnets").find_by("name", "nodes")->at("id"));
      network.most_routes = settings_.routes + 30;
      cloud.latency = milliseconds(50);
      auto& octavia = cloud.region().load_balancing;
      octavia.create_time = octavia.update_time = milliseconds(2'000);
    });
    delete_nodes(admin_);
    std::vector<BareRequest> creations;
    for (std::size_t i = 0; i < settings_.nodes; ++i) {
      json node = kubelet_node(i, settings_.images);
      node["metadata"]["name"] = "node-" + std::to_string(i);
      if (i < settings_.members) node["metadata"]["labels"]["many"] = "yes";
      if (i < settings_.few) node["metadata"]["labels"]["few"] = "yes";
      node["spec"]["providerID"] = "openstack:///" + ids[i];
      node["spec"]["taints"] = {{{"key", kTaint}, {"value", "true"}, {"effect", "NoSchedule"}}};
      if (i < settings_.routes) {
        node["spec"]["podCIDR"] = pod_range(i);
        node["spec"]["podCIDRs"] = {pod_range(i)};
      }
      creations.push_back({"POST", "/api/v1/nodes", kJson, node.dump()});
    }
    send_all(admin_, creations, kConnections);
  }

  void write_conf(const std::string& more) const {
    std::ofstream(settings_.manager.cloud_config)
        << "[Global]\nauth-url = " << cloud_.url()
        << "/identity/v3\nusername = demo\npassword = secret\ntenant-name = demo\n"
           "domain-name = Default\nregion = RegionOne\n"
        << more;
  }

  void start(const std::string& controllers, std::vector<std::string> flags = {}) {
    ManagerSettings manager = settings_.manager;
    manager.provider = "openstack";
    manager.flags = std::move(flags);
    manager.flags.push_back("--controllers=" + controllers);
    manager_ = std::make_unique<Manager>(manager);
  }

  // "GET 12, PUT 3" since the last clear().
  std::string calls() {
    std::string text;
    cloud_.with([&](Cloud& cloud) {
      for (const char* method : {"GET", "POST", "PUT", "DELETE"}) {
        const int64_t count = cloud.calls(method, "");
        if (count == 0) continue;
        text += (text.empty() ? "" : ", ") + std::string(method) + " " + std::to_string(count);
      }
    });
    return text.empty() ? "none" : text;
  }
  double count(const std::function<int64_t(Cloud&)>& of) {
    int64_t found = 0;
    cloud_.with([&](Cloud& cloud) { found = of(cloud); });
    return static_cast<double>(found);
  }
  double total() {
    return count([](Cloud& cloud) { return cloud.calls(); });
  }
  double writes() {
    return count([](Cloud& cloud) { return cloud.writes(); });
  }
  void clear() {
    cloud_.with([](Cloud& cloud) { cloud.clear_log(); });
  }

  // Until the cloud was not called for four seconds: waiting load balancers are looked at more
  // often.
  void await_quiet() {
    for (int quiet = 0; quiet < 40; ++quiet) {
      const double before = total();
      std::this_thread::sleep_for(milliseconds(100));
      if (total() != before) quiet = 0;
    }
  }

  json list(const std::string& path) const {
    return json::parse(send_one(admin_, {"GET", path, "", ""})).at("items");
  }
  std::size_t tainted() const {
    std::size_t found = 0;
    for (const json& node : list("/api/v1/nodes"))
      found += node.dump().find(kTaint) != std::string::npos;
    return found;
  }

  BareRequest service(const std::string& name, std::size_t ports, json annotations) const {
    json list = json::array();
    for (std::size_t i = 0; i < ports; ++i) {
      list.push_back({{"name", "p" + std::to_string(i)}, {"port", 80 + i}, {"protocol", "TCP"}});
    }
    const json object = {
        {"apiVersion", "v1"},
        {"kind", "Service"},
        {"metadata", {{"name", name}, {"annotations", std::move(annotations)}}},
        {"spec", {{"type", "LoadBalancer"}, {"selector", {{"app", name}}}, {"ports", list}}}};
    return {"POST", kServices, kJson, object.dump()};
  }

  void initialise() {
    write_conf("");
    clear();
    const auto begin = Clock::now();
    start("cloud-node-controller,cloud-node-lifecycle-controller,service-lb-controller");
    manager_->await("all nodes initialised", [&] { return tainted() == 0; });
    row("nodes initialised after", seconds_since(begin), "s");
    row("cloud calls to initialise, log-in included", total(), "");
    row("these calls", calls());
  }

  void one_large_load_balancer() {
    await_quiet();
    clear();
    const auto begin = Clock::now();
    send_one(admin_, service("large", settings_.ports,
                             {{"loadbalancer.openstack.org/node-selector", "many"}}));
    manager_->await("the address of the large load balancer",
                    [&] { return services_without_address(admin_) == 0; });
    const std::string name = std::to_string(settings_.ports) + " ports with " +
                             std::to_string(settings_.members) + " members each: ";
    row(name + "address after", seconds_since(begin), "s");
    await_quiet();
    row(name + "writes", writes(), "");
    row("these calls", calls());
    row("members in the cloud", count([](Cloud& cloud) {
          return static_cast<int64_t>(cloud.region().load_balancing.records("members").size());
        }),
        "");
  }

  void many_load_balancers() {
    clear();
    const auto begin = Clock::now();
    std::vector<BareRequest> creations;
    for (std::size_t i = 1; i < settings_.services; ++i) {
      creations.push_back(service("service-" + std::to_string(i), 1,
                                  {{"loadbalancer.openstack.org/node-selector", "few"}}));
    }
    send_all(admin_, creations, 4);
    manager_->await("all addresses", [&] { return services_without_address(admin_) == 0; });
    row(std::to_string(settings_.services - 1) + " more Services of " +
            std::to_string(settings_.few) + " members: addresses after",
        seconds_since(begin), "s");
    await_quiet();
    row("writes for each", writes() / static_cast<double>(settings_.services - 1), "");
    memory("");
  }

  void memory(const std::string& whose) {
    // The manager gives memory back every five seconds.
    std::this_thread::sleep_for(std::chrono::seconds(8));
    row(whose + "resident memory, settled", manager_->megabytes("VmRSS:"), "MB");
    row(whose + "of this its own, not shared with files (RssAnon)", manager_->megabytes("RssAnon:"),
        "MB");
    row(whose + "resident memory, highest", manager_->megabytes("VmHWM:"), "MB");
    row(whose + "processor time", manager_->cpu_seconds(), "s");
  }

  // Twice the time in which all of them are looked at.
  void restart() {
    manager_->end(SIGTERM);
    clear();
    start("cloud-node-controller,cloud-node-lifecycle-controller,service-lb-controller",
          {"--load-balancer-audit-period=20s"});
    const auto looks = [this] {
      return count([](Cloud& cloud) { return cloud.calls("GET", "/floatingips"); });
    };
    const auto all = static_cast<double>(settings_.services);
    manager_->await("a look at each load balancer", [&] { return looks() >= all; });
    await_quiet();
    row("after a restart: cloud writes", writes(), "");
    row("these calls", calls());
    clear();
    manager_->await("another look at each", [&] { return looks() >= all; });
    row("compared again, unchanged: cloud writes", writes(), "");
    row("calls for each load balancer", total() / all, "");
    memory("after a restart: ");
  }

  void make_routes() {
    manager_->end(SIGTERM);
    write_conf("[Route]\nrouter-id = " + cloud_.facts().at("ids").at("router").get<std::string>() +
               "\n");
    clear();
    const auto begin = Clock::now();
    start("node-route-controller", {"--cluster-cidr=10.128.0.0/9"});
    const auto made = [this] {
      return count([this](Cloud& cloud) {
        const std::string id = cloud_.facts().at("ids").at("router");
        return static_cast<int64_t>(
            cloud.region().network.records("routers").find(id)->at("routes").size());
      });
    };
    manager_->await("all routes", [&] { return made() >= static_cast<double>(settings_.routes); });
    row(std::to_string(settings_.routes) + " routes after", seconds_since(begin), "s");
    await_quiet();
    const auto of = [this](const char* pattern) {
      return count([&](Cloud& cloud) { return cloud.calls("PUT", pattern); });
    };
    row("writes of routes", of("/add_extraroutes"), "");
    row("writes of their record", of("/tags"), "");
    row("writes of ports, for their address pairs", of("/ports/"), "");
    row("these calls", calls());
  }

  Settings settings_;
  Server admin_;
  openstack_api::Server cloud_;
  std::unique_ptr<Manager> manager_;
};

}  // namespace
}  // namespace ccm::bench

int main(int argc, char** argv) {
  ccm::bench::Settings settings;
  CLI::App app("Cloud calls and memory of the manager with openstack.so");
  settings.manager.add_options(app);
  app.add_option("--nodes", settings.nodes, "how many")->capture_default_str();
  app.add_option("--services", settings.services, "how many")->capture_default_str();
  app.add_option("--ports", settings.ports, "of the first load balancer")->capture_default_str();
  app.add_option("--members", settings.members, "of each of these ports")->capture_default_str();
  app.add_option("--few", settings.few, "members of the other load balancers")
      ->capture_default_str();
  app.add_option("--routes", settings.routes, "how many")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    ccm::bench::Bench(std::move(settings)).run();
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "openstack_bench: %s\n", fault.what());
    return 1;
  }
  return 0;
}
