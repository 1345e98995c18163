// The route controller on the fake host, in a cluster of 10.244.0.0/16 and fd00:10::/48.
#pragma once

#include <ccm/testing/fake_controller.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace ccm::route {

using std::chrono::milliseconds;

class RouteTest : public ::testing::Test {
 protected:
  using Json = nlohmann::ordered_json;
  using Texts = std::vector<std::string>;

  RouteTest();
  ~RouteTest() override;

  static const ccm_plugin* plugin();
  static Json node(const std::string& name, const Texts& ranges = {});
  void put(const Json& object) { host.kube.put("v1/nodes", object.dump()); }
  void remove(const std::string& name) { host.kube.remove("v1/nodes", name); }
  // Another program writes the condition NetworkUnavailable.
  void set_condition(const std::string& name, const std::string& status, const std::string& reason);

  // A route as the cloud lists it.
  static Route listed(const std::string& range, const std::string& node, bool owned = true);
  void list(const Route& route) { host.routes.table_of_cloud.push_back(route); }

  Status setup();
  // Makes the component, connects it to what was put so far, and does the first run.
  void start();
  // The next run: what changed since the last one has been gathered.
  void next_run() { controller->advance(milliseconds(1'000)); }
  void audit() { controller->advance(milliseconds(10'000)); }

  // "10.244.1.0/24>node-1", as the cloud has them, sorted.
  [[nodiscard]] Texts table() const;
  // "False RouteCreated"; empty = there is no such condition.
  [[nodiscard]] std::string condition(const std::string& name) const;
  [[nodiscard]] Json whole_condition(const std::string& name) const;
  // "Warning FailedToCreateRoute node-1"
  [[nodiscard]] Texts events() const;
  [[nodiscard]] std::string message_of(const std::string& reason) const;
  [[nodiscard]] std::size_t applies() const { return host.routes.calls("apply").size(); }
  [[nodiscard]] std::size_t patches() const { return host.kube.calls("patch").size(); }
  [[nodiscard]] double sum(const std::string& metric, const std::string& labels = {}) const;

  static Status unavailable() {
    return {Code::unavailable, ErrorClass::unavailable, "the cloud is down"};
  }
  static Status quota() {
    return {Code::resource_exhausted, ErrorClass::quota, "router 7 takes no more"};
  }
  static Status held() {
    return Status(Code::failed_precondition, "9 of 10 routes would go at once")
        .with_reason("DeletionBrakeEngaged");
  }

  testing::FakeHost host;
  std::unique_ptr<testing::FakeController> controller;
};

}  // namespace ccm::route
