// Measures how long the manager needs for N nodes that are there when it starts (to initialise
// them, to give them Pod ranges, to make their routes), against the time in which a bare client
// sends the same patches; with memory, processor time and cloud calls. Usage and environment:
// bench/run.
#include "bare_client.hpp"
#include "lease_watch.hpp"
#include "manager.hpp"
#include "work.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace ccm::bench {
namespace {

using nlohmann::json;

struct Settings {
  ManagerSettings manager;
  std::size_t nodes = 5000;
  std::size_t connections = 32;
  std::size_t rounds = 1;
  std::size_t idle_seconds = 0;
  std::string idle_began;
  std::string work = "init";
};

// A kubelet's patch every five minutes while nothing changes.
BareRequest heartbeat(std::size_t i) {
  std::array<char, 32> now{};
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  std::strftime(now.data(), now.size(), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &parts));
  const json status = {{"status", {{"conditions", {ready_condition(now.data())}}}}};
  return {"PATCH", "/api/v1/nodes/" + node_name(i) + "/status",
          "application/strategic-merge-patch+json", status.dump()};
}

void create_nodes(const Server& admin, const Settings& settings, const Work& work) {
  std::vector<BareRequest> requests;
  for (std::size_t i = 0; i < settings.nodes; ++i) requests.push_back(work.create(i));
  send_all(admin, requests, settings.connections);
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
  std::printf("| %-48s | %8.2f %-2s |\n", what, value, unit);
}

// Median, least and most of the rounds.
void row(const char* what, std::vector<double> values, const char* unit) {
  std::sort(values.begin(), values.end());
  std::printf("| %-48s | %8.2f %-2s | %8.2f | %8.2f |\n", what, values[values.size() / 2], unit,
              values.front(), values.back());
}

// Every node sends its heartbeat once in five minutes, spread evenly; nothing else happens.
void stay_idle(const Settings& settings, const Server& admin, const Manager& manager) {
  std::ofstream(settings.idle_began) << "idle\n";
  const double busy = manager.cpu_seconds();
  const auto start = Clock::now();
  const auto end = start + std::chrono::seconds(settings.idle_seconds);
  const auto pause = std::chrono::nanoseconds(std::chrono::minutes(5)) / settings.nodes;
  std::size_t sent = 0;
  while (Clock::now() < end) {
    send_all(admin, {heartbeat(sent % settings.nodes)}, 1);
    ++sent;
    std::this_thread::sleep_until(start + pause * sent);
  }
  const double seconds = seconds_since(start);
  row("idle: heartbeats a second", static_cast<double>(sent) / seconds, "");
  row("idle: processor time, of one core", 100 * (manager.cpu_seconds() - busy) / seconds, "%");
}

// The seconds until the bare client has had all its answers.
double time_bare_client(const Settings& settings, const Server& admin, const Work& work) {
  delete_nodes(admin);
  create_nodes(admin, settings, work);
  std::vector<BareRequest> patches;
  for (std::size_t i = 0; i < settings.nodes; ++i) work.add_patches(i, patches);
  const Server identity = server_of(settings.manager.manager_kubeconfig);
  return std::chrono::duration<double>(send_all(identity, patches, settings.connections)).count();
}

// Starts the manager, and returns the seconds until the last node is done.
double time_manager(const Settings& settings, const Server& admin, const Work& work,
                    std::optional<Manager>& manager) {
  delete_nodes(admin);
  create_nodes(admin, settings, work);
  const auto list = json::parse(send_one(admin, {"GET", "/api/v1/nodes?limit=1", "", ""}));
  const auto start = Clock::now();
  ManagerSettings with_work = settings.manager;
  with_work.flags.insert(with_work.flags.begin(), work.flags.begin(), work.flags.end());
  manager.emplace(with_work);
  std::atomic<bool> done = false;
  std::jthread waiter([&] {
    await_done(admin, work, settings.nodes, list["metadata"]["resourceVersion"].get<std::string>());
    done = true;
    done.notify_one();
  });
  std::jthread guard([&](const std::stop_token& stopped) {
    while (!stopped.stop_requested()) {
      if (manager->ended()) {
        std::fprintf(stderr, "the manager ended before its work; its log is %s\n",
                     settings.manager.log.c_str());
        std::_Exit(1);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  });
  done.wait(false);
  return seconds_since(start);
}

void run(const Settings& settings) {
  const Server admin = server_of(settings.manager.kubeconfig);
  const Work work = work_called(settings.work);
  std::printf("%s: nodes %zu, connections of the bare client %zu, rounds %zu\n",
              settings.work.c_str(), settings.nodes, settings.connections, settings.rounds);

  // In turn, since the machine's speed changes with time.
  std::vector<double> bare, total, ratio, busy, lease, settled, highest;
  std::optional<Manager> manager;
  for (std::size_t round = 0; round < settings.rounds; ++round) {
    if (manager) manager->end(SIGTERM);
    bare.push_back(time_bare_client(settings, admin, work));
    LeaseWatch renewals(admin);
    total.push_back(time_manager(settings, admin, work, manager));
    ratio.push_back(total.back() / bare.back());
    busy.push_back(manager->cpu_seconds());
    lease.push_back(renewals.end().count() / 1000);
    std::this_thread::sleep_for(std::chrono::seconds(6));  // it gives memory back every 5 s
    settled.push_back(manager->megabytes("VmRSS:"));
    highest.push_back(manager->megabytes("VmHWM:"));
  }

  std::printf("| %-48s | %11s | %8s | %8s |\n| %s | %s | %s | %s |\n", "what", "median", "least",
              "most", std::string(48, '-').c_str(), "----------:", "-------:", "-------:");
  row("bare client, the same patches", bare, "s");
  row("manager, from its start to the last node done", total, "s");
  row("ratio", ratio, "");
  row("processor time of the manager", busy, "s");
  row("Lease renewed after at most", lease, "s");
  row("resident memory, settled", settled, "MB");
  row("resident memory, highest", highest, "MB");
  if (settings.work == "ipam") {
    const auto all = json::parse(send_one(admin, {"GET", "/api/v1/nodes", "", ""}));
    std::set<std::string> ranges;
    for (const auto& node : all["items"]) ranges.insert(node["spec"].value("podCIDR", ""));
    row("distinct Pod ranges", static_cast<double>(ranges.size()), "");
  }
  if (settings.idle_seconds > 0) stay_idle(settings, admin, *manager);
  manager->end(SIGTERM);
}

}  // namespace
}  // namespace ccm::bench

int main(int argc, char** argv) {
  ccm::bench::Settings settings;
  CLI::App app(
      "Time to do a controller's work for N nodes, against a bare client that sends the same "
      "patches");
  settings.manager.add_options(app);
  app.add_option("--nodes", settings.nodes, "how many")->capture_default_str();
  app.add_option("--connections", settings.connections, "of the bare client")
      ->capture_default_str();
  app.add_option("--rounds", settings.rounds, "of bare client and manager in turn")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--work", settings.work, "init, ipam or route")->capture_default_str();
  app.add_option("--idle-seconds", settings.idle_seconds,
                 "then measure that long with heartbeats only");
  app.add_option("--idle-began", settings.idle_began, "file that appears when that begins");
  app.add_option("flags", settings.manager.flags, "further flags for the manager");
  CLI11_PARSE(app, argc, argv);
  try {
    ccm::bench::run(settings);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "node_bench: %s\n", fault.what());
    return 1;
  }
  return 0;
}
