#include "openstack/compute/server.hpp"

#include "openstack/answer.hpp"
#include "openstack/compute/addresses.hpp"
#include "openstack/compute/label_value.hpp"
#include "openstack/compute/provider_id.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace ccm::openstack {
namespace {

TEST(ProviderIdTest, OS_145_Forms) {
  const auto regional = parse_provider_id("openstack://us-east-1/i");
  ASSERT_TRUE(regional.ok());
  EXPECT_EQ(regional->region, "us-east-1");
  EXPECT_EQ(regional->server, "i");
  for (const char* text : {"openstack:///i", "/i"}) {
    EXPECT_EQ(parse_provider_id(text)->region, "") << text;
    EXPECT_EQ(parse_provider_id(text)->server, "i") << text;
  }
  EXPECT_EQ(parse_provider_id("us-east-1/i")->region, "us-east-1");
  EXPECT_EQ(parse_provider_id("openstack://us-east-1-i").status().code(), Code::invalid_argument);
  EXPECT_EQ(parse_provider_id("openstack:///").status().code(), Code::invalid_argument);
  EXPECT_EQ(parse_provider_id("openstack:///a/b").status().code(), Code::invalid_argument);
  EXPECT_EQ(parse_provider_id("rke2://name").status().code(), Code::implemented_elsewhere);
  EXPECT_EQ(provider_id("", "i"), "openstack:///i");
  EXPECT_EQ(provider_id("r", "i"), "openstack://r/i");
}

TEST(LabelValueTest, OS_154_158_159_AnyTextBecomesALabel) {
  EXPECT_EQ(label_value("nova east"), "nova-east");
  EXPECT_EQ(label_value("nova"), "nova");
  EXPECT_EQ(label_value("  (big)  4:16 "), "big-4-16");
  EXPECT_EQ(label_value("a_b.c-d"), "a_b.c-d");
  EXPECT_EQ(label_value("---"), "");
  EXPECT_EQ(label_value(std::string(62, 'x') + "-y"), std::string(62, 'x'));
}

const std::map<std::string, InstanceState> kCounted = {
    {"running", InstanceState::running},       {"shut down", InstanceState::shutdown},
    {"terminated", InstanceState::terminated}, {"starting", InstanceState::starting},
    {"unknown", InstanceState::unknown},
};

// CAPO#2618: a softly deleted server counted as running. Nova's 20 states, as the guide has them.
TEST(ServerStateTest, OS_152_CAPO_2618_EachStateIsWhatTheGuideSays) {
  std::ifstream guide(CCM_OPENSTACK_GUIDE);
  ASSERT_TRUE(guide);
  const std::regex row(R"(\| (`[A-Z_]+`.*) \| ([a-z ]+) \| .* \|)");
  const std::regex name("`([A-Z_]+)`");
  std::set<std::string> seen;
  for (std::string line; std::getline(guide, line);) {
    std::smatch cells;
    if (!std::regex_match(line, cells, row) || !kCounted.contains(cells[2])) continue;
    const std::string names = cells[1];
    for (std::sregex_iterator one(names.begin(), names.end(), name), end; one != end; ++one) {
      const std::string status = (*one)[1];
      EXPECT_EQ(state_of(status), kCounted.at(cells[2])) << status;
      EXPECT_TRUE(seen.insert(status).second) << status << " stands there twice";
    }
  }
  EXPECT_EQ(seen.size(), 20u);
  EXPECT_EQ(state_of("SOFT_DELETED"), InstanceState::shutdown);
  EXPECT_EQ(state_of("SUSPENDED"), InstanceState::running);
  EXPECT_EQ(state_of("SOMETHING_NEW"), InstanceState::running);
  EXPECT_EQ(state_of(""), InstanceState::unknown);
}

class AddressTest : public ::testing::Test {
 protected:
  AddressTest() {
    server.id = "s";
    ports.add({"a", "s", "n1", true, {"10.0.0.32"}, {}});
    ports.add({"b", "s", "n1", true, {"10.0.0.31"}, {}});
    ports.add({"c", "s", "n1", false, {"10.0.0.99"}, {}});
    ports.add({"d", "another", "n1", true, {"10.0.0.50"}, {}});
  }
  std::string text() const {
    std::string all;
    for (const NodeAddress& address : node_addresses(server, ports, settings)) {
      all += (all.empty() ? "" : " ") + address.type.substr(0, 1) + ":" + address.address;
    }
    return all;
  }

