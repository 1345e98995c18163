#include "ipam_fixture.hpp"

#include "ipam/controller.hpp"

#include <ccm/testing/plugin_of.hpp>

namespace ccm::ipam {

IpamTest::IpamTest() {
  host.config.set_flag("allocate-node-cidrs", "true");
  host.config.set_flag("cidr-allocator-type", "RangeAllocator", false);
  pools("10.244.0.0/16");
  host.kube.validate_patches("v1/nodes", [](std::string_view before, std::string_view after) {
    const Json old_ranges = Json::parse(before)["spec"].value("podCIDRs", Json());
    const Json new_ranges = Json::parse(after)["spec"].value("podCIDRs", Json());
    return old_ranges.is_null() || old_ranges == new_ranges ? Status() : invalid();
  });
}

IpamTest::~IpamTest() {
  for (const std::string& fault : host.faults()) ADD_FAILURE() << fault;
}

const ccm_plugin* IpamTest::plugin() {
  return testing::plugin_of<Controller, testing::Dispatch::loop>();
}

IpamTest::Json IpamTest::node(const std::string& name, const Texts& cidrs) {
  Json object{{"metadata", {{"name", name}}}, {"spec", Json::object()}};
  if (!cidrs.empty()) object["spec"] = {{"podCIDR", cidrs[0]}, {"podCIDRs", cidrs}};
  return object;
}

void IpamTest::set_ranges(const std::string& name, const Texts& cidrs, const std::string& manager) {
  Json object = Json::parse(host.kube.stored("v1/nodes", name));
  object["spec"] = {{"podCIDR", cidrs[0]}, {"podCIDRs", cidrs}};
  if (!manager.empty()) {
    const Json fields{{"f:spec", {{"f:podCIDR", Json::object()}}}};
    object["metadata"]["managedFields"] =
        Json::array({{{"manager", "kubelet"}, {"fieldsV1", {{"f:status", Json::object()}}}},
                     {{"manager", manager}, {"fieldsV1", fields}}});
  }
  put(object);
}

IpamTest::Texts IpamTest::ranges(const std::string& name) const {
  const std::string text = host.kube.stored("v1/nodes", name);
  if (text.empty()) return {"no such node"};
  const Json spec = Json::parse(text)["spec"];
  if (!spec.contains("podCIDRs")) return {};
  EXPECT_EQ(spec["podCIDR"], spec["podCIDRs"][0]);
  return spec["podCIDRs"].get<Texts>();
}

std::string IpamTest::range(const std::string& name) const {
  const Texts all = ranges(name);
  return all.empty() ? "" : all[0];
}

void IpamTest::pools(const std::string& cluster_cidr, const std::string& mask) {
  host.config.set_flag("cluster-cidr", cluster_cidr);
  if (!mask.empty()) host.config.set_flag("node-cidr-mask-size", mask);
}

Status IpamTest::setup() {
  controller.reset();
  controller = std::make_unique<testing::FakeController>(host, plugin(), "test");
  return controller->setup();
}

void IpamTest::start() {
  const Status status = setup();
  ASSERT_TRUE(status.ok()) << status.message();
}

IpamTest::Texts IpamTest::take_calls() {
  Texts calls;
  for (const testing::KubeCall& call : host.kube.calls()) calls.push_back(call.verb);
  host.kube.clear_calls();
  return calls;
}

IpamTest::Texts IpamTest::event_reasons() const {
  Texts reasons;
  for (const testing::RecordedEvent& event : host.events.all()) {
    reasons.push_back((event.warning ? "Warning " : "Normal ") + event.reason);
  }
  return reasons;
}

double IpamTest::gauge(const std::string& name, const std::string& cluster_cidr) const {
  double value = -1;
  const auto metric = host.metrics.find(name);
  if (!metric) return value;
  for (const auto& [label, recorded] : metric->records) {
    if (label == cluster_cidr) value = recorded;
  }
  return value;
}

double IpamTest::sum(const std::string& name, const std::string& cluster_cidr) const {
  double total = 0;
  const auto metric = host.metrics.find(name);
  if (!metric) return -1;
  for (const auto& [label, recorded] : metric->records) {
    if (label == cluster_cidr) total += recorded;
  }
  return total;
}

}  // namespace ccm::ipam
