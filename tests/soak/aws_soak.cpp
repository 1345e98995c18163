// Runs the manager on a fake of AWS's APIs with faults while Services come, change and go, kills
// it at random where it is asked to, and says at the end whether every object is right, nothing is
// left behind and the memory stayed flat. Exit code 0 = all is right, 1 = not, 2 = wrong use.
#include "aws_api/server.hpp"
#include "command_line.hpp"
#include "memory.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/kube_client.hpp"
#include "support/manifests.hpp"
#include "support/nodes.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <CLI/CLI.hpp>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ccm::soak {
namespace {

using namespace aws_api;
using nlohmann::json;
using support::HttpAnswer;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using std::chrono::milliseconds;

constexpr const char* kServicesPath = "/api/v1/namespaces/default/services";
constexpr const char* kTypeAnnotation = "service.beta.kubernetes.io/aws-load-balancer-type";
constexpr const char* kServiceTag = "kubernetes.io/service-name";

struct SoakOptions {
  int nodes = 20;
  std::size_t services = 12;
  double minutes = 10;
  double fault_percent = 5;
  double change_s = 5;  // between two changes of Services
  double kill_s = 0;    // between two SIGKILLs, on the average; 0 = none
  double settle_s = 300;
  double growth_mb = 4;
  uint32_t seed = 0;
};

double since(Clock::time_point start) { return Seconds(Clock::now() - start).count(); }

// Within the fake's lock.
class ChanceFaults {
 public:
  ChanceFaults(double percent, uint32_t seed) : share_(percent / 100), random_(seed) {}

  HttpAnswer answer(const Server::Carry& carry) {
    ++calls_;
    if (std::uniform_real_distribution<double>(0, 1)(random_) >= share_) return carry();
    ++faults_;
    HttpAnswer out;
    switch (random_() % 8) {
      case 0:
        return refusal(500, "InternalError");
      case 1:
        out.status = 502;
        out.body = "<html><body><h1>502 Bad Gateway</h1></body></html>";
        return out;
      case 2:
        return refusal(503, "RequestLimitExceeded");
      case 3:
        return refusal(400, "Throttling");
      case 4:  // before it is carried out
        out.cut = true;
        return out;
      case 5:
        out = carry();
        out.cut = true;
        return out;
      case 6:
        out = carry();
        out.cut_body = true;
        return out;
      default:
        out = carry();
        out.delay += milliseconds(1'000 + random_() % 2'000);
        return out;
    }
  }
  [[nodiscard]] int64_t calls() const { return calls_; }
  [[nodiscard]] int64_t faults() const { return faults_; }

 private:
  static HttpAnswer refusal(int status, const std::string& code) {
    HttpAnswer out;
    out.status = status;
    out.body = "<ErrorResponse><Error><Code>" + code +
               "</Code><Message>by chance</Message></Error></ErrorResponse>";
    return out;
  }

  const double share_;
  std::mt19937 random_;
  int64_t calls_ = 0;
  int64_t faults_ = 0;
};

struct WantedService {
  bool network = false;
  std::set<int> ports{80};
};

json ports_of(const WantedService& wanted) {
  json list = json::array();
  for (const int port : wanted.ports) {
    list.push_back({{"name", "p" + std::to_string(port)}, {"port", port}, {"protocol", "TCP"}});
  }
  return list;
}

// What the cloud has for a Service, against what it wants: "" = it is right.
class ServiceCheck {
 public:
  ServiceCheck(const LoadBalancing& all, const json& service, const WantedService& wanted,
               std::size_t nodes)
      : all_(all), wanted_(wanted), nodes_(nodes) {
    key_ = "default/" + service.at("metadata").at("name").get<std::string>();
    for (const json& port : service.at("spec").at("ports")) {
      node_ports_[port.at("port")] = std::to_string(port.value("nodePort", 0));
    }
    hostname_ = service.value("/status/loadBalancer/ingress/0/hostname"_json_pointer, "");
  }

  [[nodiscard]] std::string fault() const {
    const std::string what = wanted_.network ? network_fault() : classic_fault();
    return what.empty() ? what : key_ + ": " + what;
  }

