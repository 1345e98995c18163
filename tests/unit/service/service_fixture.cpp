#include "service_fixture.hpp"

#include "service/controller.hpp"

#include <ccm/testing/plugin_of.hpp>

namespace ccm::service {

Json balanced(const std::string& name) {
  return {{"metadata", {{"name", name}, {"namespace", "default"}, {"uid", "uid-of-" + name}}},
          {"spec",
           {{"type", "LoadBalancer"},
            {"ports", Json::array({{{"name", "web"},
                                    {"protocol", "TCP"},
                                    {"port", 80},
                                    {"targetPort", 8080},
                                    {"nodePort", 30080}}})},
            {"sessionAffinity", "None"},
            {"externalTrafficPolicy", "Cluster"},
            {"ipFamilies", {"IPv4"}}}},
          {"status", {{"loadBalancer", Json::object()}}}};
}

Json plain_node(const std::string& name) {
  return {{"metadata", {{"name", name}}}, {"spec", {{"providerID", "test://" + name}}}};
}

ServiceTest::ServiceTest() {
  host.config.set_flag("cluster-name", "kubernetes", false);
  host.config.set_flag("load-balancer-audit-period", "30m0s", false);
  host.config.set_flag("concurrent-service-syncs", "1", false);
}

ServiceTest::~ServiceTest() {
  for (const std::string& fault : host.faults()) ADD_FAILURE() << fault;
}

void ServiceTest::put_nodes(int count) {
  for (int i = 0; i < count; ++i) put_node(plain_node("node-" + std::to_string(i)));
}

Json ServiceTest::stored(const std::string& name) const {
  const std::string text = host.kube.stored("v1/services", name, "default");
  return text.empty() ? Json() : Json::parse(text);
}

bool ServiceTest::exists(const std::string& name) const { return !stored(name).is_null(); }

void ServiceTest::mark_deleted(const std::string& name) {
  if (!stored(name)["metadata"].contains("finalizers")) {
    return host.kube.remove("v1/services", name, "default");
  }
  edit(name,
       [](Json& service) { service["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"; });
}

Status ServiceTest::try_setup() {
  controller.reset();
  controller = std::make_unique<testing::FakeController>(
      host, testing::plugin_of<Controller, testing::Dispatch::loop>(), "test");
  return controller->setup();
}

void ServiceTest::start() {
  const Status status = try_setup();
  ASSERT_TRUE(status.ok()) << status.message();
}

void ServiceTest::advance(milliseconds by) {
  const milliseconds step = std::max(milliseconds(250), by / 400);
  for (; by > step; by -= step) controller->advance(step);
  controller->advance(by);
}

Texts ServiceTest::take_cloud() {
  Texts operations;
  for (const auto& call : host.load_balancers.calls()) {
    if (call.operation != "limits") operations.push_back(call.operation);
  }
  host.load_balancers.clear_calls();
  return operations;
}

Texts ServiceTest::take_writes() {
  Texts writes;
  for (const testing::KubeCall& call : host.kube.calls()) {
    if (call.verb == "list") continue;
    if (call.verb != "get") writes.push_back(call.verb + " " + call.name);
    EXPECT_EQ(call.subresource, "status") << call.body;
  }
  host.kube.clear_calls();
  return writes;
}

Texts ServiceTest::take_events() {
  Texts reasons;
  const auto all = host.events.all();
  for (; events_taken_ < all.size(); ++events_taken_) {
    const testing::RecordedEvent& event = all[events_taken_];
    reasons.push_back((event.warning ? "Warning " : "Normal ") + event.reason);
  }
  return reasons;
}

std::string ServiceTest::last_event(const std::string& reason) const {
  const auto events = host.events.with_reason(reason);
  return events.empty() ? "no such event" : events.back().message;
}

Json ServiceTest::condition(const std::string& name, const std::string& type) const {
  const Json service = stored(name);
  if (service.is_null()) return {};
  for (const Json& condition : service["status"].value("conditions", Json::array())) {
    if (condition.value("type", "") == type) return condition;
  }
  return {};
}

std::string ServiceTest::address(const std::string& name) const {
  const Json service = stored(name);
  const Json::json_pointer place("/status/loadBalancer/ingress/0/ip");
  return service.contains(place) ? service.at(place).get<std::string>() : "";
}

double ServiceTest::recorded(const std::string& metric) const {
  double sum = 0;
  const auto found = host.metrics.find(metric);
  if (!found) return -1;
  for (const auto& [label, value] : found->records) sum += value;
  return sum;
}

std::size_t ServiceTest::records(const std::string& metric) const {
  const auto found = host.metrics.find(metric);
  return found ? found->records.size() : 0;
}

}  // namespace ccm::service
