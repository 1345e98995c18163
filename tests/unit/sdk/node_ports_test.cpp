#include <ccm/node_ports.hpp>

#include <gtest/gtest.h>

namespace ccm {
namespace {

TEST(NodePortsTest, OS_396_occm_1996_EachPortWithoutOneIsNamed) {
  LoadBalancerService service;
  service.ports = {{"a", "TCP", "", 80, 0}, {"b", "TCP", "", 81, 30'081}, {"c", "UDP", "", 443, 0}};
  EXPECT_EQ(ports_without_node_port(service), "80/TCP, 443/UDP");
  const Status status = need_node_ports(service);
  EXPECT_EQ(status.error_class(), ErrorClass::invalid_spec);
  EXPECT_EQ(status.reason(), "NoNodePorts");
  EXPECT_NE(status.message().find("for 80/TCP, 443/UDP: set spec.allocateLoadBalancerNodePorts"),
            std::string::npos);
}

TEST(NodePortsTest, ChosenOnesAreEnough) {
  LoadBalancerService service;
  service.node_ports = false;
  service.ports = {{"a", "TCP", "", 80, 30'080}};
  EXPECT_TRUE(need_node_ports(service).ok());
}

}  // namespace
}  // namespace ccm
