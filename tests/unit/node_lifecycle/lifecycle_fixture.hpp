// The controller on the fake host, with a cloud that the test plays. The host's gate of deletions
// has its own tests: here it deletes or fails as the test says.
#pragma once

#include "node-lifecycle/controller.hpp"

#include <ccm/testing/fake_controller.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::node_lifecycle {

using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

// ccm.cloud.instances as the broker offers it.
class FakeCloud {
 public:
  explicit FakeCloud(testing::FakeHost& host) : host_(host) {
    table_.size = sizeof(table_);
    table_.describe = &FakeCloud::describe;
  }
  std::map<std::string, InstanceState> machines;  // by provider ID; else absent
  Status failure;
  std::vector<NodeIdentity> asked;
  [[nodiscard]] const ccm_cloud_instances* table() const { return &table_; }

 private:
  static void describe(void* self, ccm_ctx, const ccm_describe_instances_request* request,
                       ccm_completion done) {
    auto& cloud = *static_cast<FakeCloud*>(self);
    std::vector<Instance> answer(request->node_count);
    for (size_t i = 0; i < request->node_count; ++i) {
      cloud.asked.push_back(
          NodeIdentity::from_c(cloud.host_.objects.service(), *request->nodes[i]));
      const auto place = cloud.machines.find(cloud.asked.back().provider_id);
      answer[i].state = place == cloud.machines.end() ? InstanceState::absent : place->second;
    }
    cloud.host_.loop.post([done, answer, failure = cloud.failure] {
      const ccm_status status = failure.to_c();
      const detail::InstanceListC list(answer);
      done.fn(done.owner, done.operation, &status, failure.ok() ? list.list() : nullptr);
    });
  }
  testing::FakeHost& host_;
  ccm_cloud_instances table_{};
};

class LifecycleTest : public ::testing::Test {
 protected:
  LifecycleTest() { host.offer(CCM_CLOUD_INSTANCES, {&cloud, cloud.table()}); }

  static Json node(const std::string& name, const std::string& ready) {
    Json made = {{"metadata", {{"name", name}, {"creationTimestamp", "1970-01-01T00:00:00Z"}}},
                 {"spec", {{"providerID", "sandbox://" + name}}}};
    if (!ready.empty()) {
      made["status"]["conditions"] =
          Json::array({{{"type", "DiskPressure"}, {"status", "False"}},
                       {{"type", "Ready"}, {"status", ready}, {"lastHeartbeatTime", "1"}}});
    }
    return made;
  }
  void put(const Json& object) { host.kube.put("v1/nodes", object.dump()); }
  Json stored(const std::string& name) const {
    const std::string text = host.kube.stored("v1/nodes", name);
    return text.empty() ? Json() : Json::parse(text);
  }
  std::vector<std::string> taints(const std::string& name = "n1") const {
    std::vector<std::string> keys;
    const Json object = stored(name);
    if (!object["spec"].contains("taints")) return keys;
    for (const Json& taint : object["spec"]["taints"]) {
      const std::string key = taint["key"];
      keys.push_back(key.substr(key.rfind('/') + 1));
    }
    return keys;
  }
  void start() {
    controller.reset();
    controller = std::make_unique<testing::FakeController>(
        host, testing::plugin_of<Controller, testing::Dispatch::loop>(), "test");
    ASSERT_TRUE(controller->component.created().ok());
    ASSERT_TRUE(controller->setup().ok());
    controller->run();
  }
  std::vector<std::string> take_calls() {
    std::vector<std::string> calls;
    for (const testing::KubeCall& call : host.kube.calls()) calls.push_back(call.verb);
    host.kube.clear_calls();
    return calls;
  }
  double counted(const std::string& metric, const std::string& labels) const {
    const auto found = host.metrics.find(metric);
    if (!found) return -1;
    double total = 0;
    for (const auto& [label, value] : found->records) total += label == labels ? value : 0;
    return total;
  }
  std::vector<std::string> events() const {
    std::vector<std::string> reasons;
    for (const testing::RecordedEvent& event : host.events.all()) {
      reasons.push_back((event.warning ? "Warning " : "Normal ") + event.reason + " " +
                        event.object);
    }
    return reasons;
  }

  testing::FakeHost host;
  FakeCloud cloud{host};
  std::unique_ptr<testing::FakeController> controller;
};

}  // namespace ccm::node_lifecycle
