// Measures digitalocean.so on the fake of DigitalOcean's API at 50 ms a call: how long 50 Services,
// created at once, wait for their addresses in a cloud that needs 2 s for a load balancer, and how
// many calls one costs that takes 90 s. Usage: bench/run.
#include "bare_client.hpp"
#include "digitalocean_api/server.hpp"
#include "kubelet_node.hpp"
#include "manager.hpp"
#include "services.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <stdlib.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ccm::bench {
namespace {

using digitalocean_api::Api;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t kConnections = 16;

struct Settings {
  ManagerSettings manager;
  std::size_t nodes = 20;
  std::size_t services = 50;
  std::size_t rounds = 3;
  int64_t slow_seconds = 90;
};

void row(const std::string& what, const std::string& value) {
  std::printf("| %-66s | %11s |\n", what.c_str(), value.c_str());
  std::fflush(stdout);
}

void row(const std::string& what, double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", seconds);
  row(what, std::string(text));
}

class Bench {
 public:
  explicit Bench(Settings settings)
      : settings_(std::move(settings)), admin_(server_of(settings_.manager.kubeconfig)) {}

  void run() {
    fill();
    start();
    for (std::size_t round = 0; round < settings_.rounds; ++round) many(round);
    slow();
  }

 private:
  void fill() {
    std::printf("digitalocean: Services %zu, nodes %zu, 50 ms a call\n", settings_.services,
                settings_.nodes);
    std::printf("| %-66s | %11s |\n| %s | ----------: |\n", "what", "measured",
                std::string(66, '-').c_str());
    cloud_.with([&](Api& api) {
      api.generate_droplets(1000, static_cast<int64_t>(settings_.nodes), "node-");
      api.latency = milliseconds(50);
      api.activation_delay = milliseconds(2'000);
    });
    delete_nodes(admin_);
    std::vector<BareRequest> creations;
    for (std::size_t i = 0; i < settings_.nodes; ++i) {
      json node = kubelet_node(i, 50);
      node["spec"]["providerID"] = "digitalocean://" + std::to_string(1000 + i);
      // The node controller would write it, but does not run here.
      node["status"]["addresses"].push_back(
          {{"type", "ExternalIP"}, {"address", "203.0.113." + std::to_string(1 + i)}});
      creations.push_back({"POST", "/api/v1/nodes", kJson, node.dump()});
    }
    send_all(admin_, creations, kConnections);
  }

  // The provider takes its settings from the environment.
  void start() {
    setenv("DO_ACCESS_TOKEN", "dop_v1_test", 1);
    setenv("DO_OVERRIDE_URL", cloud_.url().c_str(), 1);
    setenv("REGION", "nyc3", 1);
    ManagerSettings manager = settings_.manager;
    manager.provider = "digitalocean";
    std::ofstream(manager.cloud_config) << "";
    manager.flags.push_back("--controllers=service-lb-controller");
    manager_ = std::make_unique<Manager>(manager);
    (void)manager_->await_log({"\"Leading\"", "Caches are synced"});
  }

  int64_t calls() {
    int64_t found = 0;
    cloud_.with([&](Api& api) { found = api.calls(); });
    return found;
  }
  int64_t listings() {
    int64_t found = 0;
    cloud_.with([&](Api& api) { found = api.calls("GET", "/v2/load_balancers"); });
    return found;
  }

  static std::string name_of(std::size_t i) { return "service-" + std::to_string(i); }

  void create(std::size_t count) const {
    std::vector<BareRequest> creations;
    for (std::size_t i = 0; i < count; ++i) {
      const json ports = json::array({{{"port", 80}, {"protocol", "TCP"}}});
      const json object = {
          {"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", {{"name", name_of(i)}}},
          {"spec", {{"type", "LoadBalancer"}, {"selector", {{"app", "a"}}}, {"ports", ports}}}};
      creations.push_back({"POST", kServices, kJson, object.dump()});
    }
    send_all(admin_, creations, kConnections);
  }

  void remove(std::size_t count) {
    std::vector<BareRequest> deletions;
    for (std::size_t i = 0; i < count; ++i) {
      deletions.push_back({"DELETE", std::string(kServices) + "/" + name_of(i), "", ""});
    }
    send_all(admin_, deletions, kConnections);
    manager_->await("all load balancers deleted", [&] {
      std::size_t left = 0;
      cloud_.with([&](Api& api) { left = api.load_balancers().size(); });
      return left == 0;
    });
  }

  // The API allows 250 calls a minute.
  void begin_round(std::size_t round) {
    if (round > 0) std::this_thread::sleep_for(std::chrono::minutes(1));
    cloud_.with([](Api& api) { api.clear_log(); });
  }

  void many(std::size_t round) {
    begin_round(round);
    const auto begin = Clock::now();
    create(settings_.services);
    manager_->await("all addresses", [&] { return services_without_address(admin_) == 0; });
    const double seconds = seconds_since(begin);
    const std::string of = "round " + std::to_string(round + 1) + ": ";
    row(of + "until the last one has its address, 2 s of them the cloud's", seconds);
    row(of + "listings of load balancers, other calls",
        std::to_string(listings()) + ", " + std::to_string(calls() - listings()));
    remove(settings_.services);
  }

  void slow() {
    cloud_.with(
        [&](Api& api) { api.activation_delay = milliseconds(1000 * settings_.slow_seconds); });
    begin_round(settings_.rounds);
    const auto begin = Clock::now();
    create(1);
    manager_->await("the address", [&] { return services_without_address(admin_) == 0; });
    const std::string of = "one that takes " + std::to_string(settings_.slow_seconds) + " s: ";
    row(of + "until it has its address", seconds_since(begin));
    row(of + "calls, its creation included", std::to_string(calls()));
    remove(1);
  }

  Settings settings_;
  Server admin_;
  digitalocean_api::Server cloud_;
  std::unique_ptr<Manager> manager_;
};

}  // namespace
}  // namespace ccm::bench

int main(int argc, char** argv) {
  ccm::bench::Settings settings;
  CLI::App app("Load balancers of digitalocean.so: how long Services wait, and what it costs");
  settings.manager.add_options(app);
  app.add_option("--services", settings.services, "created at once")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "of them")->capture_default_str();
  app.add_option("--slow-seconds", settings.slow_seconds, "of the one that takes long")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    ccm::bench::Bench(std::move(settings)).run();
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "digitalocean_bench: %s\n", fault.what());
    return 1;
  }
  return 0;
}
