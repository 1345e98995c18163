// Measures how long the manager needs to initialise N nodes that are there when it starts, against
// the time in which a bare client sends the same patches; with memory, processor time and cloud
// calls. Usage and environment: bench/run.
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

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace ccm::bench {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
constexpr const char* kTaint = "node.cloudprovider.kubernetes.io/uninitialized";

struct Settings {
  std::string kubeconfig;          // may create and delete nodes
  std::string manager_kubeconfig;  // the manager's identity, and the yardstick's
  std::string manager;
  std::string cloud_config;
  std::string log;
  std::size_t nodes = 5000;
  std::size_t connections = 32;
  std::size_t idle_seconds = 0;
  std::string idle_began;
  std::vector<std::string> flags;
};

// Inline data, else the file's content.
std::string text_of(const std::string& data, const std::string& file) {
  if (!data.empty() || file.empty()) return data;
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
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

std::string node_name(std::size_t i) { return "node-" + std::to_string(i); }

json ready_condition(const std::string& heartbeat) {
  return {{"type", "Ready"},
          {"status", "True"},
          {"reason", "KubeletReady"},
          {"message", "kubelet is posting ready status"},
          {"lastHeartbeatTime", heartbeat},
          {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
}

BareRequest create_node(std::size_t i) {
  // The size of what a kubelet registers, images and managedFields left out.
  const json node = {
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata",
       {{"name", node_name(i)},
        {"labels",
         {{"kubernetes.io/hostname", node_name(i)},
          {"kubernetes.io/os", "linux"},
          {"kubernetes.io/arch", "amd64"}}}}},
      {"spec", {{"taints", {{{"key", kTaint}, {"value", "true"}, {"effect", "NoSchedule"}}}}}},
      {"status", {{"conditions", {ready_condition("2026-01-01T00:00:00Z")}}}}};
  return {"POST", "/api/v1/nodes", "application/json", node.dump()};
}

// What a kubelet sends every five minutes while nothing changes.
BareRequest heartbeat(std::size_t i) {
  std::array<char, 32> now{};
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  std::strftime(now.data(), now.size(), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &parts));
  const json status = {{"status", {{"conditions", {ready_condition(now.data())}}}}};
  return {"PATCH", "/api/v1/nodes/" + node_name(i) + "/status",
          "application/strategic-merge-patch+json", status.dump()};
}

std::string address_of(std::size_t i) {
  return "10." + std::to_string(i >> 16 & 255) + "." + std::to_string(i >> 8 & 255) + "." +
         std::to_string(i & 255);
}

// What it takes to initialise a node: its addresses, then everything else with the taint's removal.
void add_patches(std::size_t i, std::vector<BareRequest>& requests) {
  const json status = {{"status",
                        {{"addresses",
                          {{{"type", "InternalIP"}, {"address", address_of(i)}},
                           {{"type", "Hostname"}, {"address", node_name(i)}}}}}}};
  requests.push_back({"PATCH", "/api/v1/nodes/" + node_name(i) + "/status",
                      "application/strategic-merge-patch+json", status.dump()});
  const json node = {{"metadata",
                      {{"labels",
                        {{"beta.kubernetes.io/instance-type", "small"},
                         {"node.kubernetes.io/instance-type", "small"},
                         {"failure-domain.beta.kubernetes.io/zone", "sandbox-1a"},
                         {"topology.kubernetes.io/zone", "sandbox-1a"},
                         {"failure-domain.beta.kubernetes.io/region", "sandbox-1"},
                         {"topology.kubernetes.io/region", "sandbox-1"}}}}},
                     {"spec", {{"providerID", "sandbox://" + node_name(i)}, {"taints", nullptr}}}};
  requests.push_back(
      {"PATCH", "/api/v1/nodes/" + node_name(i), "application/merge-patch+json", node.dump()});
}

void delete_nodes(const Server& admin) {
  send_one(admin, {"DELETE", "/api/v1/nodes", "", ""});
  while (json::parse(send_one(admin, {"GET", "/api/v1/nodes?limit=1", "", ""}))["items"].size() >
         0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void create_nodes(const Server& admin, const Settings& settings) {
  std::vector<BareRequest> requests;
  for (std::size_t i = 0; i < settings.nodes; ++i) requests.push_back(create_node(i));
  send_all(admin, requests, settings.connections);
}

pid_t start_manager(const Settings& settings) {
  std::vector<std::string> words = {settings.manager, "--kubeconfig=" + settings.manager_kubeconfig,
                                    "--cloud-provider=sandbox",
                                    "--cloud-config=" + settings.cloud_config, "--secure-port=0"};
  words.insert(words.end(), settings.flags.begin(), settings.flags.end());
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, settings.log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, settings.manager.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(settings.manager + " cannot be started");
  return pid;
}

// A field of /proc/PID/status, in kB.
long status_kb(pid_t pid, std::string_view field) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field)) return std::stol(line.substr(field.size() + 1));
  }
  return 0;
}

