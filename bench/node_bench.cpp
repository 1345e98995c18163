// Measures how long the manager needs for N nodes that are there when it starts (to initialise
// them, to give them Pod ranges, to make their routes), against the time in which a bare client
// with a watch of its own sends the same patches; with memory, and with the processor time of
// manager and API server, which other work on the machine changes less than it changes the time.
// Usage and environment: bench/run.
#include "bare_client.hpp"
#include "kubelet_node.hpp"
#include "lease_watch.hpp"
#include "manager.hpp"
#include "node_watch.hpp"
#include "traffic.hpp"
#include "work.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <signal.h>

#include <algorithm>
#include <array>
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

constexpr const char* kStrategic = "application/strategic-merge-patch+json";

struct Settings {
  ManagerSettings manager;
  std::size_t nodes = 5000;
  std::size_t connections = 32;
  std::size_t rounds = 1;
  std::size_t idle_seconds = 0;
  std::string idle_began;
  std::string work = "init";
  std::size_t images = 50;
  std::size_t node_bytes = 0;
  int server = 0;  // the process that is API server and etcd
};

// A kubelet's patch every five minutes while nothing changes.
BareRequest heartbeat(std::size_t i) {
  std::array<char, 32> now{};
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  std::strftime(now.data(), now.size(), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &parts));
  return {"PATCH", "/api/v1/nodes/" + node_name(i) + "/status?fieldManager=kubelet", kStrategic,
          heartbeat_patch(now.data()).dump(), kProtobuf};
}

// Each Node has three managers of its fields then: its kubelet twice, and the CNI.
void create_nodes(const Server& admin, const Settings& settings, const Work& work) {
  std::vector<BareRequest> creations, updates;
  for (std::size_t i = 0; i < settings.nodes; ++i) {
    creations.push_back(
        {"POST", "/api/v1/nodes?fieldManager=kubelet", kJson, work.node(i).dump(), kProtobuf});
    updates.push_back(heartbeat(i));
    updates.push_back({"PATCH", "/api/v1/nodes/" + node_name(i) + "?fieldManager=flanneld",
                       kStrategic, cni_patch(i).dump(), kProtobuf});
  }
  send_all(admin, creations, settings.connections);
  send_all(admin, updates, settings.connections);
}

void row(const char* what, double value, const char* unit) {
  std::printf("| %-60s | %8.2f %-2s |\n", what, value, unit);
}

// Median, least and most of the rounds.
void row(const char* what, std::vector<double> values, const char* unit) {
  std::sort(values.begin(), values.end());
  std::printf("| %-60s | %8.2f %-2s | %8.2f | %8.2f |\n", what, values[values.size() / 2], unit,
              values.front(), values.back());
}

// The Events of the Nodes are written long after the last Node is done. Returns when fewer than
// five requests a second are left, which are those that renew Leases.
void await_last_event(const Server& admin) {
  constexpr std::chrono::seconds kLook{10};
  double answered = answered_requests(admin);
  double more = 0;
  do {
    std::this_thread::sleep_for(kLook);
    more = answered_requests(admin) - answered;
    answered += more;
  } while (more >= 5 * kLook.count());
}

