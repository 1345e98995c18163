#include "static/configuration.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::static_provider {
namespace {

std::string fault_of(const std::string& text) {
  const auto read = parse_configuration(text);
  return read.ok() ? "(none)" : read.status().message();
}

std::string node_with(const std::string& members) {
  return "nodes: [{name: a, addresses: [{type: InternalIP, address: 192.0.2.1}], " + members + "}]";
}

TEST(StaticConfigurationTest, AWholeFile) {
  const auto read = parse_configuration(R"(
nodes:
  - name: worker-1
    providerID: static://rack-7
    instanceType: r640
    zone: row-2
    region: cellar
    addresses:
      - {type: InternalIP, address: "2001:DB8::1"}
      - {type: Hostname, address: worker-1.example.com}
    labels: {rack.example.com/serial: A7}
  - {name: worker-2, shutdown: true, addresses: [{type: ExternalIP, address: 192.0.2.2}]}
addressPools:
  - {name: default, addresses: [198.51.100.0/28, "2001:db8:1::/120"]}
  - {name: reserved, addresses: [198.51.100.64-198.51.100.70], autoAssign: false}
)");
  ASSERT_TRUE(read.ok()) << read.status().message();
  Instance first;
  first.state = InstanceState::running;
  first.provider_id = "static://rack-7";
  first.name = "worker-1";
  first.instance_type = "r640";
  first.zone = "row-2";
  first.region = "cellar";
  first.addresses = {{"InternalIP", "2001:db8::1"}, {"Hostname", "worker-1.example.com"}};
  first.labels = {{"rack.example.com/serial", "A7"}};
  ASSERT_EQ(read->nodes->size(), 2U);
  EXPECT_EQ(read->nodes->at(0), first);
  EXPECT_EQ(read->nodes->at(1).provider_id, "static://worker-2");
  EXPECT_EQ(read->nodes->at(1).state, InstanceState::shutdown);
  ASSERT_EQ(read->address_pools->size(), 2U);
  EXPECT_TRUE(read->address_pools->at(0).has_family(true));
  EXPECT_TRUE(read->address_pools->at(0).auto_assign);
  EXPECT_FALSE(read->address_pools->at(1).auto_assign);
}

TEST(StaticConfigurationTest, JsonIsTakenToo) {
  const auto read = parse_configuration(
      R"({"nodes": [{"name": "a", "addresses": [{"type": "InternalIP", "address": "192.0.2.1"}]}]})");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->nodes->at(0).name, "a");
  EXPECT_FALSE(read->address_pools);
}

TEST(StaticConfigurationTest, AFaultNamesItsPlaceAndWhatIsWanted) {
  EXPECT_EQ(fault_of(""), "a map is wanted, with nodes, addressPools");
  EXPECT_EQ(fault_of("{}"), "neither nodes nor addressPools are given");
  EXPECT_EQ(fault_of("nodes:\n"), "nodes: a list is wanted; [] when there is no machine");
  EXPECT_EQ(fault_of("addressPools: []"),
            "addressPools: empty; leave it out to leave load balancers alone");
  EXPECT_EQ(fault_of("nodes: {}"), "nodes: a list is wanted");
  EXPECT_EQ(fault_of("pools: []"), "pools: unknown; known are nodes, addressPools");
  EXPECT_EQ(fault_of("nodes: [a]"),
            "nodes[0]: a map is wanted, with name, providerID, instanceType, zone, region, "
            "shutdown, addresses, labels");
  EXPECT_EQ(fault_of("nodes: [{zone: a}]"), "nodes[0].name: missing");
  EXPECT_EQ(fault_of("nodes: [{name: no}]"), "nodes[0].name: a text is wanted; write it in quotes");
  EXPECT_EQ(fault_of("nodes: [{name: a}]"),
            "nodes[0].addresses: missing; a Node waits for its addresses");
  EXPECT_EQ(fault_of("nodes: [{name: a, addresses: [{type: InternalIP, address: here}]}]"),
            "nodes[0].addresses[0].address: here is no IP address");
  EXPECT_EQ(fault_of("nodes: [{name: a, addresses: [{type: IP, address: 192.0.2.1}]}]"),
            "nodes[0].addresses[0].type: IP is none of InternalIP, ExternalIP, Hostname, "
            "InternalDNS, ExternalDNS");
  EXPECT_EQ(fault_of(node_with("providerID: aws://a")),
            "nodes[0].providerID: aws://a does not begin with static:// and go on");
  EXPECT_EQ(fault_of(node_with("shutdown: soon")), "nodes[0].shutdown: true or false is wanted");
  EXPECT_EQ(fault_of("addressPools: [{name: a}]"), "addressPools[0].addresses: missing");
  EXPECT_EQ(fault_of("addressPools: [{name: a, addresses: [192.0.2.0/28, 7]}]"),
            "addressPools[0].addresses[1]: 192.0.2.0/28, 192.0.2.10-192.0.2.20 or one address is "
            "wanted");
  EXPECT_EQ(fault_of("nodes: [\n"), "line 2: did not find expected node content");
}

// The API server refuses the whole patch of a Node then, and it stays uninitialised.
TEST(StaticConfigurationTest, TextsThatCannotBeLabelsAreRefused) {
  EXPECT_EQ(fault_of(node_with("instanceType: Dell R640")),
            "nodes[0].instanceType: Dell R640 cannot be the value of a label");
  EXPECT_EQ(fault_of(node_with("zone: " + std::string(64, 'z'))),
            "nodes[0].zone: " + std::string(64, 'z') + " cannot be the value of a label");
  EXPECT_EQ(fault_of(node_with("region: -a")),
            "nodes[0].region: -a cannot be the value of a label");
  EXPECT_EQ(fault_of(node_with("labels: {a b: c}")),
            "nodes[0].labels: a b cannot be the key of a label");
  EXPECT_EQ(fault_of(node_with("labels: {Example.com/a: c}")),
            "nodes[0].labels: Example.com/a cannot be the key of a label");
  EXPECT_EQ(fault_of(node_with("labels: {a: true}")),
            "nodes[0].labels: the value of a cannot be the value of a label");
  EXPECT_EQ(fault_of(node_with("labels: {a: ''}")), "(none)");
}

TEST(StaticConfigurationTest, AnEmptyListIsACloudWithoutMachines) {
  const auto read = parse_configuration("nodes: []");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_TRUE(read->nodes->empty());
}

TEST(StaticConfigurationTest, NothingIsGivenTwice) {
  const std::string node = "{name: a, addresses: [{type: InternalIP, address: 192.0.2.1}]}";
  EXPECT_EQ(fault_of("nodes: [" + node + ", " + node + "]"), "nodes[1].name: a is given twice");
  EXPECT_EQ(fault_of("nodes: [" + node +
                     ", {name: b, providerID: static://a, addresses: [{type: InternalIP, address: "
                     "192.0.2.2}]}]"),
            "nodes[1].providerID: static://a is given twice");
  EXPECT_EQ(fault_of("addressPools: [{name: a, addresses: [192.0.2.0/28]}, "
                     "{name: a, addresses: [192.0.2.16/28]}]"),
            "addressPools[1].name: a is given twice");
  EXPECT_EQ(fault_of("addressPools: [{name: a, addresses: [192.0.2.0/28]}, "
                     "{name: b, addresses: [192.0.2.16/28, 192.0.2.15-192.0.2.16]}]"),
            "addressPools[1].addresses[1]: overlaps addressPools[0].addresses[0]");
}

}  // namespace
}  // namespace ccm::static_provider
