// Ingress as the server stores it, and the conditions.
#include "service/conditions.hpp"

#include "service/ingress.hpp"

#include <gtest/gtest.h>

namespace ccm::service {
namespace {

TEST(IngressTest, TRAP_13_AnAddressWithoutAModeIsAVip) {
  Ingress answered;
  answered.ip = "192.0.2.1";
  Ingress in_status = answered;
  in_status.ip_mode = "VIP";
  EXPECT_TRUE(same_ingress({in_status}, {answered}));
  answered.ip_mode = "Proxy";
  EXPECT_FALSE(same_ingress({in_status}, {answered}));
}

TEST(IngressTest, SVC_42_45_WhatCountsAsADifference) {
  Ingress host_only;
  host_only.hostname = "lb.example.com";
  Ingress with_mode = host_only;
  with_mode.ip_mode = "VIP";  // forbidden without an address, so never written
  EXPECT_TRUE(same_ingress({host_only}, {with_mode}));
  EXPECT_TRUE(same_ingress({}, {}));
  EXPECT_FALSE(same_ingress({host_only}, {}));
  Ingress with_port = host_only;
  with_port.ports = {{"TCP", "", 80}};
  EXPECT_FALSE(same_ingress({host_only}, {with_port}));
  JsonWriter json;
  with_port.ports[0].error = "example.com/Refused";
  write_ingress(json, {with_port});
  EXPECT_EQ(json.str(), R"([{"hostname":"lb.example.com","ports":[{"port":80,"protocol":"TCP",)"
                        R"("error":"example.com/Refused"}]}])");
}

TEST(ConditionsTest, TheTransitionIsOfTheStatusAlone) {
  Condition stored = ready(false, "A", "a");
  stored.transition = "2020-01-01T00:00:00Z";
  const std::chrono::milliseconds now{1'700'000'000'000};
  EXPECT_EQ(timed(&stored, ready(false, "B", "b"), now).transition, "2020-01-01T00:00:00Z");
  EXPECT_EQ(timed(&stored, ready(true, "B", "b"), now).transition, "2023-11-14T22:13:20Z");
  EXPECT_EQ(timed(nullptr, ready(true, "B", "b"), now).transition, "2023-11-14T22:13:20Z");
}

TEST(ConditionsTest, WordsAloneAreASmallDifference) {
  const Condition stored = ready(false, "A", "a");
  EXPECT_EQ(difference(&stored, ready(false, "A", "a")), Difference::none);
  EXPECT_EQ(difference(&stored, ready(false, "A", "b")), Difference::message);
  EXPECT_EQ(difference(&stored, ready(false, "B", "a")), Difference::reason);
  EXPECT_EQ(difference(&stored, ready(true, "A", "a")), Difference::reason);
  EXPECT_EQ(difference(nullptr, ready(true, "A", "a")), Difference::reason);
}

TEST(ConditionsTest, Issue37_12_AMessageShowsAllThatItHolds) {
  EXPECT_EQ(ready(false, "A", "name \u202exyz\u200b").message, "name \ufffdxyz\ufffd");
}

TEST(ConditionsTest, AReasonIsAWord) {
  EXPECT_EQ(ready(false, "Quota_1", "").reason, "Quota_1");
  EXPECT_EQ(ready(false, "4xx: no quota!", "").reason, "xxnoquota");
  EXPECT_EQ(ready(false, "?", "").reason, "Unknown");
}

TEST(ConditionsTest, LongMessagesAreCutBetweenCharacters) {
  std::string text(1023, 'x');
  text += "\u00e9";
  EXPECT_EQ(ready(false, "A", text).message, std::string(1023, 'x'));
}

TEST(ConditionsTest, PortsThatTheCloudRefuses) {
  Ingress ingress;
  ingress.ip = "192.0.2.1";
  ingress.ports = {{"TCP", "", 80}, {"UDP", "MixedProtocolNotSupported", 53}};
  const auto condition = ports_error({ingress});
  ASSERT_TRUE(condition);
  EXPECT_EQ(condition->type, "LoadBalancerPortsError");
  EXPECT_EQ(condition->reason, "LoadBalancerMixedProtocolNotSupported");
  EXPECT_NE(condition->message.find("53/UDP: MixedProtocolNotSupported"), std::string::npos);
  ingress.ports[1].error = "example.com/PortInUse";
  EXPECT_EQ(ports_error({ingress})->reason, "PortInUse");
  ingress.ports[1].error.clear();
  EXPECT_FALSE(ports_error({ingress}));
}

}  // namespace
}  // namespace ccm::service
