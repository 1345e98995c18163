// Measures what a cluster notices of a change of leader: how long a node that registers at that
// moment waits until it is initialised; and how long a manager needs from its start to leading with
// synced caches. Usage and environment: bench/run.
#include "bare_client.hpp"
#include "kube/config.hpp"
#include "net/url.hpp"

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace ccm::bench {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
constexpr const char* kTaint = "node.cloudprovider.kubernetes.io/uninitialized";
constexpr auto kPatience = std::chrono::seconds(60);

struct Settings {
  std::string kubeconfig;          // may create and delete nodes
  std::string manager_kubeconfig;  // the manager's identity
  std::string manager;
  std::string cloud_config;
  std::string log;
  std::size_t nodes = 100;  // that are there already
  std::size_t rounds = 20;
  std::size_t kills = 3;
};

std::string read_all(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string text_of(const std::string& data, const std::string& file) {
  return !data.empty() || file.empty() ? data : read_all(file);
}

Server server_of(const std::string& kubeconfig) {
  const auto config = kube::load_kubeconfig(kubeconfig);
  if (!config.ok()) throw std::runtime_error(config.status().message());
  const auto url = net::parse_url(config->server);
  if (!url.ok()) throw std::runtime_error(url.status().message());
  return Server{url->host,
                std::to_string(url->port),
                text_of(config->ca_data, config->ca_file),
                text_of(config->token, config->token_file),
                text_of(config->client_certificate_data, config->client_certificate_file),
                text_of(config->client_key_data, config->client_key_file)};
}

// One manager process, killed at the end of its life.
class Manager {
 public:
  Manager(const Settings& settings, int number)
      : log_(settings.log + "." + std::to_string(number)), start_(Clock::now()) {
    std::vector<std::string> words = {
        settings.manager,           "--kubeconfig=" + settings.manager_kubeconfig,
        "--cloud-provider=sandbox", "--cloud-config=" + settings.cloud_config,
        "--secure-port=0",          "--configure-cloud-routes=false"};
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int error =
        posix_spawn(&pid_, settings.manager.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error(settings.manager + " cannot be started");
  }
  ~Manager() { end(SIGKILL); }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  void send(int signal) const { kill(pid_, signal); }
  void end(int signal) {
    if (pid_ == 0) return;
    kill(pid_, signal);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  // Seconds from its start until its log holds all these texts.
  double await_log(const std::vector<std::string>& texts) const {
    while (Clock::now() - start_ < kPatience) {
      const std::string log = read_all(log_);
      const bool all = std::all_of(texts.begin(), texts.end(), [&](const std::string& text) {
        return log.find(text) != std::string::npos;
      });
      if (all) return std::chrono::duration<double>(Clock::now() - start_).count();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    throw std::runtime_error("not in " + log_ + ": " + texts.back());
  }

 private:
  std::string log_;
  Clock::time_point start_;
  pid_t pid_ = 0;
};

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
  auto standby = std::make_unique<Manager>(settings, number++);
  standby->await_log({"standing by", "caches are synced", "provider is ready"});
  const auto begin = Clock::now();
  leader->send(signal);
  send_one(admin, create_node(node));
  await_node(admin, node);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  leader->end(SIGKILL);
  leader = std::move(standby);
  return seconds;
}

void run(const Settings& settings) {
  const Server admin = server_of(settings.kubeconfig);
  send_one(admin, {"DELETE", "/api/v1/nodes", "", ""});
  std::vector<BareRequest> creations;
  for (std::size_t i = 0; i < settings.nodes; ++i) creations.push_back(create_node(i));
  send_all(admin, creations, 8);

  std::vector<double> starts;
  std::unique_ptr<Manager> leader;
  for (std::size_t i = 0; i < settings.rounds; ++i) {
    if (leader) leader->end(SIGTERM);
    leader = std::make_unique<Manager>(settings, static_cast<int>(i));
    starts.push_back(leader->await_log({"\"leading\"", "caches are synced"}));
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
  app.add_option("--kubeconfig", settings.kubeconfig, "may create and delete nodes")->required();
  app.add_option("--manager-kubeconfig", settings.manager_kubeconfig, "the managers' identity")
      ->required();
  app.add_option("--manager", settings.manager, "cloud-controller-manager")->required();
  app.add_option("--cloud-config", settings.cloud_config, "of the sandbox cloud")->required();
  app.add_option("--log", settings.log, "where the managers' logs go, with a number behind it")
      ->required();
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