 private:
  bool is_ours(const Tags& tags) const {
    const auto tag = tags.find(kServiceTag);
    return tag != tags.end() && tag->second == key_;
  }
  std::string network_fault() const {
    std::string arn;
    for (const auto& [id, network] : all_.networks) {
      if (!is_ours(network.tags)) continue;
      if (!arn.empty()) return "two load balancers";
      arn = id;
      if (!hostname_.starts_with(network.name)) return "no name of its load balancer";
    }
    if (arn.empty()) return "no load balancer";
    std::set<int> ports;
    for (const auto& [id, listener] : all_.listeners) {
      if (listener.balancer != arn) continue;
      const int port = static_cast<int>(listener.port);
      ports.insert(port);
      const auto group = all_.targets.find(listener.group);
      if (group == all_.targets.end()) return "a listener without its target group";
      if (group->second.targets.size() != nodes_) return "other targets than the Nodes";
      const auto node_port = node_ports_.find(port);
      if (node_port != node_ports_.end() && group->second.fields.at("Port") != node_port->second) {
        return "targets at another port";
      }
    }
    return ports == wanted_.ports ? "" : "other listeners than ports";
  }
  std::string classic_fault() const {
    const Classic* found = nullptr;
    for (const auto& [name, classic] : all_.classics) {
      if (!is_ours(classic.tags)) continue;
      if (found != nullptr) return "two load balancers";
      found = &classic;
      if (!hostname_.starts_with(name)) return "no name of its load balancer";
    }
    if (found == nullptr) return "no load balancer";
    if (found->instances.size() != nodes_) return "other instances than the Nodes";
    std::set<int> ports;
    for (const auto& [port, listener] : found->listeners) {
      ports.insert(static_cast<int>(port));
      const auto node_port = node_ports_.find(static_cast<int>(port));
      if (node_port != node_ports_.end() &&
          listener.fields.at("InstancePort") != node_port->second) {
        return "instances at another port";
      }
    }
    return ports == wanted_.ports ? "" : "other listeners than ports";
  }

  const LoadBalancing& all_;
  const WantedService& wanted_;
  const std::size_t nodes_;
  std::string key_;
  std::string hostname_;
  std::map<int, std::string> node_ports_;
};

class AwsSoak {
 public:
  AwsSoak(const SoakOptions& options, uint32_t seed)
      : options_(options), random_(seed), faults_(options.fault_percent, seed) {}
  ~AwsSoak() {
    if (manager_) manager_->stop();
    cloud_.disturb(nullptr);
  }

  bool all() {
    fill();
    start();
    if (!settle("the beginning")) return false;
    shake();
    cloud_.disturb(nullptr);
    if (!settle("the last fault")) return false;
    for (const auto& [name, service] : wanted_) expect(api_.remove(path_of(name)), 200);
    wanted_.clear();
    if (!settle("the deletion of all Services")) return false;
    if (options_.kill_s > 0) return true;
    const double growth = growth_mb(samples_);
    std::printf("memory: %+.2f MB from the second quarter to the last\n", growth);
    return growth <= options_.growth_mb;
  }

