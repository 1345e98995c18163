#include "node_fixture.hpp"

#include "node/controller.hpp"

#include <ccm/testing/plugin_of.hpp>

namespace ccm::node {

FakeCloud::FakeCloud(testing::FakeHost& host) : host_(host) {
  table_.size = sizeof(table_);
  table_.describe = &FakeCloud::describe;
}

void FakeCloud::describe(void* self, ccm_ctx, const ccm_describe_instances_request* request,
                         ccm_completion done) {
  auto& cloud = *static_cast<FakeCloud*>(self);
  std::vector<Instance> answer;
  for (size_t i = 0; i < request->node_count; ++i) {
    cloud.asked.push_back(NodeIdentity::from_c(cloud.host_.objects.service(), *request->nodes[i]));
    const auto place = cloud.machines.find(cloud.asked.back().name);
    Instance instance;
    instance.state = InstanceState::absent;
    if (place != cloud.machines.end()) instance = place->second;
    answer.push_back(std::move(instance));
  }
  const auto complete = [done, answer, failure = cloud.failure] {
    const ccm_status status = failure.to_c();
    const detail::InstanceListC list(answer);
    done.fn(done.owner, done.operation, &status, failure.ok() ? list.list() : nullptr);
  };
  if (cloud.delay.count() == 0) return cloud.host_.loop.post(complete);
  cloud.host_.loop.after(cloud.delay, complete);
}

NodeControllerTest::NodeControllerTest() {
  host.offer(CCM_CLOUD_INSTANCES, {&cloud, cloud.table()});
}

NodeControllerTest::Json NodeControllerTest::joining(const std::string& name) {
  return {
      {"metadata",
       {{"name", name},
        {"creationTimestamp", "2026-01-01T00:00:00Z"},
        {"labels", {{"kubernetes.io/hostname", name}}}}},
      {"spec",
       {{"taints", Json::array({{{"key", "node.kubernetes.io/not-ready"}, {"effect", "NoSchedule"}},
                                {{"key", "node.cloudprovider.kubernetes.io/uninitialized"},
                                 {"value", "true"},
                                 {"effect", "NoSchedule"}}})}}},
      {"status",
       {{"addresses", Json::array({{{"type", "Hostname"}, {"address", name}}})},
        {"capacity", {{"cpu", "2"}}}}}};
}

Instance NodeControllerTest::machine(const std::string& name) {
  Instance instance;
  instance.state = InstanceState::running;
  instance.provider_id = "sandbox://id-" + name;
  instance.name = name;
  instance.instance_type = "small";
  instance.zone = "eu-1";
  instance.region = "eu";
  instance.addresses = {{"InternalIP", "10.0.0.1"}};
  return instance;
}

NodeControllerTest::Json NodeControllerTest::stored(const std::string& name) const {
  const std::string text = host.kube.stored("v1/nodes", name);
  return text.empty() ? Json() : Json::parse(text);
}

bool NodeControllerTest::tainted(const std::string& name) const {
  const Json node = stored(name);
  if (!node["spec"].contains("taints")) return false;
  for (const Json& taint : node["spec"]["taints"]) {
    if (taint["key"] == "node.cloudprovider.kubernetes.io/uninitialized") return true;
  }
  return false;
}

const ccm_plugin* NodeControllerTest::plugin() {
  return testing::plugin_of<Controller, testing::Dispatch::loop>();
}

void NodeControllerTest::start() {
  controller.reset();
  controller = std::make_unique<testing::FakeController>(host, plugin(), "test");
  ASSERT_TRUE(controller->component.created().ok());
  const Status status = controller->setup();
  ASSERT_TRUE(status.ok()) << status.message();
}

std::vector<std::string> NodeControllerTest::take_calls() {
  std::vector<std::string> calls;
  for (const testing::KubeCall& call : host.kube.calls()) {
    calls.push_back(call.subresource.empty() ? call.verb : call.verb + " " + call.subresource);
  }
  host.kube.clear_calls();
  return calls;
}

std::vector<std::string> NodeControllerTest::event_reasons() const {
  std::vector<std::string> reasons;
  for (const testing::RecordedEvent& event : host.events.all()) {
    reasons.push_back((event.warning ? "Warning " : "Normal ") + event.reason);
  }
  return reasons;
}

}  // namespace ccm::node