// Every node sends its heartbeat once in five minutes, spread evenly; nothing else happens.
void stay_idle(const Settings& settings, const Server& admin, const Manager& manager) {
  await_last_event(admin);
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

struct Cost {
  double seconds = 0;   // until the last node is done
  double server = 0;    // processor time of API server and etcd until then
  double after = 0;     // and in the six seconds after that, in which the manager writes its Events
  double requests = 0;  // that the API server has answered in all this time
};

// Six seconds, since the manager gives memory back every five.
constexpr std::chrono::seconds kAfter{6};

// The cost of `act`, which does the work or starts the manager.
template <typename Act>
Cost measure(const Settings& settings, const Server& admin, const Work& work, const Act& act) {
  NodeWatch observer(admin, work, settings.nodes, version_of_nodes(admin));
  Cost cost;
  const double requests = answered_requests(admin);
  const double before = cpu_seconds(settings.server);
  const auto start = Clock::now();
  act();
  observer.wait();
  cost.seconds = seconds_since(start);
  const double at_end = cpu_seconds(settings.server);
  cost.server = at_end - before;
  std::this_thread::sleep_for(kAfter);
  cost.after = cpu_seconds(settings.server) - at_end;
  cost.requests = answered_requests(admin) - requests - 1;  // the first look at its count
  return cost;
}

Cost measure_bare_client(const Settings& settings, const Server& admin, const Work& work) {
  delete_nodes(admin);
  create_nodes(admin, settings, work);
  std::vector<BareRequest> patches;
  for (std::size_t i = 0; i < settings.nodes; ++i) work.add_patches(i, patches);
  const Server identity = server_of(settings.manager.manager_kubeconfig);
  // The watch that the manager has open, too.
  NodeWatch watching(identity, work, settings.nodes, version_of_nodes(admin));
  return measure(settings, admin, work, [&] { send_all(identity, patches, settings.connections); });
}

Cost measure_manager(const Settings& settings, const Server& admin, const Work& work,
                     std::optional<Manager>& manager) {
  delete_nodes(admin);
  create_nodes(admin, settings, work);
  std::jthread guard;
  return measure(settings, admin, work, [&] {
    ManagerSettings with_work = settings.manager;
    with_work.flags.insert(with_work.flags.begin(), work.flags.begin(), work.flags.end());
    manager.emplace(with_work);
    guard = std::jthread([&](const std::stop_token& stopped) {
      while (!stopped.stop_requested()) {
        if (manager->ended()) {
          std::fprintf(stderr, "the manager ended before its work; its log is %s\n",
                       settings.manager.log.c_str());
          std::_Exit(1);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
      }
    });
  });
}

void run(const Settings& settings) {
  const Server admin = server_of(settings.manager.kubeconfig);
  const std::size_t images =
      settings.node_bytes > 0 ? images_for(settings.node_bytes) : settings.images;
  const Work work = work_called(settings.work, images);
  delete_nodes(admin);
  Settings one = settings;
  one.nodes = 1;
  create_nodes(admin, one, work);
  const auto bytes = send_one(admin, {"GET", "/api/v1/nodes/" + node_name(0), "", ""}).size();
  std::printf(
      "%s: nodes %zu of %zu bytes of JSON with %zu images, connections of the bare client "
      "%zu, rounds %zu\n",
      settings.work.c_str(), settings.nodes, bytes, images, settings.connections, settings.rounds);

  // In turn, since the machine's speed changes with time.
  std::vector<double> bare, bare_server, total, server, ratio, server_ratio, with_events, busy,
      lease, requests, received, sent, settled, highest, anonymous;
  std::optional<Manager> manager;
  for (std::size_t round = 0; round < settings.rounds; ++round) {
    if (manager) manager->end(SIGTERM);
    const Cost yardstick = measure_bare_client(settings, admin, work);
    LeaseWatch renewals(admin);
    const Cost cost = measure_manager(settings, admin, work, manager);
    bare.push_back(yardstick.seconds);
    bare_server.push_back(yardstick.server);
    total.push_back(cost.seconds);
    server.push_back(cost.server);
    ratio.push_back(cost.seconds / yardstick.seconds);
    server_ratio.push_back(cost.server / yardstick.server);
    with_events.push_back((cost.server + cost.after) / (yardstick.server + yardstick.after));
    busy.push_back(manager->cpu_seconds());
    requests.push_back(cost.requests);
    const Bytes traffic = bytes_of(manager->pid(), admin);
    received.push_back(traffic.received / 1e6);
    sent.push_back(traffic.sent / 1e6);
    lease.push_back(renewals.end().count() / 1000);
    settled.push_back(manager->megabytes("VmRSS:"));
    anonymous.push_back(manager->megabytes("RssAnon:"));
    highest.push_back(manager->megabytes("VmHWM:"));
    std::fprintf(stderr, "round %zu of %zu: bare client %.1f s, manager %.1f s\n", round + 1,
                 settings.rounds, yardstick.seconds, cost.seconds);
  }

  std::printf("| %-60s | %11s | %8s | %8s |\n| %s | %s | %s | %s |\n", "what", "median", "least",
              "most", std::string(60, '-').c_str(), "----------:", "-------:", "-------:");
  row("bare client, the same patches", bare, "s");
  row("manager, from its start to the last node done", total, "s");
  row("ratio", ratio, "");
  row("processor time of API server and etcd, bare client", bare_server, "s");
  row("processor time of API server and etcd, manager", server, "s");
  row("ratio", server_ratio, "");
  row("ratio with the 6 s after it, in which Events are written", with_events, "");
  row("processor time of the manager", busy, "s");
  row("requests that the API server answered, Events included", requests, "");
  row("bytes from the API server", received, "MB");
  row("bytes to the API server", sent, "MB");
  row("Lease renewed after at most", lease, "s");
  row("resident memory, settled", settled, "MB");
  row("of this its own, not shared with files (RssAnon)", anonymous, "MB");
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
  app.add_option("--images", settings.images, "container images of a Node, 50 at most")
      ->check(CLI::Range(0, 50))
      ->capture_default_str();
  app.add_option("--node-bytes", settings.node_bytes,
                 "length of a registered Node's JSON, reached by adding images");
  app.add_option("--server-pid", settings.server, "of the process that is API server and etcd")
      ->required();
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
