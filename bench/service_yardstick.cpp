#include "service_yardstick.hpp"

#include "clock.hpp"

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace ccm::bench {
namespace {

using nlohmann::json;
constexpr const char* kFinalizer = "service.kubernetes.io/load-balancer-cleanup";
constexpr const char* kTime = "2026-01-01T00:00:00Z";
constexpr const char* kIdAnnotation = "cloud-controller-manager/load-balancer-id";

// The state of one Service between its two halves.
struct Made {
  std::string uid;
  std::string id;  // of its load balancer
  Clock::time_point created;
};

struct Connections {
  explicit Connections(const ServiceYardstick& yardstick)
      : admin(yardstick.admin), identity(yardstick.identity), cloud(yardstick.cloud) {}
  Connection admin;
  Connection identity;
  Connection cloud;
};

std::string bare_name(std::size_t i) { return "bare-" + std::to_string(i); }

BareRequest patch(const std::string& name, const json& body) {
  return {"PATCH", std::string(kServices) + "/" + name + "/status",
          "application/strategic-merge-patch+json", body.dump()};
}

BareRequest event(const std::string& name, const Made& made, const std::string& reason) {
  const json about = {{"kind", "Service"},
                      {"apiVersion", "v1"},
                      {"namespace", "default"},
                      {"name", name},
                      {"uid", made.uid}};
  // Events outlive their Service, and the next run has Services of the same names.
  const std::string unique = name + "." + made.uid + "." + reason;
  const json body = {{"kind", "Event"},
                     {"apiVersion", "v1"},
                     {"metadata", {{"name", unique}, {"namespace", "default"}}},
                     {"involvedObject", about},
                     {"reason", reason},
                     {"message", "Ensured load balancer"},
                     {"type", "Normal"},
                     {"source", {{"component", "service-controller"}}},
                     {"firstTimestamp", kTime},
                     {"lastTimestamp", kTime},
                     {"count", 1}};
  return {"POST", "/api/v1/namespaces/default/events", "application/json", body.dump()};
}

json condition(bool ready) {
  return {{"type", "cloud-controller-manager/LoadBalancerReady"},
          {"status", ready ? "True" : "False"},
          {"reason", ready ? "EnsuredLoadBalancer" : "EnsuringLoadBalancer"},
          {"message", "The load balancer is ready"},
          {"lastTransitionTime", kTime}};
}

// The body of the cloud's creation call.
std::string balancer(const ServiceYardstick& yardstick, const std::string& uid) {
  json ports = json::array();
  for (const int port : {80, 443}) {
    ports.push_back({{"name", ""}, {"protocol", "TCP"}, {"port", port}, {"node_port", 30000}});
  }
  return json({{"name", "a" + uid},
               {"owner", {{"cluster", "kubernetes"}, {"service_uid", uid}}},
               {"ports", ports},
               {"backends", yardstick.backends}})
      .dump();
}

void begin(const ServiceYardstick& yardstick, Connections& to, std::size_t i, Made& made) {
  const std::string name = bare_name(i);
  const std::string answer = to.admin.send(create_service(name, true));
  made.uid = json::parse(answer).at("metadata").at("uid");
  to.identity.send(event(name, made, "EnsuringLoadBalancer"));
  to.identity.send(patch(name, {{"metadata", {{"finalizers", {kFinalizer}}}}}));
  to.cloud.send({"GET", "/v1/load_balancers?cluster=kubernetes&service_uid=" + made.uid, "", ""});
  const std::string created = to.cloud.send(
      {"POST", "/v1/load_balancers", "application/json", balancer(yardstick, made.uid)});
  made.id = json::parse(created).at("id");
  made.created = Clock::now();
  const json metadata = {{"annotations", {{kIdAnnotation, made.id}}}};
  to.identity.send(
      patch(name, {{"metadata", metadata}, {"status", {{"conditions", {condition(false)}}}}}));
}

void finish(const ServiceYardstick& yardstick, Connections& to, std::size_t i, Made& made) {
  const auto active = std::chrono::duration<double>(yardstick.active_after_seconds);
  std::this_thread::sleep_until(made.created + std::chrono::ceil<Clock::duration>(active));
  const json shown = json::parse(to.cloud.send({"GET", "/v1/load_balancers/" + made.id, "", ""}));
  const std::string name = bare_name(i);
  to.identity.send(patch(name, {{"status",
                                 {{"loadBalancer", {{"ingress", shown.at("addresses")}}},
                                  {"conditions", {condition(true)}}}}}));
  to.identity.send(event(name, made, "EnsuredLoadBalancer"));
}

void remove(const ServiceYardstick&, Connections& to, std::size_t i, Made&) {
  const std::string name = bare_name(i);
  to.identity.send(patch(name, {{"metadata", {{"finalizers", nullptr}}}}));
  to.admin.send({"DELETE", std::string(kServices) + "/" + name, "", ""});
}

using Half = std::function<void(const ServiceYardstick&, Connections&, std::size_t, Made&)>;

// Lets all connections work until every Service has had its turn, one half after the other.
void work(const ServiceYardstick& yardstick, std::vector<Made>& made,
          const std::vector<Half>& halves) {
  std::vector<std::atomic<std::size_t>> next(halves.size());
  std::barrier half_done(static_cast<std::ptrdiff_t>(yardstick.connections));
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      Connections to(yardstick);
      for (std::size_t half = 0; half < halves.size(); ++half) {
        for (std::size_t i = next[half]++; i < made.size(); i = next[half]++) {
          halves[half](yardstick, to, i, made[i]);
        }
        half_done.arrive_and_wait();
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      for (auto& number : next) number = made.size();
      half_done.arrive_and_drop();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < yardstick.connections; ++i) threads.emplace_back(run);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

BareRequest create_service(const std::string& name, bool node_ports) {
  json service = {
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata", {{"name", name}}},
      {"spec",
       {{"type", "LoadBalancer"},
        {"ports", {{{"name", "http"}, {"port", 80}}, {{"name", "https"}, {"port", 443}}}}}}};
  if (!node_ports) service["spec"]["allocateLoadBalancerNodePorts"] = false;
  return {"POST", kServices, "application/json", service.dump()};
}

double ServiceYardstick::measure() const {
  std::vector<Made> made(services);
  const auto start = Clock::now();
  work(*this, made, {begin, finish});
  const double seconds = seconds_since(start);
  work(*this, made, {remove});
  return seconds;
}

}  // namespace ccm::bench
