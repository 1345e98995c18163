// Measures the effect of a change of leader on a cluster: how long a node that registers at that
// moment waits until it is initialised; and how long a manager needs from its start to leading with
// synced caches. Usage and environment: bench/run.
#include "bare_client.hpp"
#include "manager.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

namespace ccm::bench {
namespace {

using nlohmann::json;
constexpr const char* kTaint = "node.cloudprovider.kubernetes.io/uninitialized";
constexpr auto kPatience = std::chrono::seconds(60);

struct Settings {
  ManagerSettings manager;
  std::size_t nodes = 100;  // that are there already
  std::size_t rounds = 20;
  std::size_t kills = 3;
};

std::unique_ptr<Manager> start(const Settings& settings, int number) {
  ManagerSettings one = settings.manager;
  one.log += "." + std::to_string(number);
  one.flags = {"--configure-cloud-routes=false"};
  return std::make_unique<Manager>(std::move(one));
}

BareRequest create_node(std::size_t i) {
  const json taint = {{"key", kTaint}, {"value", "true"}, {"effect", "NoSchedule"}};
  const json node = {{"apiVersion", "v1"},
                     {"kind", "Node"},
                     {"metadata", {{"name", "node-" + std::to_string(i)}}},
                     {"spec", {{"taints", json::array({taint})}}}};
  return {"POST", "/api/v1/nodes", "application/json", node.dump()};
}

// Returns when the node is initialised.
void await_node(const Server& admin, std::size_t i) {
  const std::string path = "/api/v1/nodes/node-" + std::to_string(i);
  const auto limit = Clock::now() + kPatience;
  while (send_one(admin, {"GET", path, "", ""}).find(kTaint) != std::string::npos) {
    if (Clock::now() > limit) throw std::runtime_error(path + " was not initialised");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void row(const char* what, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  std::printf("| %-58s | %7.3f s | %7.3f s |\n", what, seconds[seconds.size() / 2], seconds.back());
}

// A standby that is warm, a leader that gets `signal`, a node that registers at that moment.
double hand_over(const Settings& settings, const Server& admin, int signal, std::size_t node,
                 std::unique_ptr<Manager>& leader) {
  static int number = 100;
  auto standby = start(settings, number++);
  (void)standby->await_log({"Standing by", "Caches are synced", "Provider is ready"});
  const auto begin = Clock::now();
  leader->send(signal);
  send_one(admin, create_node(node));
  await_node(admin, node);
  const double seconds = seconds_since(begin);
  leader->end(SIGKILL);
  leader = std::move(standby);
  return seconds;
}

void run(const Settings& settings) {
  const Server admin = server_of(settings.manager.kubeconfig);
  delete_nodes(admin);
  std::vector<BareRequest> creations;
  for (std::size_t i = 0; i < settings.nodes; ++i) creations.push_back(create_node(i));
  send_all(admin, creations, 8);

  std::vector<double> starts;
  std::unique_ptr<Manager> leader;
  for (std::size_t i = 0; i < settings.rounds; ++i) {
    if (leader) leader->end(SIGTERM);
    leader = start(settings, static_cast<int>(i));
    starts.push_back(leader->await_log({"\"Leading\"", "Caches are synced"}));
    if (i == 0) await_node(admin, settings.nodes - 1);
  }
  std::size_t node = settings.nodes;
  std::vector<double> terms;
  for (std::size_t i = 0; i < settings.rounds; ++i) {
    terms.push_back(hand_over(settings, admin, SIGTERM, node++, leader));
  }
  std::vector<double> kills;
  for (std::size_t i = 0; i < settings.kills; ++i) {
    kills.push_back(hand_over(settings, admin, SIGKILL, node++, leader));
  }
  leader->end(SIGTERM);
  std::printf("%zu nodes, %zu rounds, %zu kills\n", settings.nodes, settings.rounds,
              settings.kills);
  std::printf("| %-58s | %9s | %9s |\n| %s | ---: | ---: |\n", "what", "median", "longest",
              std::string(58, '-').c_str());
  row("start to leading with synced caches", starts);
  row("SIGTERM, until a node that registers then is initialised", terms);
  if (!kills.empty()) row("kill -9 (lease duration 15 s), the same", kills);
}

}  // namespace
}  // namespace ccm::bench

int main(int argc, char** argv) {
  ccm::bench::Settings settings;
  CLI::App app("Start of a manager, and hand-over from one to the next");
  settings.manager.add_options(app);
  app.add_option("--nodes", settings.nodes, "that are there already")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "starts, and hand-overs by SIGTERM")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--kills", settings.kills, "hand-overs by kill -9")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    ccm::bench::run(settings);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "handover_bench: %s\n", fault.what());
    return 1;
  }
  return 0;
}
