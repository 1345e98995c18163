// Measures Services of type LoadBalancer: how long until N of them, created at once, have an
// address; what a restart of the manager writes; what one node that leaves costs. Usage: bench/run.
#include "bare_client.hpp"
#include "manager.hpp"

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <nlohmann/json.hpp>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ccm::bench {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
constexpr std::size_t kNodes = 3;
const std::vector<std::string> kLeading = {"\"leading\"", "caches are synced"};
constexpr const char* kServices = "/api/v1/namespaces/default/services";

struct Settings {
  ManagerSettings manager;
  std::string cloud;  // host:port of its control interface
  std::size_t services = 50;
  std::size_t connections = 32;
  double cloud_seconds = 2;  // what the cloud needs for one load balancer
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Calls of the cloud by operation, since the start of the cloud.
std::map<std::string, long> cloud_calls(const Settings& settings) {
  namespace asio = boost::asio;
  namespace http = boost::beast::http;
  asio::io_context io;
  asio::ip::tcp::resolver resolver(io);
  boost::beast::tcp_stream stream(io);
  const auto colon = settings.cloud.rfind(':');
  stream.connect(
      resolver.resolve(settings.cloud.substr(0, colon), settings.cloud.substr(colon + 1)));
  http::request<http::empty_body> request(http::verb::get, "/control/calls", 11);
  request.set(http::field::host, settings.cloud);
  http::write(stream, request);
  boost::beast::flat_buffer buffer;
  http::response<http::string_body> answer;
  http::read(stream, buffer, answer);
  std::map<std::string, long> calls;
  const json counted = json::parse(answer.body()).at("by_operation");
  for (const auto& [operation, count] : counted.items()) {
    if (count.is_number()) calls[operation] = count.get<long>();
  }
  return calls;
}

long writes(const std::map<std::string, long>& calls) {
  long sum = 0;
  for (const char* operation :
       {"CreateLoadBalancer", "UpdateLoadBalancer", "UpdateBackends", "DeleteLoadBalancer"}) {
    const auto place = calls.find(operation);
    if (place != calls.end()) sum += place->second;
  }
  return sum;
}

json list(const Server& server, const std::string& path) {
  return json::parse(send_one(server, {"GET", path, "", ""}));
}

std::string service_name(std::size_t i) { return "service-" + std::to_string(i); }

BareRequest create_service(std::size_t i) {
  const json service = {
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata", {{"name", service_name(i)}}},
      {"spec",
       {{"type", "LoadBalancer"},
        {"ports", {{{"name", "http"}, {"port", 80}}, {{"name", "https"}, {"port", 443}}}}}}};
  return {"POST", kServices, "application/json", service.dump()};
}

void create_nodes(const Server& admin) {
  for (std::size_t i = 0; i < kNodes; ++i) {
    const std::string name = "node-" + std::to_string(i);
    const json node = {{"apiVersion", "v1"},
                       {"kind", "Node"},
                       {"metadata", {{"name", name}}},
                       {"spec", {{"providerID", "sandbox://" + name}}}};
    send_one(admin, {"POST", "/api/v1/nodes", "application/json", node.dump()});
  }
}

// Returns when every Service has an address.
void await_addresses(const Server& admin, std::size_t services, const std::string& version) {
  std::map<std::string, bool> done;
  watch(admin, std::string(kServices) + "?watch=true&resourceVersion=" + version,
        [&](std::string_view line) {
          const json event = json::parse(line);
          const json& object = event.at("object");
          if (!object.at("status").at("loadBalancer").value("ingress", json::array()).empty()) {
            done[object.at("metadata").at("name")] = true;
          }
          return done.size() < services;
        });
}

std::map<std::string, std::string> versions(const Server& admin) {
  std::map<std::string, std::string> result;
  const json services = list(admin, kServices);
  for (const json& service : services.at("items")) {
    result[service.at("metadata").at("name")] = service.at("metadata").at("resourceVersion");
  }
  return result;
}

// Waits until the cloud was not called for two seconds; the time of the last call, from `start`.
double until_quiet(const Settings& settings, Clock::time_point start) {
  auto last = cloud_calls(settings);
  double changed = 0;
  for (int quiet = 0; quiet < 40; ++quiet) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    auto now = cloud_calls(settings);
    if (now == last) continue;
    last = std::move(now);
    changed = seconds_since(start);
    quiet = 0;
  }
  return changed;
}

void row(const char* what, double value, const char* unit) {
  std::printf("| %-56s | %8.2f %-2s |\n", what, value, unit);
}

void run(const Settings& settings) {
  const Server admin = server_of(settings.manager.kubeconfig);
  std::printf("Services %zu, active %.1f s after their creation in the cloud\n", settings.services,
              settings.cloud_seconds);
  std::printf("| %-56s | %11s |\n| %s | ----------: |\n", "what", "measured",
              std::string(56, '-').c_str());
  send_one(admin, {"DELETE", "/api/v1/nodes", "", ""});
  create_nodes(admin);

  auto manager = std::make_unique<Manager>(settings.manager);
  (void)manager->await_log(kLeading);
  const long before = writes(cloud_calls(settings));
  const std::string version = list(admin, kServices).at("metadata").at("resourceVersion");
  std::vector<BareRequest> creations;
  for (std::size_t i = 0; i < settings.services; ++i) creations.push_back(create_service(i));
  const auto start = Clock::now();
  const double created =
      std::chrono::duration<double>(send_all(admin, creations, settings.connections)).count();
  await_addresses(admin, settings.services, version);
  const double total = seconds_since(start);
  row("bare client, to create the Services", created, "s");
  row("until the last one has its address", total, "s");
  row("the same, over the cloud's own time", total - settings.cloud_seconds, "s");
  row("cloud writes for each",
      static_cast<double>(writes(cloud_calls(settings)) - before) /
          static_cast<double>(settings.services),
      "");
  until_quiet(settings, start);
  row("processor time of the manager", manager->cpu_seconds(), "s");
  row("resident memory", manager->megabytes("VmRSS:"), "MB");

  const auto settled = versions(admin);
  const long settled_writes = writes(cloud_calls(settings));
  manager->end(SIGTERM);
  manager = std::make_unique<Manager>(settings.manager);
  (void)manager->await_log(kLeading);
  until_quiet(settings, Clock::now());
  row("second manager: cloud writes",
      static_cast<double>(writes(cloud_calls(settings)) - settled_writes), "");
  std::size_t changed = 0;
  for (const auto& [name, now] : versions(admin)) changed += settled.at(name) != now ? 1 : 0;
  row("second manager: Services written", static_cast<double>(changed), "");

  const long writes_before = writes(cloud_calls(settings));
  const auto left = Clock::now();
  send_one(admin, {"DELETE", "/api/v1/nodes/node-0", "", ""});
  const double updated = until_quiet(settings, left);
  row("a node leaves: until the last load balancer follows", updated, "s");
  row("a node leaves: cloud writes for each",
      static_cast<double>(writes(cloud_calls(settings)) - writes_before) /
          static_cast<double>(settings.services),
      "");

  const auto deleted = Clock::now();
  std::vector<BareRequest> deletions;
  for (std::size_t i = 0; i < settings.services; ++i) {
    deletions.push_back({"DELETE", std::string(kServices) + "/" + service_name(i), "", ""});
  }
  send_all(admin, deletions, settings.connections);
  while (!list(admin, kServices).at("items").empty()) {
    const json left_over = list(admin, kServices).at("items");
    if (left_over.size() == 1 && left_over[0].at("metadata").at("name") == "kubernetes") break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  row("all deleted, their load balancers too", seconds_since(deleted), "s");
}

}  // namespace
}  // namespace ccm::bench

int main(int argc, char** argv) {
  ccm::bench::Settings settings;
  CLI::App app("Time until N Services of type LoadBalancer have addresses, and what they cost");
  settings.manager.add_options(app);
  app.add_option("--cloud", settings.cloud, "HOST:PORT of the sandbox cloud")->required();
  app.add_option("--services", settings.services, "how many")->capture_default_str();
  app.add_option("--cloud-seconds", settings.cloud_seconds,
                 "until a load balancer is active in the cloud")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  settings.manager.flags = {"--controllers=service-lb-controller"};
  try {
    ccm::bench::run(settings);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "service_bench: %s\n", fault.what());
    return 1;
  }
  return 0;
}