  Server server;
  ServerPorts ports;
  NetworkingSettings settings;
};

TEST_F(AddressTest, OS_164_165_166_167_169_173_TheGoManagersOrder) {
  settings.public_network_name = {"public"};
  server.access_ipv4 = "50.56.176.99";
  server.access_ipv6 = "2001:4800:790e:510:be76:4eff:fe04:82a8";
  server.hostname = "a1-yinvcez57-0-bvynoyawrhcg-kube-minion-fg5i4jwcc2yy";
  server.addresses = {{"private", "10.0.0.32", false, false},
                      {"private", "50.56.176.36", false, true},
                      {"private", "10.0.0.31", false, false},
                      {"public", "50.56.176.35", false, false},
                      {"public", "2001:4800:780e:510:be76:4eff:fe04:84a8", true, false}};
  EXPECT_EQ(text(),
            "I:10.0.0.32 I:10.0.0.31 E:50.56.176.99 E:2001:4800:790e:510:be76:4eff:fe04:82a8 "
            "H:a1-yinvcez57-0-bvynoyawrhcg-kube-minion-fg5i4jwcc2yy E:50.56.176.36 "
            "E:50.56.176.35 E:2001:4800:780e:510:be76:4eff:fe04:84a8");
}

TEST_F(AddressTest, OS_107_WithoutIPv6) {
  settings.ipv6_support_disabled = true;
  server.access_ipv6 = "2001:db8::1";
  server.addresses = {{"private", "fd00::1", true, false}};
  EXPECT_EQ(text(), "I:10.0.0.32 I:10.0.0.31");
}

TEST_F(AddressTest, OS_109_170_171_OtherNetworksAreLeftOutAndTheirAddressesWithThem) {
  settings.internal_network_name = {"nodes"};
  server.access_ipv4 = "192.0.2.7";
  server.addresses = {{"nodes", "10.0.0.31", false, false},
                      {"storage", "10.0.0.32", false, false},
                      {"storage", "192.0.2.7", false, false}};
  EXPECT_EQ(text(), "I:10.0.0.31");
}

TEST_F(AddressTest, OS_110_172_TheSortOrderComesFirst) {
  settings.address_sort_order = "10.0.1.0/24, 10.0.0.0/28 wrong 10.0.0.16/28";
  ports.add({"e", "s", "n1", true, {"10.0.1.9", "10.0.1.8", "172.16.0.1", "10.0.0.20"}, {}});
  server.hostname = "h";
  EXPECT_EQ(text(), "I:10.0.1.8 I:10.0.1.9 I:10.0.0.20 I:10.0.0.31 I:10.0.0.32 I:172.16.0.1 H:h");
}

TEST_F(AddressTest, OS_108_168_AddressesOfSubports) {
  ports.add({"a", "s", "n1", true, {"10.0.0.32"}, {"sub", "unseen"}});
  ports.add({"sub", "", "n2", true, {"10.9.0.4"}, {}});
  ports.set_network_names({{"n2", "vlan"}});
  EXPECT_EQ(text(), "I:10.0.0.32 I:10.0.0.31 I:10.9.0.4");
  settings.public_network_name = {"vlan"};
  EXPECT_EQ(text(), "I:10.0.0.32 I:10.0.0.31 E:10.9.0.4");
}

TEST(ServerJsonTest, OS_355_356_TheFieldsOfAPage) {
  const auto page = parse_servers(R"({"servers": [{"id": "s", "name": "n", "status": "ACTIVE",
      "accessIPv4": "", "accessIPv6": null, "metadata": {"hostname": "h"}, "image": {"id": "i"},
      "OS-EXT-AZ:availability_zone": "az 1", "flavor": {"original_name": "m1"},
      "addresses": {"links": [{"addr": "10.0.0.4", "OS-EXT-IPS:type": "fixed"}],
                    "a": [{"addr": "192.0.2.1", "OS-EXT-IPS:type": "floating"}]}}],
      "servers_links": [{"rel": "next", "href": "http://elsewhere"}]})");
  ASSERT_TRUE(page.ok()) << page.status().message();
  EXPECT_TRUE(page->more);
  const Server& server = page->servers.at(0);
  EXPECT_EQ(server.hostname, "h");
  EXPECT_EQ(server.flavor_name, "m1");
  ASSERT_EQ(server.addresses.size(), 2U);
  EXPECT_TRUE(server.addresses[0].floating);
  EXPECT_EQ(server.addresses[1].network, "links");
  for (const char* wrong : {"", "[]", "{}", R"({"servers": 1})", R"({"servers": [{}]})",
                            R"({"servers": [{"id": 7}]})"}) {
    EXPECT_EQ(parse_servers(wrong).status().code(), Code::data_loss) << wrong;
  }
  EXPECT_EQ(parse_ports(R"({"ports": {}})").status().code(), Code::data_loss);
}

