// The node controller on the fake host, with a cloud that the test plays.
#pragma once

#include <ccm/testing/fake_controller.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::node {

// ccm.cloud.instances as the broker offers it: answers describe from a map, posted.
class FakeCloud {
 public:
  explicit FakeCloud(testing::FakeHost& host);

  // By node name; a node that is not here is absent.
  std::map<std::string, Instance> machines;
  // When set, describe fails like that.
  Status failure;
  std::chrono::milliseconds delay{0};
  // Every identity that was asked for, in order.
  std::vector<NodeIdentity> asked;
  [[nodiscard]] const ccm_cloud_instances* table() const { return &table_; }

 private:
  static void describe(void* self, ccm_ctx ctx, const ccm_describe_instances_request* request,
                       ccm_completion done);
  testing::FakeHost& host_;
  ccm_cloud_instances table_{};
};

class NodeControllerTest : public ::testing::Test {
 protected:
  using Json = nlohmann::ordered_json;

  NodeControllerTest();

  // A Node as the kubelet creates it: tainted, with its own hostname and address.
  static Json joining(const std::string& name);
  static Instance machine(const std::string& name);
  void put(const Json& node) { host.kube.put("v1/nodes", node.dump()); }
  [[nodiscard]] Json stored(const std::string& name) const;
  [[nodiscard]] bool tainted(const std::string& name) const;
  static const ccm_plugin* plugin();
  // Makes the component and connects it to what was put so far.
  void start();
  // "patch status", "patch", "get": the calls so far, shortened, then forgotten.
  std::vector<std::string> take_calls();
  [[nodiscard]] std::vector<std::string> event_reasons() const;

  testing::FakeHost host;
  FakeCloud cloud{host};
  std::unique_ptr<testing::FakeController> controller;
};

}  // namespace ccm::node
