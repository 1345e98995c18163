// Services whose load balancers would be the product of what their tenants wrote.
#include "openstack/load_balancers/features.hpp"
#include "openstack/load_balancers/options.hpp"
#include "openstack/load_balancers/wanted.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::openstack {
namespace {

class LargeServiceTest : public testing::Test {
 protected:
  // With that many ports, source ranges and Nodes.
  Status refusal(int ports, int ranges, int nodes) {
    LoadBalancerService service;
    service.name = "web";
    for (int i = 0; i < ports; ++i) {
      ServicePort& port = service.ports.emplace_back();
      port.protocol = "TCP";
      port.port = i + 1;
      port.node_port = 30'000 + i % 2'000;
    }
    for (int i = 0; i < ranges; ++i) {
      service.source_ranges.push_back("10." + std::to_string(i / 256) + "." +
                                      std::to_string(i % 256) + ".0/24");
    }
    std::vector<Backend> all(static_cast<std::size_t>(nodes));
    for (int i = 0; i < nodes; ++i) {
      Backend& backend = all[static_cast<std::size_t>(i)];
      backend.name = "node-" + std::to_string(i);
      backend.addresses = {
          {"InternalIP", "192.168." + std::to_string(i / 250) + "." + std::to_string(i % 250)}};
    }
    features_.allowed_cidrs = true;
    return wanted_load_balancer(service, Backends(std::move(all)),
                                {options_, settings_, features_, "IPv4", {{"IPv4"}, {}}, ""})
        .status();
  }

  ServiceOptions options_;
  LoadBalancerSettings settings_;
  Features features_;
};

TEST_F(LargeServiceTest, Issue37_APartOfALoadBalancerForEachPortRangeAndNodeHasALimit) {
  EXPECT_TRUE(refusal(1'000, 100, 100).ok());
  EXPECT_TRUE(refusal(10, 10'000, 10'000).ok());
  for (const Status& refused :
       {refusal(1'001, 0, 1), refusal(1'000, 101, 1), refusal(1'000, 0, 101)}) {
    EXPECT_EQ(refused.error_class(), ErrorClass::invalid_spec);
    EXPECT_EQ(refused.reason(), "TooManyPorts");
  }
  EXPECT_EQ(refusal(1'000, 101, 1).message(),
            "1000 ports with 101 source ranges each are more than 100000");
}

TEST_F(LargeServiceTest, Issue37_ANodeSelectorHasEachTermOnce) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "kubernetes.io/os,kubernetes.io/os=linux,";
  EXPECT_EQ(parse_node_selector(text).size(), 2U);
}

// An answer with more of them counts as malformed, and the Service would fail for ever.
TEST_F(LargeServiceTest, Issue37_R_96_AnAnswerNames64LabelsAtMost) {
  const auto watched = [](int terms) {
    std::string text;
    for (int i = 0; i < terms; ++i) {
      const std::string key = "l" + std::to_string(100 + i);
      text += key + "," + key + "=x,";
    }
    return watched_labels(parse_node_selector(text));
  };
  EXPECT_EQ(watched(64).size(), 64U);
  EXPECT_EQ(watched(65), watched(64));
  EXPECT_EQ(watched(10'000).size(), 64U);
  EXPECT_EQ(watched(64).back(), "l163");
}

TEST_F(LargeServiceTest, Issue37_R_96_AKeyThatNoLabelCanHaveIsNotNamed) {
  const std::string longest(317, 'k');
  const std::vector<std::string> keys = watched_labels(parse_node_selector(
      longest + "," + std::string(318, 'k') + ",=x," + std::string(200'000, 'z')));
  EXPECT_EQ(keys, std::vector<std::string>{longest});
}

}  // namespace
}  // namespace ccm::openstack
