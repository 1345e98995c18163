// Runs the manager on a fake of OpenStack's APIs with faults while Services come, change and go,
// and says at the end whether every object is right, nothing is left behind and the memory stayed
// flat. Exit code 0 = all is right, 1 = not, 2 = wrong use.
#include "command_line.hpp"
#include "memory.hpp"
#include "openstack_api/add_servers.hpp"
#include "openstack_api/changing_services.hpp"
#include "openstack_api/server.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/kube_client.hpp"
#include "support/manifests.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ccm::soak {
namespace {

using namespace openstack_api;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr const char* kTaint = "node.cloudprovider.kubernetes.io/uninitialized";
constexpr const char* kServicesPath = "/api/v1/namespaces/default/services";

struct SoakOptions {
  int64_t nodes = 1'000;
  int64_t members = 20;  // of the nodes: those that take traffic
  int services = 100;
  double minutes = 10;
  double fault_percent = 5;
  double change_s = 5;  // between two changes of Services
  double settle_s = 600;
  double growth_mb = 4;
  uint32_t seed = 0;
};

double since(Clock::time_point start) { return Seconds(Clock::now() - start).count(); }

// Within the fake's lock.
class ChanceFaults {
 public:
  ChanceFaults(double percent, uint32_t seed) : share_(percent / 100), random_(seed) {}

  std::optional<Fault> choose() {
    if (std::uniform_real_distribution<double>(0, 1)(random_) >= share_) return std::nullopt;
    ++count_;
    Fault fault;
    switch (random_() % 8) {
      case 0:
        fault.status = 500;
        break;
      case 1:
        fault.status = 502;
        fault.body = "<html><body><h1>502 Bad Gateway</h1></body></html>";
        break;
      case 2:
        fault.status = 503;
        break;
      case 3:
        fault.status = 429;
        fault.headers["retry-after"] = std::to_string(1 + random_() % 3);
        break;
      case 4:
        fault.cut = true;
        break;
      case 5:
        fault.cut_body = true;
        break;
      case 6:
        fault.lose_answer = true;
        break;
      default:
        fault.delay = milliseconds(1'000 + random_() % 2'000);
    }
    return fault;
  }
  void stop() { share_ = 0; }
  [[nodiscard]] int64_t count() const { return count_; }

 private:
  double share_;
  std::mt19937 random_;
  int64_t count_ = 0;
};

class OpenStackSoak {
 public:
  OpenStackSoak(const SoakOptions& options, uint32_t seed)
      : options_(options), random_(seed), faults_(options.fault_percent, seed) {}
  ~OpenStackSoak() {
    if (manager_) manager_->stop();
    cloud_.with([](Cloud& cloud) {
      cloud.chance = nullptr;
      cloud.observer = nullptr;
    });
  }

  bool all() {
    fill();
    start();
    if (!settle("the beginning")) return false;
    shake();
    cloud_.with([this](Cloud&) { faults_.stop(); });
    if (!settle("the last fault")) return false;
    const double growth = growth_mb(samples_);
    std::printf("memory: %+.2f MB from the second quarter to the last\n", growth);
    return growth <= options_.growth_mb;
  }

