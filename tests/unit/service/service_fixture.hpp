// The service controller on the fake host: its API server, its cloud, its clock.
#pragma once

#include <ccm/testing/fake_controller.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace ccm::service {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;

inline constexpr const char* kIdAnnotationName = "cloud-controller-manager/load-balancer-id";
inline constexpr const char* kCleanup = "service.kubernetes.io/load-balancer-cleanup";

// A Service "default/NAME" of type LoadBalancer with one port, its uid "uid-of-NAME".
Json balanced(const std::string& name);
Json plain_node(const std::string& name);

class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest();
  ~ServiceTest() override;

  void put(const Json& service) { host.kube.put("v1/services", service.dump()); }
  void put_node(const Json& node) { host.kube.put("v1/nodes", node.dump()); }
  void put_nodes(int count);
  // The server's state.
  [[nodiscard]] Json stored(const std::string& name) const;
  [[nodiscard]] bool exists(const std::string& name) const;
  // A user's change: `change` edits the stored Service.
  template <typename Change>
  void edit(const std::string& name, Change change) {
    Json service = stored(name);
    change(service);
    put(service);
  }
  // As `kubectl delete` does; at once when no finalizer is on it.
  void mark_deleted(const std::string& name);

  // The outcome of a setup.
  Status try_setup();
  // Connects a controller to what was put so far; the second time it is a new process.
  void start();
  void run() { controller->run(); }
  // Moves the clock on in steps, so that what comes back early comes back in time.
  void advance(milliseconds by);

  // The cloud's operations so far but for `limits`, then forgotten.
  Texts take_cloud();
  // "patch NAME" and the like so far, then forgotten.
  Texts take_writes();
  // "Normal EnsuredLoadBalancer", ... since the last call.
  Texts take_events();
  [[nodiscard]] std::string last_event(const std::string& reason) const;
  // .status.conditions by type; null when there is none.
  [[nodiscard]] Json condition(const std::string& name, const std::string& type) const;
  [[nodiscard]] std::string address(const std::string& name) const;
  [[nodiscard]] double recorded(const std::string& metric) const;
  [[nodiscard]] std::size_t records(const std::string& metric) const;

  static Status quota() {
    return Status(Code::resource_exhausted, ErrorClass::quota, "10 of 10 are in use (request r-1)");
  }
  static Status down() { return {Code::unavailable, ErrorClass::unavailable, "503"}; }

  testing::FakeHost host;
  std::unique_ptr<testing::FakeController> controller;

 private:
  std::size_t events_taken_ = 0;
};

inline constexpr const char* kReady = "cloud-controller-manager/LoadBalancerReady";

}  // namespace ccm::service