double cpu_seconds(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string field;
  double ticks = 0;
  for (int i = 3; fields >> field; ++i) {
    if (i == 14 || i == 15) ticks += std::stod(field);
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// Returns when no node carries the taint any more.
void await_initialised(const Server& admin, std::size_t nodes,
                       const std::string& resource_version) {
  std::size_t done = 0;
  watch(admin, "/api/v1/nodes?watch=true&resourceVersion=" + resource_version,
        [&](std::string_view line) {
          if (line.find("\"MODIFIED\"") != std::string_view::npos &&
              line.find(kTaint) == std::string_view::npos)
            ++done;
          return done < nodes;
        });
}

void row(const char* what, double value, const char* unit) {
  std::printf("| %-52s | %7.2f %-2s |\n", what, value, unit);
}

// Every node sends its heartbeat once in five minutes, spread evenly; nothing else happens.
void stay_idle(const Settings& settings, const Server& admin, pid_t pid) {
  std::ofstream(settings.idle_began) << "idle\n";
  const double busy = cpu_seconds(pid);
  const auto start = Clock::now();
  const auto end = start + std::chrono::seconds(settings.idle_seconds);
  const auto pause = std::chrono::nanoseconds(std::chrono::minutes(5)) / settings.nodes;
  std::size_t sent = 0;
  while (Clock::now() < end) {
    send_all(admin, {heartbeat(sent % settings.nodes)}, 1);
    ++sent;
    std::this_thread::sleep_until(start + pause * sent);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  row("idle: heartbeats a second", static_cast<double>(sent) / seconds, "");
  row("idle: processor time, of one core", 100 * (cpu_seconds(pid) - busy) / seconds, "%");
}

void run(const Settings& settings) {
  const Server admin = server_of(settings.kubeconfig);
  const Server identity = server_of(settings.manager_kubeconfig);

  std::printf("nodes %zu, connections of the bare client %zu\n", settings.nodes,
              settings.connections);
  delete_nodes(admin);
  create_nodes(admin, settings);
  std::vector<BareRequest> patches;
  for (std::size_t i = 0; i < settings.nodes; ++i) add_patches(i, patches);
  const double bare =
      std::chrono::duration<double>(send_all(identity, patches, settings.connections)).count();

  delete_nodes(admin);
  create_nodes(admin, settings);
  const auto list = json::parse(send_one(admin, {"GET", "/api/v1/nodes?limit=1", "", ""}));
  const auto start = Clock::now();
  const pid_t pid = start_manager(settings);
  std::atomic<bool> done = false;
  std::jthread waiter([&] {
    await_initialised(admin, settings.nodes,
                      list["metadata"]["resourceVersion"].get<std::string>());
    done = true;
    done.notify_one();
  });
  std::jthread guard([&](const std::stop_token& stopped) {
    while (!stopped.stop_requested()) {
      if (waitpid(pid, nullptr, WNOHANG) == pid) {
        std::fprintf(stderr, "the manager ended before all nodes were initialised; its log is %s\n",
                     settings.log.c_str());
        std::_Exit(1);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  });
  done.wait(false);
  const double total = std::chrono::duration<double>(Clock::now() - start).count();
  const double busy = cpu_seconds(pid);
  guard.request_stop();
  guard.join();
  std::this_thread::sleep_for(std::chrono::seconds(3));

  std::printf("| %-52s | %10s |\n| %s | %s |\n", "what", "measured", std::string(52, '-').c_str(),
              "---------:");
  row("bare client, the same patches", bare, "s");
  row("manager, from its start to the last taint removed", total, "s");
  row("ratio", total / bare, "");
  row("processor time of the manager", busy, "s");
  row("resident memory, settled", static_cast<double>(status_kb(pid, "VmRSS:")) / 1024, "MB");
  row("resident memory, highest", static_cast<double>(status_kb(pid, "VmHWM:")) / 1024, "MB");
  if (settings.idle_seconds > 0) stay_idle(settings, admin, pid);
  kill(pid, SIGTERM);
  waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace ccm::bench

int main(int argc, char** argv) {
  ccm::bench::Settings settings;
  CLI::App app("Time to initialise N nodes, against a bare client that sends the same patches");
  app.add_option("--kubeconfig", settings.kubeconfig, "may create and delete nodes")->required();
  app.add_option("--manager-kubeconfig", settings.manager_kubeconfig,
                 "identity of manager and bare client")
      ->required();
  app.add_option("--manager", settings.manager, "cloud-controller-manager")->required();
  app.add_option("--cloud-config", settings.cloud_config, "of the sandbox cloud")->required();
  app.add_option("--log", settings.log, "where the manager's log goes")->required();
  app.add_option("--nodes", settings.nodes, "how many")->capture_default_str();
  app.add_option("--connections", settings.connections, "of the bare client")
      ->capture_default_str();
  app.add_option("--idle-seconds", settings.idle_seconds,
                 "then measure that long with heartbeats only");
  app.add_option("--idle-began", settings.idle_began, "file that appears when that begins");
  app.add_option("flags", settings.flags, "further flags for the manager");
  CLI11_PARSE(app, argc, argv);
  try {
    ccm::bench::run(settings);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "node_bench: %s\n", fault.what());
    return 1;
  }
  return 0;
}
