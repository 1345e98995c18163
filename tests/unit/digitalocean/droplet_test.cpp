#include "digitalocean/droplet.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::digitalocean {
namespace {

std::string networks(const std::string& v4, const std::string& v6 = "") {
  return R"("networks": {"v4": [)" + v4 + R"(], "v6": [)" + v6 + "]}";
}
const std::string kPrivate = R"({"ip_address": "10.0.0.2", "type": "private", "gateway": null})";
const std::string kPublic = R"({"ip_address": "203.0.113.2", "type": "public"})";
const std::string kPublic6 = R"({"ip_address": "2001:db8::2", "type": "public"})";

std::string droplet_with(const std::string& members) {
  return R"({"droplet": {"id": 7, "name": "worker-1", "status": "active",
    "size_slug": "s-2vcpu-4gb", "region": {"slug": "nyc3", "sizes": ["a", "b"]},
    "image": {"id": 99, "name": "debian", "status": "available"}, )" +
         members + "}}";
}

TEST(DropletTest, DO_64_ProviderIds) {
  EXPECT_EQ(*droplet_id("digitalocean://42"), 42);
  EXPECT_EQ(droplet_id("").status().message(), "provider ID cannot be empty");
  EXPECT_EQ(droplet_id("aws:///i-1").status().message(),
            "provider ID \"aws:///i-1\" is missing prefix \"digitalocean://\"");
  EXPECT_EQ(droplet_id("aws:///i-1").status().code(), Code::implemented_elsewhere);
  EXPECT_EQ(droplet_id("digitalocean://").status().message(), "provider ID number cannot be empty");
  for (const char* id : {"digitalocean://1/2", "digitalocean://x", "digitalocean://1 ",
                         "digitalocean://99999999999999999999"}) {
    EXPECT_EQ(droplet_id(id).status().code(), Code::invalid_argument) << id;
    EXPECT_EQ(droplet_id(id).status().message().find("failed to convert provider ID number"), 0U);
  }
}

TEST(DropletTest, DO_51_NumbersBelowOneNeverReachTheWire) {
  EXPECT_EQ(droplet_id("digitalocean://0").status().message(),
            "dropletID is invalid because cannot be less than 1");
  EXPECT_FALSE(droplet_id("digitalocean://-1").ok());
}

TEST(DropletTest, DO_75_AddressesInTheirOrder) {
  const auto instance = parse_droplet(droplet_with(networks(kPublic + "," + kPrivate, kPublic6)));
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  const std::vector<NodeAddress> expected = {{"Hostname", "worker-1"},
                                             {"InternalIP", "10.0.0.2"},
                                             {"ExternalIP", "203.0.113.2"},
                                             {"ExternalIP", "2001:db8::2"}};
  EXPECT_EQ(instance->addresses, expected);
}

TEST(DropletTest, DO_78_OnlyTheFirstAddressOfAKind) {
  const std::string second = R"({"ip_address": "10.0.0.3", "type": "private"})";
  const auto instance = parse_droplet(droplet_with(networks(kPrivate + "," + second)));
  ASSERT_EQ(instance->addresses.size(), 2U);
  EXPECT_EQ(instance->addresses[1].address, "10.0.0.2");
}

TEST(DropletTest, DO_77_APrivateDropletHasTwoAddresses) {
  EXPECT_EQ(parse_droplet(droplet_with(networks(kPrivate)))->addresses.size(), 2U);
}

TEST(DropletTest, DO_76_WithoutAPrivateAddressItHasNone) {
  for (const std::string& members : {networks(kPublic), std::string(R"("tags": [])")}) {
    const auto instance = parse_droplet(droplet_with(members));
    ASSERT_TRUE(instance.ok());
    EXPECT_TRUE(instance->addresses.empty());
    EXPECT_EQ(instance->state, InstanceState::running);
  }
}

TEST(DropletTest, DO_79_Metadata) {
  const auto instance = parse_droplet(droplet_with(networks(kPrivate)));
  EXPECT_EQ(instance->provider_id, "digitalocean://7");
  EXPECT_EQ(instance->name, "worker-1");
  EXPECT_EQ(instance->instance_type, "s-2vcpu-4gb");
  EXPECT_EQ(instance->region, "nyc3");
  EXPECT_EQ(instance->zone, "");
  EXPECT_TRUE(instance->labels.empty());
}

TEST(DropletTest, DO_80_ADropletWithoutRegionIsReadAllTheSame) {
  const auto instance =
      parse_droplet(R"({"droplet": {"id": 7, "name": "n", "status": "active", "region": null}})");
  ASSERT_TRUE(instance.ok());
  EXPECT_EQ(instance->region, "");
}

TEST(DropletTest, DO_68_States) {
  const std::pair<const char*, InstanceState> table[] = {
      {"new", InstanceState::starting},     {"active", InstanceState::running},
      {"off", InstanceState::shutdown},     {"archive", InstanceState::shutdown},
      {"resizing", InstanceState::unknown}, {"", InstanceState::unknown}};
  for (const auto& [status, state] : table) {
    const auto instance = parse_droplet(R"({"droplet": {"id": 7, "status": ")" +
                                        std::string(status) + R"(", "locked": true}})");
    ASSERT_TRUE(instance.ok());
    EXPECT_EQ(instance->state, state) << status;
  }
}

TEST(DropletTest, DO_326_APageSaysHowManyThereAre) {
  const auto page = parse_droplets(R"({"droplets": [{"id": 1}, {"id": 2}], "meta": {"total": 5}})");
  ASSERT_TRUE(page.ok()) << page.status().message();
  EXPECT_EQ(page->droplets.size(), 2U);
  EXPECT_EQ(page->total, 5);
}

TEST(DropletTest, WhatCannotBeUsedIsRefused) {
  for (const char* text : {"", "<html>", "[]", R"({"droplets": {}})", R"({"droplets": []})",
                           R"({"droplets": [], "meta": {"total": "many"}})",
                           R"({"droplets": [{"name": "x"}], "meta": {"total": 1}})",
                           R"({"droplets": [{"id": 0}], "meta": {"total": 1}})",
                           R"({"droplets": [{"id": 1, "name": 5}], "meta": {"total": 1}})",
                           R"({"droplets": [7], "meta": {"total": 1}})"}) {
    EXPECT_EQ(parse_droplets(text).status().code(), Code::data_loss) << text;
    EXPECT_EQ(parse_droplet(text).status().code(), Code::data_loss) << text;
  }
}

}  // namespace
}  // namespace ccm::digitalocean
