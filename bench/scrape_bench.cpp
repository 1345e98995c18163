// Measures the endpoint: how long a scrape takes with N Nodes and M Services in the manager's
// caches, and how much memory the endpoint holds while nobody asks. Usage: bench/run.
#include "bare_client.hpp"
#include "endpoint.hpp"
#include "services.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace ccm::bench {
namespace {

using nlohmann::json;

const std::vector<std::string> kLeading = {"\"Leading\"", "Caches are synced"};

struct Settings {
  ManagerSettings manager;
  std::size_t nodes = 5000;
  std::size_t services = 1000;
  std::size_t scrapes = 200;
  std::size_t connections = 32;
};

json node(std::size_t i) {
  const std::string name = "node-" + std::to_string(i);
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", name}}},
          {"spec", {{"providerID", "sandbox://" + name}}}};
}

json service(std::size_t i) {
  const json port = {{"name", "http"}, {"port", 80}};
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", {{"name", "service-" + std::to_string(i)}}},
          {"spec", {{"type", "ClusterIP"}, {"ports", json::array({port})}}}};
}

void fill(const Settings& settings, const Server& admin) {
  send_one(admin, {"DELETE", "/api/v1/nodes", "", ""});
  std::vector<BareRequest> requests;
  for (std::size_t i = 0; i < settings.nodes; ++i) {
    requests.push_back({"POST", "/api/v1/nodes", "application/json", node(i).dump()});
  }
  for (std::size_t i = 0; i < settings.services; ++i) {
    requests.push_back({"POST", kServices, "application/json", service(i).dump()});
  }
  send_all(admin, requests, settings.connections);
}

void clear(const Settings& settings, const Server& admin) {
  std::vector<BareRequest> requests = {{"DELETE", "/api/v1/nodes", "", ""}};
  for (std::size_t i = 0; i < settings.services; ++i) {
    requests.push_back(
        {"DELETE", std::string(kServices) + "/service-" + std::to_string(i), "", ""});
  }
  send_all(admin, requests, settings.connections);
}

void row(const char* what, double value, const char* unit) {
  std::printf("| %-52s | %8.2f %-2s |\n", what, value, unit);
}

// Waits until the manager has done what a start brings: it uses less than 2 % of a processor.
void settle(const Manager& manager) {
  double before = manager.cpu_seconds();
  for (int i = 0; i < 60; ++i) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const double now = manager.cpu_seconds();
    if (now - before < 0.02) return;
    before = now;
  }
}

// The memory of its own (RssAnon) of a manager at rest.
double memory_at_rest(ManagerSettings settings, std::vector<std::string> flags) {
  settings.flags.insert(settings.flags.end(), flags.begin(), flags.end());
  Manager manager(std::move(settings));
  (void)manager.await_log(kLeading);
  settle(manager);
  const double anonymous = manager.megabytes("RssAnon:");
  manager.end(SIGTERM);
  return anonymous;
}

// The first scrape that the caches of the cluster's settings allow.
std::string first_scrape(const Server& server, const BareRequest& request) {
  const auto start = Clock::now();
  for (;;) {
    try {
      return send_one(server, request);
    } catch (const std::exception&) {
      if (milliseconds_since(start) > 20'000) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
}

void scrape(const Settings& settings, const Server& admin) {
  const Endpoint endpoint(settings.manager);
  ManagerSettings with = settings.manager;
  const auto flags = endpoint.flags();
  with.flags.insert(with.flags.end(), flags.begin(), flags.end());
  Manager manager(with);
  (void)manager.await_log(kLeading);
  const Server server = endpoint.server(admin);
  const BareRequest request{"GET", "/metrics", "", ""};
  const std::size_t size = first_scrape(server, request).size();
  settle(manager);
  const double cpu = manager.cpu_seconds();
  std::vector<double> times;
  for (std::size_t i = 0; i < settings.scrapes; ++i) {
    const auto start = Clock::now();
    send_one(server, request);  // with a handshake of its own, as the worst case
    times.push_back(milliseconds_since(start));
  }
  std::sort(times.begin(), times.end());
  row("a scrape, new connection, median", times[times.size() / 2], "ms");
  row("a scrape, new connection, 99 %", times[times.size() * 99 / 100], "ms");
  const std::vector<BareRequest> many(settings.scrapes, request);
  const double kept = std::chrono::duration<double, std::milli>(send_all(server, many, 1)).count();
  row("a scrape, kept connection, mean", kept / static_cast<double>(settings.scrapes), "ms");
  row("processor time of the manager for each",
      (manager.cpu_seconds() - cpu) * 1000 / static_cast<double>(2 * settings.scrapes), "ms");
  row("size of the answer", static_cast<double>(size) / 1024, "kB");
  row("resident memory after them", manager.megabytes("VmRSS:"), "MB");
  row("RssAnon after them", manager.megabytes("RssAnon:"), "MB");
  manager.end(SIGTERM);
}

void run(const Settings& settings) {
  const Server admin = server_of(settings.manager.kubeconfig);
  std::printf("Scrapes with %zu nodes and %zu Services in the caches\n", settings.nodes,
              settings.services);
  std::printf("| %-52s | %11s |\n| %s | ----------: |\n", "what", "measured",
              std::string(52, '-').c_str());
  // Empty caches: what is left is the endpoint itself.
  send_one(admin, {"DELETE", "/api/v1/nodes", "", ""});
  const double without = memory_at_rest(settings.manager, {"--secure-port=0"});
  const double with = memory_at_rest(settings.manager, Endpoint(settings.manager).flags());
  row("memory of the endpoint while nobody asks", with - without, "MB");
  fill(settings, admin);
  scrape(settings, admin);
  clear(settings, admin);
}

}  // namespace
}  // namespace ccm::bench

int main(int argc, char** argv) {
  ccm::bench::Settings settings;
  CLI::App app("Time of a scrape with N Nodes and M Services, and the endpoint's memory");
  settings.manager.add_options(app);
  app.add_option("--nodes", settings.nodes, "how many")->capture_default_str();
  app.add_option("--services", settings.services, "how many")->capture_default_str();
  app.add_option("--scrapes", settings.scrapes, "how many of each kind")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  settings.manager.flags = {"--controllers=*", "--configure-cloud-routes=false"};
  try {
    ccm::bench::run(settings);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "scrape_bench: %s\n", fault.what());
    return 1;
  }
  return 0;
}
