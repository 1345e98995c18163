#include "sandbox/machine.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sandbox {
namespace {

using ccm::Instance;
using ccm::InstanceState;

TEST(Machine, EveryField) {
  const auto machine = parse_machine(R"({"id":"m-1","name":"node-1","status":"running",
    "type":"small","region":"eu","zone":"eu-1","generation":3,
    "addresses":[{"type":"InternalIP","address":"10.0.0.1"},{"type":"Hostname","address":"node-1"}],
    "labels":{"rack":"7"}})");
  ASSERT_TRUE(machine.ok());
  Instance expected;
  expected.state = InstanceState::running;
  expected.provider_id = "sandbox://m-1";
  expected.name = "node-1";
  expected.instance_type = "small";
  expected.region = "eu";
  expected.zone = "eu-1";
  expected.addresses = {{"InternalIP", "10.0.0.1"}, {"Hostname", "node-1"}};
  expected.labels = {{"rack", "7"}};
  EXPECT_EQ(*machine, expected);
}

TEST(Machine, States) {
  const std::vector<std::pair<std::string, InstanceState>> cases{
      {"running", InstanceState::running},
      {"starting", InstanceState::starting},
      {"stopped", InstanceState::shutdown},
      {"terminated", InstanceState::terminated},
      {"being-abducted", InstanceState::unknown}};
  for (const auto& [status, state] : cases) {
    EXPECT_EQ(parse_machine(R"({"id":"m","status":")" + status + R"("})")->state, state) << status;
  }
  EXPECT_EQ(parse_machine(R"({"id":"m"})")->state, InstanceState::unknown);
}

TEST(Machine, GarbageIsRefused) {
  for (const char* text :
       {"", "<html>", "[]", "null", "{}", R"({"id":""})", R"({"id":7})", R"({"id":"m","status":1})",
        R"({"id":"m","addresses":{}})", R"({"id":"m","addresses":[1]})",
        R"({"id":"m","addresses":[{"type":1}]})", R"({"id":"m","labels":[]})",
        R"({"id":"m","labels":{"a":1}})", "\xff\xfe"}) {
    const auto machine = parse_machine(text);
    EXPECT_EQ(machine.status().code(), ccm::Code::data_loss) << text;
    EXPECT_EQ(machine.status().error_class(), ccm::ErrorClass::unavailable) << text;
    EXPECT_EQ(machine.status().reason(), "BadAnswer") << text;
  }
}

TEST(Machine, Pages) {
  const auto page = parse_page(
      R"({"machines":[{"id":"a"},{"id":"b"}],"meta":{"total":5,"page":1,"next_page":2}})");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->machines.size(), 2U);
  EXPECT_EQ(page->total, 5);
  EXPECT_EQ(page->next_page, 2);
  EXPECT_FALSE(
      parse_page(R"({"machines":[],"meta":{"total":0,"next_page":null}})")->next_page.has_value());
  for (const char* text :
       {"{}", R"({"machines":[]})", R"({"machines":{},"meta":{"total":0}})",
        R"({"machines":[],"meta":{"total":"0"}})", R"({"machines":[],"meta":[]})",
        R"({"machines":[],"meta":{"total":0,"next_page":"2"}})",
        R"({"machines":[5],"meta":{"total":1}})"}) {
    EXPECT_EQ(parse_page(text).status().code(), ccm::Code::data_loss) << text;
  }
}

// Endless nesting must cost no stack: it would crash the host.
TEST(Machine, AnAbsurdlyNestedAnswerIsRefused) {
  std::string deep(100'000, '[');
  deep.append(100'000, ']');
  for (const char* member : {R"("total")", R"("next_page")"}) {
    const std::string text = std::string(R"({"machines":[],"meta":{)") + member + ":" + deep + "}}";
    EXPECT_FALSE(parse_page(text).ok()) << member;
  }
}

TEST(Machine, CLOUD_14_ProviderIds) {
  EXPECT_EQ(machine_id("sandbox://m-1"), "m-1");
  for (const char* other : {"", "sandbox://", "digitalocean://1", "m-1", "sandbox:/m"}) {
    EXPECT_FALSE(machine_id(other).has_value()) << other;
  }
}

}  // namespace
}  // namespace sandbox
