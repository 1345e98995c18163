// Measures aws.so on the fake of AWS's APIs at 50 ms a call: calls to initialise N nodes, with the
// time of a bare client that sends the same patches; calls of the idle manager, of one load
// balancer of each kind, of many at once and of a restart; and the memory of the manager.
// Usage: bench/run.
#include "aws_api/server.hpp"
#include "bare_client.hpp"
#include "kubelet_node.hpp"
#include "manager.hpp"
#include "node_watch.hpp"
#include "services.hpp"
#include "work.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ccm::bench {
namespace {

using aws_api::World;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t kConnections = 32;
constexpr const char* kAnnotations = "service.beta.kubernetes.io/aws-load-balancer-";

// What EC2 says of each instance beside what the plugin reads: 3 kB.
std::string rest_of_an_instance() {
  std::string xml =
      "<imageId>ami-0abcdef1234567890</imageId><amiLaunchIndex>0</amiLaunchIndex><keyName>nodes"
      "</keyName><launchTime>2026-01-01T00:00:00.000Z</launchTime><monitoring><state>disabled"
      "</state></monitoring><architecture>x86_64</architecture><rootDeviceType>ebs"
      "</rootDeviceType><virtualizationType>hvm</virtualizationType><hypervisor>xen</hypervisor>"
      "<enaSupport>true</enaSupport><metadataOptions><httpTokens>required</httpTokens>"
      "</metadataOptions><blockDeviceMapping>";
  for (const char* device : {"xvda", "xvdb", "xvdc", "xvdd", "xvde", "xvdf", "xvdg", "xvdh"}) {
    xml += "<item><deviceName>/dev/" + std::string(device) +
           "</deviceName><ebs><volumeId>vol-0abcdef1234567890</volumeId><status>attached</status>"
           "<attachTime>2026-01-01T00:00:00.000Z</attachTime><deleteOnTermination>true"
           "</deleteOnTermination></ebs></item>";
  }
  return xml + "</blockDeviceMapping>";
}

struct Settings {
  ManagerSettings manager;
  std::size_t nodes = 5000;
  std::size_t rounds = 1;
  std::size_t few = 20;  // of the nodes: the targets of each load balancer
  std::size_t services = 50;
  std::size_t most_services = 200;
  std::size_t idle_seconds = 180;
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

class Bench {
 public:
  explicit Bench(Settings settings)
      : settings_(std::move(settings)),
        admin_(server_of(settings_.manager.kubeconfig)),
        work_(work_called("init", settings_.images)) {}

  void run() {
    fill();
    for (std::size_t round = 0; round < settings_.rounds; ++round) initialise();
    idle();
    memory("before the first Service");
    one_load_balancer("a new NLB with two ports", "network", {{"type", "nlb"}});
    one_load_balancer("a new classic one with two ports", "classic", {});
    many_load_balancers(settings_.services);
    restart();
    many_load_balancers(settings_.most_services);
    memory("with all Services");
    restart();
    memory("after the restart");
  }

