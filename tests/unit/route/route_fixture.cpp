#include "route_fixture.hpp"

#include "route/controller.hpp"

#include <ccm/testing/plugin_of.hpp>

#include <algorithm>

namespace ccm::route {

RouteTest::RouteTest() {
  host.config.set_flag("configure-cloud-routes", "true", false);
  host.config.set_flag("cluster-cidr", "10.244.0.0/16,fd00:10::/48");
  host.config.set_flag("cluster-name", "blue");
  host.config.set_flag("route-reconciliation-period", "10s", false);
}

RouteTest::~RouteTest() {
  for (const std::string& fault : host.faults()) ADD_FAILURE() << fault;
}

const ccm_plugin* RouteTest::plugin() {
  return testing::plugin_of<Controller, testing::Dispatch::loop>();
}

RouteTest::Json RouteTest::node(const std::string& name, const Texts& ranges) {
  Json object{{"metadata", {{"name", name}}},
              {"spec", {{"providerID", "fake://" + name}}},
              {"status",
               {{"addresses",
                 Json::array({{{"type", "InternalIP"}, {"address", "192.0.2." + name.substr(5)}}})},
                {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
  if (!ranges.empty()) object["spec"]["podCIDRs"] = ranges;
  return object;
}

void RouteTest::set_condition(const std::string& name, const std::string& status,
                              const std::string& reason) {
  Json object = Json::parse(host.kube.stored("v1/nodes", name));
  object["status"]["conditions"] =
      Json::array({{{"type", "NetworkUnavailable"}, {"status", status}, {"reason", reason}}});
  put(object);
}

Route RouteTest::listed(const std::string& range, const std::string& node, bool owned) {
  Route route;
  route.id = "r-" + range + "-" + node;
  route.destination_cidr = range;
  route.target_node = node;
  route.owned = owned;
  return route;
}

Status RouteTest::setup() {
  controller.reset();
  controller = std::make_unique<testing::FakeController>(host, plugin(), "test");
  return controller->setup();
}

void RouteTest::start() {
  const Status status = setup();
  ASSERT_TRUE(status.ok()) << status.message();
  controller->run();
}

RouteTest::Texts RouteTest::table() const {
  Texts texts;
  for (const Route& route : host.routes.table_of_cloud) {
    texts.push_back(route.destination_cidr + ">" + route.target_node);
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

RouteTest::Json RouteTest::whole_condition(const std::string& name) const {
  const Json object = Json::parse(host.kube.stored("v1/nodes", name));
  for (const Json& entry : object["status"].value("conditions", Json::array())) {
    if (entry["type"] == "NetworkUnavailable") return entry;
  }
  return {};
}

std::string RouteTest::condition(const std::string& name) const {
  const Json entry = whole_condition(name);
  if (entry.is_null()) return {};
  return entry["status"].get<std::string>() + " " + entry["reason"].get<std::string>();
}

RouteTest::Texts RouteTest::events() const {
  Texts texts;
  for (const testing::RecordedEvent& event : host.events.all()) {
    texts.push_back((event.warning ? "Warning " : "Normal ") + event.reason + " " + event.object);
  }
  return texts;
}

std::string RouteTest::message_of(const std::string& reason) const {
  const auto events = host.events.with_reason(reason);
  return events.empty() ? "no such event" : events.back().message;
}

double RouteTest::sum(const std::string& metric, const std::string& labels) const {
  const auto found = host.metrics.find(metric);
  if (!found) return -1;
  double total = 0;
  for (const auto& [label, value] : found->records) {
    if (label == labels) total += value;
  }
  return total;
}

}  // namespace ccm::route
