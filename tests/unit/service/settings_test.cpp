// Flags.
#include "service/settings.hpp"

#include "service/texts.hpp"
#include "service_fixture.hpp"

#include <set>

namespace ccm::service {
namespace {

class SettingsTest : public ::testing::Test {
 protected:
  Result<Settings> read() {
    const Config config(Service<ccm_host_config>(host.config.table(), host.config.caller()));
    return read_settings(config);
  }
  testing::FakeHost host;
};

TEST_F(SettingsTest, HOST_37_ManyAtOnceUnlessTheUserSaysHowMany) {
  host.config.set_flag("concurrent-service-syncs", "1", false);
  EXPECT_EQ(read()->workers, 64U);
  host.config.set_flag("concurrent-service-syncs", "1");
  EXPECT_EQ(read()->workers, 1U);
}

TEST_F(SettingsTest, TRAP_24_NoWorkersIsAnError) {
  for (const char* value : {"0", "-3"}) {
    host.config.set_flag("concurrent-service-syncs", value);
    const auto settings = read();
    ASSERT_FALSE(settings.ok());
    EXPECT_EQ(settings.status().message(),
              std::string("--concurrent-service-syncs must be at least 1, is ") + value);
  }
}

TEST_F(SettingsTest, HOST_14_TheClusterName) {
  EXPECT_EQ(read()->cluster_name, "kubernetes");
  host.config.set_flag("cluster-name", "prod");
  EXPECT_EQ(read()->cluster_name, "prod");
}

TEST_F(SettingsTest, TheAuditPeriod) {
  EXPECT_EQ(read()->audit_period, minutes(30));
  host.config.set_flag("load-balancer-audit-period", "0s");
  EXPECT_EQ(read()->audit_period, milliseconds(0));
}

TEST_F(SettingsTest, AClassTableThatCannotBeReadIsAnError) {
  host.config.set_flag("load-balancer-classes", "/nonexistent");
  EXPECT_FALSE(read().ok());
}

TEST(TextsTest, AFailureSaysCauseClassAndNextStep) {
  const std::string text =
      failure_text(Status(Code::resource_exhausted, ErrorClass::quota, "10 of 10 (request r-1)"));
  EXPECT_TRUE(text.starts_with("10 of 10 (request r-1) (quota); raise the account's limit"))
      << text;
  EXPECT_EQ(failure_text(Status(Code::internal, "broken")), "broken; retrying");
  EXPECT_EQ(failure_text(Status(Code::unavailable, ErrorClass::unavailable, "503")),
            "503 (unavailable); the cloud API is unavailable; retrying");
  EXPECT_EQ(failure_text(Status(Code::failed_precondition, ErrorClass::unavailable, "no Node")),
            "no Node; retrying");
}

TEST(TextsTest, EachClassHasWordsAndAStep) {
  std::set<std::string> texts;
  for (int value = CCM_CLASS_INVALID_SPEC; value <= CCM_CLASS_UNSUPPORTED; ++value) {
    const auto error_class = static_cast<ErrorClass>(value);
    EXPECT_FALSE(class_words(error_class).empty());
    texts.insert(failure_text(Status(Code::internal, error_class, "x")));
  }
  EXPECT_EQ(texts.size(), 9U);
}

TEST(TextsTest, WhatIsNotTold) {
  EXPECT_FALSE(worth_reporting(Status(Code::cancelled, "")));
  EXPECT_FALSE(worth_reporting(Status(Code::aborted, ErrorClass::conflict, "")));
  EXPECT_TRUE(worth_reporting(Status(Code::internal, "")));
}

}  // namespace
}  // namespace ccm::service