 private:
  void fill() {
    if (server_.kind() != support::ServerKind::kSandbox) {
      server_.give_rights(support::read_manifests(CCM_OPENSTACK_RIGHTS));
    }
    std::vector<std::string> ids;
    cloud_.with([&](Cloud& cloud) {
      ids = add_servers(cloud, cloud_.facts(), "node-", options_.nodes);
      Network& network = cloud.region().network;
      network.set_quota(cloud_.facts().at("projects").at("demo"), "floatingip", -1);
      network.add_interface(cloud_.facts().at("ids").at("router"),
                            network.records("subnets").find_by("name", "nodes")->at("id"));
      foreign_.emplace(cloud);
      cloud.latency = milliseconds(50);
      LoadBalancing& octavia = cloud.region().load_balancing;
      octavia.create_time = milliseconds(3'000);
      octavia.update_time = milliseconds(1'000);
      octavia.delete_time = milliseconds(1'000);
      cloud.chance = [this](const Request&) { return faults_.choose(); };
      cloud.observer = [this, &cloud](const Exchange&) {
        ++calls_;
        cloud.clear_log();  // it would fill the memory
      };
    });
    for (int64_t i = 0; i < options_.nodes; ++i) {
      json node = {
          {"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", "node-" + std::to_string(i)}, {"labels", json::object()}}},
          {"spec",
           {{"providerID", "openstack:///" + ids[static_cast<std::size_t>(i)]},
            {"taints",
             json::array({{{"key", kTaint}, {"value", "true"}, {"effect", "NoSchedule"}}})}}}};
      if (i < options_.members) node["metadata"]["labels"]["soak"] = "member";
      expect(api_.create("/api/v1/nodes", node), 201);
    }
    while (wanted_.size() < static_cast<std::size_t>(options_.services)) add_service();
  }

  void start() {
    std::ofstream(folder_.path() / "cloud.conf")
        << "[Global]\nauth-url = " << cloud_.url()
        << "/identity/v3\nusername = demo\npassword = secret\ntenant-name = demo\n"
           "domain-name = Default\nregion = RegionOne\n[LoadBalancer]\ncreate-monitor = true\n"
           "node-selector = soak=member\n";
    manager_ = std::make_unique<support::Process>(
        std::vector<std::string>{
            support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
            "--kubeconfig=" + server_.manager_kubeconfig().string(), "--cloud-provider=openstack",
            "--cloud-config=" + (folder_.path() / "cloud.conf").string(), "--leader-elect=false",
            "--secure-port=0", "--load-balancer-audit-period=5m"},
        support::ProcessOptions{folder_.path() / "manager.log",
                                {{"KUBECONFIG", ""}, {"HOME", ""}}});
  }

  static void expect(const support::KubeResponse& response, int status) {
    if (response.status == status) return;
    throw std::runtime_error(std::to_string(response.status) + " " + response.http.body);
  }

  void add_service() {
    const std::string name = "service-" + std::to_string(next_);
    WantedService service = service_of(next_++ % 300);
    expect(api_.create(kServicesPath, service.object(name)), 201);
    wanted_[name] = service;
  }

  void change() {
    ++changes_;
    const auto count = static_cast<int>(wanted_.size());
    const auto kind = random_() % 4;
    if (count < options_.services || kind == 0) return add_service();
    auto place = wanted_.begin();
    std::advance(place, static_cast<int64_t>(random_() % wanted_.size()));
    const std::string path = std::string(kServicesPath) + "/" + place->first;
    if (kind == 1 || count > options_.services + 2) {
      expect(api_.remove(path), 200);
      wanted_.erase(place);
      return;
    }
    place->second.change(random_);
    expect(api_.patch(path, support::kMergePatch, place->second.patch()), 200);
  }

  std::string fault() {
    std::map<std::string, json> services;
    const json listed = api_.get(kServicesPath).body;
    for (const json& service : listed.at("items")) {
      if (service.at("spec").value("type", "") != "LoadBalancer") continue;
      services[service.at("metadata").at("name")] = service;
    }
    const json nodes = api_.get("/api/v1/nodes").body;
    for (const json& node : nodes.at("items")) {
      if (node.dump().find(kTaint) != std::string::npos) return "a Node is not initialised";
    }
    if (nodes.at("items").size() != static_cast<std::size_t>(options_.nodes)) {
      return "a Node was deleted";
    }
    std::string found;
    cloud_.with([&](Cloud& cloud) {
      found = cloud_fault(cloud, *foreign_, wanted_, services,
                          static_cast<std::size_t>(options_.members), false);
    });
    return found;
  }

  bool settle(const char* what) {
    const auto start = Clock::now();
    std::string wrong;
    const auto limit = milliseconds(static_cast<int64_t>(options_.settle_s * 1'000));
    const bool right = support::eventually(limit, [&] {
      wrong = fault();
      return wrong.empty() || !manager_->running();
    });
    if (right && manager_->running()) {
      std::printf("right %.0f s after %s\n", since(start), what);
      return true;
    }
    std::printf("WRONG: %s\n", manager_->running() ? wrong.c_str() : "the manager ended");
    folder_.keep();
    std::printf("the manager's log is in %s\n", folder_.path().c_str());
    return false;
  }

  void shake() {
    const double end = options_.minutes * 60;
    const auto start = Clock::now();
    double next_row = 0;
    std::printf("| %7s | %6s | %8s | %8s | %7s | %6s |\n", "seconds", "RSS MB", "CPU s", "calls",
                "changes", "faults");
    for (double next = 0; next < end && manager_->running(); next += options_.change_s) {
      // The pace of what happens is what is being imitated here.
      std::this_thread::sleep_for(Seconds(std::max(0.0, next - since(start))));
      change();
      if (next < next_row) continue;
      next_row += std::max(options_.change_s, end / 30);
      row(since(start));
    }
  }

  void row(double now) {
    samples_.push_back(resident_mb(manager_->pid()));
    int64_t calls = 0;
    int64_t faults = 0;
    cloud_.with([&](Cloud&) {
      calls = calls_;
      faults = faults_.count();
    });
    std::printf("| %7.0f | %6.1f | %8.1f | %8lld | %7lld | %6lld |\n", now, samples_.back(),
                cpu_seconds(manager_->pid()), static_cast<long long>(calls),
                static_cast<long long>(changes_), static_cast<long long>(faults));
    std::fflush(stdout);
  }

  const SoakOptions& options_;
  std::mt19937 random_;
  ChanceFaults faults_;
  int64_t calls_ = 0;  // within the fake's lock
  support::TemporaryFolder folder_{"ccm-openstack-soak"};
  support::TestServer server_{folder_.path()};
  support::KubeClient api_{server_.client()};
  Server cloud_;
  std::optional<Foreign> foreign_;
  std::unique_ptr<support::Process> manager_;
  std::map<std::string, WantedService> wanted_;
  int next_ = 0;
  int64_t changes_ = 0;
  std::vector<double> samples_;
};

}  // namespace
}  // namespace ccm::soak

int main(int argc, char** argv) {
  ccm::soak::SoakOptions options;
  CLI::App app("The manager with openstack.so on a cloud with faults");
  app.add_option("--nodes", options.nodes, "Nodes")->capture_default_str();
  app.add_option("--members", options.members, "Nodes that take traffic")->capture_default_str();
  app.add_option("--services", options.services, "Services")->capture_default_str();
  app.add_option("--minutes", options.minutes, "How long")->capture_default_str();
  app.add_option("--fault-percent", options.fault_percent, "Share of calls that fail")
      ->capture_default_str();
  app.add_option("--change", options.change_s, "Seconds between two changes of Services")
      ->capture_default_str();
  app.add_option("--settle", options.settle_s, "Seconds until all has to be right")
      ->capture_default_str();
  app.add_option("--growth", options.growth_mb, "MB by which the memory may grow")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Repeats a run, as far as timing allows");
  return ccm::soak::run_command(
      app, argc, argv, options.seed, "openstack_soak",
      [&](uint32_t seed) { return ccm::soak::OpenStackSoak(options, seed).all(); });
}