 private:
  void fill() {
    if (server_.kind() != support::ServerKind::kSandbox) {
      server_.give_rights(support::read_manifests(CCM_AWS_RIGHTS));
    }
    std::vector<std::string> names;
    cloud_.with([&](World& world) {
      for (int i = 0; i < options_.nodes; ++i) {
        const std::string& subnet = cloud_.names().at(i % 2 == 0 ? "priv-a" : "priv-b");
        names.push_back(world.add_node(5 + i, subnet).private_dns);
      }
      world.latency = milliseconds(20);
      world.balancing.state_of_new = "provisioning";
      world.provisioning_time = milliseconds(2'000);
      world.balancing.most_rules = 1'000;
    });
    for (const std::string& name : names) {
      expect(api_.create("/api/v1/nodes", support::uninitialised_node(name, "")), 201);
    }
    std::ofstream(folder_.path() / "cloud.conf")
        << "[Global]\nRegion = us-east-1\nVPC = vpc-1\nKubernetesClusterID = c1\n";
    cloud_.disturb([this](const Server::Carry& carry) { return faults_.answer(carry); });
    while (wanted_.size() < options_.services) add_service();
  }

  void start() {
    manager_ = std::make_unique<support::Process>(
        std::vector<std::string>{
            support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
            "--kubeconfig=" + server_.manager_kubeconfig().string(), "--cloud-provider=aws",
            "--cloud-config=" + (folder_.path() / "cloud.conf").string(),
            "--controllers=cloud-node-controller,cloud-node-lifecycle-controller,"
            "service-lb-controller",
            "--leader-elect=false", "--secure-port=0", "--load-balancer-audit-period=2m"},
        support::ProcessOptions{folder_.path() / "manager.log",
                                {{"KUBECONFIG", ""},
                                 {"HOME", ""},
                                 {"AWS_ENDPOINT_URL", cloud_.url()},
                                 {"AWS_ACCESS_KEY_ID", "AKIDTEST"},
                                 {"AWS_SECRET_ACCESS_KEY", "secret"},
                                 {"AWS_EC2_METADATA_DISABLED", "true"}}});
  }

  static void expect(const support::KubeResponse& response, int status) {
    if (response.status == status) return;
    throw std::runtime_error(std::to_string(response.status) + " " + response.http.body);
  }
  static std::string path_of(const std::string& name) {
    return std::string(kServicesPath) + "/" + name;
  }

  void add_service() {
    const std::string name = "service-" + std::to_string(next_);
    WantedService wanted;
    wanted.network = next_++ % 2 == 0;
    json annotations = json::object();
    if (wanted.network) annotations[kTypeAnnotation] = "nlb";
    const json spec = {
        {"type", "LoadBalancer"}, {"selector", {{"app", name}}}, {"ports", ports_of(wanted)}};
    expect(api_.create(kServicesPath, {{"apiVersion", "v1"},
                                       {"kind", "Service"},
                                       {"metadata", {{"name", name}, {"annotations", annotations}}},
                                       {"spec", spec}}),
           201);
    wanted_[name] = wanted;
  }

  void change() {
    ++changes_;
    if (wanted_.size() < options_.services || random_() % 4 == 0) return add_service();
    const auto place = std::next(wanted_.begin(), static_cast<int64_t>(random_() % wanted_.size()));
    if (random_() % 3 == 0 || wanted_.size() > options_.services + 2) {
      expect(api_.remove(path_of(place->first)), 200);
      wanted_.erase(place);
      return;
    }
    const int extra = 8'000 + static_cast<int>(random_() % 3);
    if (place->second.ports.erase(extra) == 0) place->second.ports.insert(extra);
    const json patch = {{"spec", {{"ports", ports_of(place->second)}}}};
    expect(api_.patch(path_of(place->first), support::kMergePatch, patch), 200);
  }

  std::string fault() {
    if (support::count_initialised(api_, "ip-10-0-") != options_.nodes) {
      return "a Node is not initialised";
    }
    std::map<std::string, json> services;
    const json listed = api_.get(kServicesPath).body;
    for (const json& service : listed.at("items")) {
      if (service.at("spec").value("type", "") == "LoadBalancer") {
        services[service.at("metadata").at("name")] = service;
      }
    }
    for (const auto& [name, service] : services) {
      if (!wanted_.contains(name)) return name + " is still there";
    }
    std::string found;
    cloud_.with([&](World& world) { found = cloud_fault(world.balancing, services); });
    return found;
  }

  // The first thing that is missing, wrong, doubled or orphaned. Clients from everywhere: each port
  // of an NLB has one rule in the Nodes' group, each classic one, and all NLBs share one.
  std::string cloud_fault(const LoadBalancing& all, const std::map<std::string, json>& services) {
    std::size_t networks = 0, listeners = 0, classics = 0;
    for (const auto& [name, wanted] : wanted_) {
      const auto service = services.find(name);
      if (service == services.end()) return name + " is not there";
      const auto nodes = static_cast<std::size_t>(options_.nodes);
      const std::string wrong = ServiceCheck(all, service->second, wanted, nodes).fault();
      if (!wrong.empty()) return wrong;
      if (wanted.network) {
        ++networks;
        listeners += wanted.ports.size();
      } else {
        ++classics;
      }
    }
    const std::size_t rules = listeners + classics + (networks > 0 ? 1 : 0);
    const struct {
      const char* what;
      std::size_t is, should;
    } kCounts[] = {
        {"Network Load Balancers", all.networks.size(), networks},
        {"classic load balancers", all.classics.size(), classics},
        {"listeners", all.listeners.size(), listeners},
        {"target groups", all.targets.size(), listeners},
        {"security groups", all.groups.size(), 2 + classics},
        {"rules of the Nodes", all.groups.at(cloud_.names().at("sg-nodes")).rules.size(), rules}};
    for (const auto& [what, is, should] : kCounts) {
      if (is == should) continue;
      return std::to_string(is) + " " + what + " in place of " + std::to_string(should);
    }
    return "";
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
    double next_kill = options_.kill_s > 0 ? pause_before_kill() : end;
    std::printf("| %7s | %6s | %8s | %8s | %7s | %6s | %5s |\n", "seconds", "RSS MB", "CPU s",
                "calls", "changes", "faults", "kills");
    for (double next = 0; next < end && manager_->running(); next += options_.change_s) {
      // The pace of what happens is what is being imitated here.
      std::this_thread::sleep_for(Seconds(std::max(0.0, next - since(start))));
      change();
      if (next >= next_kill) {
        kill();
        next_kill += pause_before_kill();
      }
      if (next < next_row) continue;
      next_row += std::max(options_.change_s, end / 30);
      row(since(start));
    }
  }
  double pause_before_kill() {
    return std::uniform_real_distribution<double>(0, 2 * options_.kill_s)(random_);
  }
  void kill() {
    std::this_thread::sleep_for(milliseconds(random_() % 1'000));  // in the midst of the change
    manager_->send(SIGKILL);
    if (!manager_->wait(support::patience())) throw std::runtime_error("SIGKILL had no effect");
    start();
    ++kills_;
  }

  void row(double now) {
    samples_.push_back(resident_mb(manager_->pid()));
    int64_t calls = 0;
    int64_t faults = 0;
    cloud_.with([&](World& world) {
      calls = faults_.calls();
      faults = faults_.faults();
      // They would fill the memory.
      world.cloud.clear_journal();
      world.balancing.journal.clear();
    });
    std::printf("| %7.0f | %6.1f | %8.1f | %8lld | %7d | %6lld | %5d |\n", now, samples_.back(),
                cpu_seconds(manager_->pid()), static_cast<long long>(calls), changes_,
                static_cast<long long>(faults), kills_);
    std::fflush(stdout);
  }

  const SoakOptions& options_;
  std::mt19937 random_;
  ChanceFaults faults_;
  support::TemporaryFolder folder_{"ccm-aws-soak"};
  support::TestServer server_{folder_.path()};
  support::KubeClient api_{server_.client()};
  Server cloud_;
  std::unique_ptr<support::Process> manager_;
  std::map<std::string, WantedService> wanted_;
  int next_ = 0;
  int changes_ = 0;
  int kills_ = 0;
  std::vector<double> samples_;
};

}  // namespace
}  // namespace ccm::soak

int main(int argc, char** argv) {
  ccm::soak::SoakOptions options;
  CLI::App app("The manager with aws.so on a cloud with faults");
  app.add_option("--nodes", options.nodes, "Nodes")->capture_default_str();
  app.add_option("--services", options.services, "Services")->capture_default_str();
  app.add_option("--minutes", options.minutes, "How long")->capture_default_str();
  app.add_option("--fault-percent", options.fault_percent, "Share of calls that fail")
      ->capture_default_str();
  app.add_option("--change", options.change_s, "Seconds between two changes of Services")
      ->capture_default_str();
  app.add_option("--kill", options.kill_s, "Seconds between two kills, on the average; 0 = none")
      ->capture_default_str();
  app.add_option("--settle", options.settle_s, "Seconds until all has to be right")
      ->capture_default_str();
  app.add_option("--growth", options.growth_mb, "MB by which memory may grow")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of a run to repeat; 0 = by chance");
  return ccm::soak::run_command(app, argc, argv, options.seed, "aws_soak", [&](uint32_t seed) {
    return ccm::soak::AwsSoak(options, seed).all();
  });
}
