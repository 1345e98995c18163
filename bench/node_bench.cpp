// Measures how long the manager needs for N nodes that are there when it starts (to initialise
// them, to give them Pod ranges, to make their routes), against the time in which a bare client
// sends the same patches; with memory, processor time and cloud calls. Usage and environment:
// bench/run.
#include "bare_client.hpp"
#include "kube/config.hpp"
#include "net/url.hpp"
#include "work.hpp"

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
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace ccm::bench {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

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
  std::string work = "init";
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

void delete_nodes(const Server& admin) {
  send_one(admin, {"DELETE", "/api/v1/nodes", "", ""});
  while (json::parse(send_one(admin, {"GET", "/api/v1/nodes?limit=1", "", ""}))["items"].size() >
         0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void create_nodes(const Server& admin, const Settings& settings, const Work& work) {
  std::vector<BareRequest> requests;
  for (std::size_t i = 0; i < settings.nodes; ++i) requests.push_back(work.create(i));
  send_all(admin, requests, settings.connections);
}

pid_t start_manager(const Settings& settings, const Work& work) {
  std::vector<std::string> words = {settings.manager, "--kubeconfig=" + settings.manager_kubeconfig,
                                    "--cloud-provider=sandbox",
                                    "--cloud-config=" + settings.cloud_config, "--secure-port=0"};
  words.insert(words.end(), work.flags.begin(), work.flags.end());
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

// Returns when the work was done for every node.
void await_done(const Server& admin, const Work& work, std::size_t nodes,
                const std::string& resource_version) {
  std::size_t done = 0;
  watch(admin, "/api/v1/nodes?watch=true&resourceVersion=" + resource_version,
        [&](std::string_view line) {
          if (line.find("\"MODIFIED\"") != std::string_view::npos && work.done(line)) ++done;
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

  const Work work = work_called(settings.work);

  std::printf("%s: nodes %zu, connections of the bare client %zu\n", settings.work.c_str(),
              settings.nodes, settings.connections);
  delete_nodes(admin);
  create_nodes(admin, settings, work);
  std::vector<BareRequest> patches;
  for (std::size_t i = 0; i < settings.nodes; ++i) work.add_patches(i, patches);
  const double bare =
      std::chrono::duration<double>(send_all(identity, patches, settings.connections)).count();

  delete_nodes(admin);
  create_nodes(admin, settings, work);
  const auto list = json::parse(send_one(admin, {"GET", "/api/v1/nodes?limit=1", "", ""}));
  const auto start = Clock::now();
  const pid_t pid = start_manager(settings, work);
  std::atomic<bool> done = false;
  std::jthread waiter([&] {
    await_done(admin, work, settings.nodes, list["metadata"]["resourceVersion"].get<std::string>());
    done = true;
    done.notify_one();
  });
  std::jthread guard([&](const std::stop_token& stopped) {
    while (!stopped.stop_requested()) {
      if (waitpid(pid, nullptr, WNOHANG) == pid) {
        std::fprintf(stderr, "the manager ended before its work; its log is %s\n",
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
  row("manager, from its start to the last node done", total, "s");
  row("ratio", total / bare, "");
  row("processor time of the manager", busy, "s");
  row("resident memory, settled", static_cast<double>(status_kb(pid, "VmRSS:")) / 1024, "MB");
  row("resident memory, highest", static_cast<double>(status_kb(pid, "VmHWM:")) / 1024, "MB");
  if (settings.work == "ipam") {
    const auto all = json::parse(send_one(admin, {"GET", "/api/v1/nodes", "", ""}));
    std::set<std::string> ranges;
    for (const auto& node : all["items"]) ranges.insert(node["spec"].value("podCIDR", ""));
    row("distinct Pod ranges", static_cast<double>(ranges.size()), "");
  }
  if (settings.idle_seconds > 0) stay_idle(settings, admin, pid);
  kill(pid, SIGTERM);
  waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace ccm::bench

int main(int argc, char** argv) {
  ccm::bench::Settings settings;
  CLI::App app(
      "Time to do a controller's work for N nodes, against a bare client that sends the same "
      "patches");
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
  app.add_option("--work", settings.work, "init, ipam or route")->capture_default_str();
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