 private:
  void fill() {
    std::printf("aws: nodes %zu, 50 ms a call, NLBs provisioned in 2 s\n", settings_.nodes);
    std::printf("| %-66s | %11s |\n| %s | ----------: |\n", "what", "measured",
                std::string(66, '-').c_str());
    cloud_.with([&](World& world) {
      world.latency = milliseconds(50);
      world.balancing.state_of_new = "provisioning";
      world.provisioning_time = milliseconds(2'000);
      world.balancing.most_rules = 1'000;  // of a group, as where the quota of 60 was raised
      world.cloud.more_of_each = rest_of_an_instance();
      for (std::size_t i = 0; i < settings_.nodes; ++i) {
        const std::string& subnet = cloud_.names().at(i % 2 == 0 ? "priv-a" : "priv-b");
        world.add_node(static_cast<int>(5 + i), subnet).private_dns = node_name(i);
      }
    });
    setenv("AWS_ENDPOINT_URL", cloud_.url().c_str(), 1);
    setenv("AWS_ACCESS_KEY_ID", "AKIDTEST", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    std::ofstream(settings_.manager.cloud_config)
        << "[Global]\nRegion = us-east-1\nVPC = vpc-1\nKubernetesClusterID = c1\n";
  }

  void create_nodes() const {
    delete_nodes(admin_);
    std::vector<BareRequest> creations;
    for (std::size_t i = 0; i < settings_.nodes; ++i) {
      json node = work_.node(i);
      if (i < settings_.few) node["metadata"]["labels"]["few"] = "yes";
      creations.push_back(
          {"POST", "/api/v1/nodes?fieldManager=kubelet", kJson, node.dump(), kProtobuf});
    }
    send_all(admin_, creations, kConnections);
  }

  void start() {
    ManagerSettings manager = settings_.manager;
    manager.provider = "aws";
    manager.flags = work_.flags;
    manager.flags.push_back(
        "--controllers=cloud-node-controller,cloud-node-lifecycle-controller,service-lb-"
        "controller");
    manager_ = std::make_unique<Manager>(manager);
  }

  // Calls by action since the last clear().
  std::map<std::string, int64_t> calls() {
    std::map<std::string, int64_t> counts;
    cloud_.with([&](World& world) {
      for (const auto& call : world.cloud.journal()) ++counts[call.at("Action")];
      for (const std::string& action : world.balancing.journal) ++counts[action];
    });
    return counts;
  }
  void clear() {
    cloud_.with([](World& world) {
      world.cloud.clear_journal();
      world.balancing.journal.clear();
    });
  }
  int64_t reads() { return count(true); }
  int64_t writes() { return count(false); }
  int64_t count(bool read) {
    int64_t sum = 0;
    for (const auto& [action, number] : calls()) {
      if (action.starts_with("Describe") == read) sum += number;
    }
    return sum;
  }
  void row_of_calls(const std::string& what) {
    row(what + ": calls", static_cast<double>(reads() + writes()), "");
    std::string text;
    for (const auto& [action, number] : calls()) {
      text += (text.empty() ? "" : ", ") + action + " " + std::to_string(number);
    }
    row("these calls", text);
  }

  // Until the cloud was not called for four seconds.
  void await_quiet() {
    for (int quiet = 0; quiet < 40; ++quiet) {
      const int64_t before = reads() + writes();
      std::this_thread::sleep_for(milliseconds(100));
      if (reads() + writes() != before) quiet = 0;
    }
  }

  double bare_client() const {
    create_nodes();
    std::vector<BareRequest> patches;
    for (std::size_t i = 0; i < settings_.nodes; ++i) work_.add_patches(i, patches);
    const Server identity = server_of(settings_.manager.manager_kubeconfig);
    NodeWatch done(identity, work_, settings_.nodes, version_of_nodes(admin_));
    const auto begin = Clock::now();
    send_all(identity, patches, kConnections);
    done.wait();
    return seconds_since(begin);
  }

  void initialise() {
    if (manager_) manager_->end(SIGTERM);
    const double bare = bare_client();
    create_nodes();
    clear();
    NodeWatch done(admin_, work_, settings_.nodes, version_of_nodes(admin_));
    const auto begin = Clock::now();
    start();
    manager_->await("all nodes initialised", [&] { return done.ended(); });
    const double seconds = seconds_since(begin);
    row("bare client, the same patches", bare, "s");
    row("manager, from its start to the last node done", seconds, "s");
    row("ratio", seconds / bare, "");
    row_of_calls("to initialise them");
  }

  void idle() {
    await_quiet();
    clear();
    std::this_thread::sleep_for(std::chrono::seconds(settings_.idle_seconds));
    row("idle: calls an hour",
        static_cast<double>(reads() + writes()) * 3600 /
            static_cast<double>(settings_.idle_seconds),
        "");
  }

  static BareRequest service(const std::string& name, const json& annotations) {
    json all = {{std::string(kAnnotations) + "target-node-labels", "few"}};
    for (const auto& [key, value] : annotations.items()) all[kAnnotations + key] = value;
    const json ports = json::array({{{"name", "http"}, {"port", 80}, {"protocol", "TCP"}},
                                    {{"name", "https"}, {"port", 443}, {"protocol", "TCP"}}});
    const json object = {
        {"apiVersion", "v1"},
        {"kind", "Service"},
        {"metadata", {{"name", name}, {"annotations", all}}},
        {"spec", {{"type", "LoadBalancer"}, {"selector", {{"app", name}}}, {"ports", ports}}}};
    return {"POST", kServices, kJson, object.dump()};
  }

  void one_load_balancer(const std::string& what, const std::string& name,
                         const json& annotations) {
    await_quiet();
    clear();
    const auto begin = Clock::now();
    send_one(admin_, service(name, annotations));
    manager_->await("the name of a load balancer",
                    [&] { return services_without_address(admin_) == 0; });
    const double seconds = seconds_since(begin);
    await_quiet();
    row(what + ": its name after", seconds, "s");
    row_of_calls(what);
  }

  // Up to that many, with those that there are.
  void many_load_balancers(std::size_t all) {
    await_quiet();
    clear();
    std::vector<BareRequest> creations;
    for (; made_ < all; ++made_) {
      creations.push_back(service("service-" + std::to_string(made_), {{"type", "nlb"}}));
    }
    const auto begin = Clock::now();
    send_all(admin_, creations, 4);
    manager_->await("all names", [&] { return services_without_address(admin_) == 0; });
    const double seconds = seconds_since(begin);
    const std::string what = std::to_string(creations.size()) + " Services at once, NLBs";
    row(what + ": the last name after", seconds, "s");
    await_quiet();
    row_of_calls(what);
  }

  void restart() {
    manager_->end(SIGTERM);
    clear();
    start();
    (void)manager_->await_log({"\"Leading\"", "Caches are synced"});
    await_quiet();
    const std::string what = "restart with " + std::to_string(made_ + 2) + " Services";
    row(what + ": writes", static_cast<double>(writes()), "");
    row(what + ": reads", static_cast<double>(reads()), "");
    row_of_calls(what);
  }

  void memory(const std::string& when) {
    // The manager gives memory back every five seconds.
    std::this_thread::sleep_for(std::chrono::seconds(8));
    row("resident memory " + when, manager_->megabytes("VmRSS:"), "MB");
    row("of this its own, not shared with files (RssAnon)", manager_->megabytes("RssAnon:"), "MB");
    row("resident memory, highest", manager_->megabytes("VmHWM:"), "MB");
    row("processor time", manager_->cpu_seconds(), "s");
  }

  Settings settings_;
  Server admin_;
  Work work_;
  aws_api::Server cloud_;
  std::unique_ptr<Manager> manager_;
  std::size_t made_ = 0;  // Services beside the first two
};

}  // namespace
}  // namespace ccm::bench

int main(int argc, char** argv) {
  ccm::bench::Settings settings;
  CLI::App app("Calls, time and memory of the manager with aws.so");
  settings.manager.add_options(app);
  app.add_option("--nodes", settings.nodes, "how many")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "of bare client and manager in turn")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--services", settings.services, "at once")->capture_default_str();
  app.add_option("--most-services", settings.most_services, "while memory is measured")
      ->capture_default_str();
  app.add_option("--idle-seconds", settings.idle_seconds, "how long calls of the idle are counted")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    ccm::bench::Bench(std::move(settings)).run();
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "aws_bench: %s\n", fault.what());
    return 1;
  }
  return 0;
}
