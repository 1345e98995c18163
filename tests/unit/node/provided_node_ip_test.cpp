#include "node/provided_node_ip.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm::node {
namespace {

using Addresses = std::vector<NodeAddress>;

TEST(IpAddress, ComparesNumbers) {
  EXPECT_EQ(parse_ip("010.0.0.001"), parse_ip("10.0.0.1"));  // NODE-34: decimal, zeros tolerated
  EXPECT_EQ(parse_ip("FD00::0:1"), parse_ip("fd00::1"));
  EXPECT_EQ(parse_ip("::ffff:10.0.0.1"), parse_ip("10.0.0.1"));
  EXPECT_NE(parse_ip("10.0.0.1"), parse_ip("10.0.0.2"));
  EXPECT_TRUE(parse_ip("0.0.0.0")->unspecified());
  EXPECT_TRUE(parse_ip("::")->unspecified());
  EXPECT_FALSE(parse_ip("::1")->unspecified());
  for (const char* wrong : {"", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.", "1..2.3", "a.b.c.d",
                            "1.2.3.-4", " 1.2.3.4", "fe80::1%eth0", ":", "1:2", "12345::"}) {
    EXPECT_FALSE(parse_ip(wrong).has_value()) << wrong;
  }
}

TEST(ProvidedNodeIp, NODE_34_Syntax) {
  for (const char* good : {"10.0.0.1", "fd00::1", "10.0.0.1,fd00::1", "fd00::1,10.0.0.1"}) {
    EXPECT_TRUE(parse_provided_node_ip(good).ok()) << good;
  }
  for (const char* bad :
       {"", ",", "10.0.0.1,", "10.0.0.1, fd00::1", "10.0.0.1,10.0.0.2", "fd00::1,fd00::2",
        "10.0.0.1,fd00::1,10.0.0.2", "node-1", "0.0.0.0,fd00::1", "10.0.0.1,::"}) {
    const auto parsed = parse_provided_node_ip(bad);
    EXPECT_FALSE(parsed.ok()) << bad;
    EXPECT_NE(parsed.status().message().find("provided-node-ip"), std::string::npos) << bad;
  }
}

struct PinCase {
  const char* id;
  Addresses cloud;
  std::string annotation;
  Addresses pinned;  // empty = refused
};

TEST(ProvidedNodeIp, NODE_35_36_37_38_39_Table) {
  const NodeAddress internal1{"InternalIP", "10.0.0.1"};
  const NodeAddress internal2{"InternalIP", "10.0.0.2"};
  const NodeAddress internal6{"InternalIP", "fd00::1"};
  const NodeAddress external{"ExternalIP", "192.0.2.1"};
  const NodeAddress external_same{"ExternalIP", "10.0.0.2"};
  const NodeAddress host{"Hostname", "n1"};
  const std::vector<PinCase> cases{
      {"NODE-35 the match first",
       {host, external, internal1},
       "10.0.0.1",
       {internal1, host, external}},
      {"NODE-36 others of its type go",
       {internal1, internal2, host},
       "10.0.0.2",
       {internal2, host}},
      {"NODE-37 the rest in order",
       {external, host, internal1},
       "10.0.0.1",
       {internal1, external, host}},
      {"NODE-38 not among them", {internal1, host}, "10.0.0.9", {}},
      {"NODE-38 one of a pair missing", {internal1, host}, "10.0.0.1,fd00::1", {}},
      {"NODE-39 the pair's order",
       {internal1, internal6},
       "fd00::1,10.0.0.1",
       {internal6, internal1}},
      {"NODE-39 both types pinned",
       {internal1, internal2, external, external_same},
       "10.0.0.2",
       {internal2, external_same}},
      {"a name equal to no address", {host, internal1}, "010.0.0.1", {internal1, host}},
  };
  for (const PinCase& each : cases) {
    const auto pinned = pin_addresses(each.cloud, each.annotation);
    EXPECT_EQ(pinned.ok(), !each.pinned.empty()) << each.id;
    if (pinned.ok()) {
      EXPECT_EQ(*pinned, each.pinned) << each.id;
    }
  }
}

}  // namespace
}  // namespace ccm::node