Status status_of_answer(uint32_t code, const std::string& body) {
  return status_of("Op", HttpResponse{code, {{"retry-after", "7"}}, body});
}

TEST(AnswerTest, OS_88_358_360_372_EachServiceHasItsOwnFormOfAnError) {
  const char* bodies[] = {
      R"({"error": {"code": 403, "title": "T", "message": "the text"}})",
      R"({"forbidden": {"code": 403, "message": "the text"}})",
      R"({"NeutronError": {"type": "PolicyNotAuthorized", "message": "the text", "detail": ""}})",
      R"({"faultcode": "Client", "faultstring": "the text", "debuginfo": null})",
      R"({"code": 403, "title": "Forbidden", "description": "the text"})",
      "the text"};
  for (const char* body : bodies) {
    const Status status = status_of_answer(403, body);
    EXPECT_EQ(status.message(), "Op: OpenStack answered 403 the text") << body;
    EXPECT_EQ(status.code(), Code::permission_denied);
  }
}

TEST(AnswerTest, OS_383_384_WhatToDoAboutIt) {
  const auto conflict = [](const std::string& text) {
    return status_of_answer(409, R"({"faultstring": ")" + text + R"("})").error_class();
  };
  EXPECT_EQ(conflict("Load Balancer x is immutable and cannot be updated."), ErrorClass::waiting);
  EXPECT_EQ(conflict("Invalid state PENDING_DELETE of loadbalancer resource x"),
            ErrorClass::waiting);
  EXPECT_EQ(conflict("already using protocol TCP"), ErrorClass::conflict);
  EXPECT_EQ(conflict("Quota exceeded for resources: ['floatingip']."), ErrorClass::quota);
  EXPECT_EQ(status_of_answer(403, R"({"faultstring": "Quota has been met"})").error_class(),
            ErrorClass::quota);
  EXPECT_EQ(status_of_answer(429, "").error_class(), ErrorClass::throttled);
  EXPECT_EQ(status_of_answer(413, "").retry_after(), std::chrono::seconds(7));
  EXPECT_EQ(status_of_answer(503, "<html>").error_class(), ErrorClass::unavailable);
  EXPECT_EQ(status_of_answer(400, "{}").error_class(), ErrorClass::invalid_spec);
  EXPECT_TRUE(status_of_answer(204, "").ok());
  EXPECT_FALSE(says_not_found(HttpResponse{404, {}, "<html>"}));
  EXPECT_TRUE(says_not_found(HttpResponse{404, {}, R"({"itemNotFound": {}})"}));
}

}  // namespace
}  // namespace ccm::openstack
