// What plugins say, without the credentials that the host gave them or sent for them.
#include "plugin/known_secrets.hpp"

#include "base/log.hpp"
#include "host_services_fixture.hpp"

#include <cstdlib>

namespace ccm::plugin {
namespace {

TEST(KnownSecretsTest, Issue41_TheLastOnesAreKnown) {
  KnownSecrets secrets;
  EXPECT_EQ(secrets.without("hush-4711-first"), "hush-4711-first");
  secrets.learn("hush-4711-first");
  secrets.learn("seven77");
  secrets.learn("Credential=a/b, SignedHeaders=host, Signature=0123456789abcdef");
  EXPECT_EQ(secrets.without("a hush-4711-first b"), "a [redacted] b");
  EXPECT_EQ(secrets.without("aHVzaC00NzExLWZpcnN0"), "[redacted]") << "base64";
  EXPECT_EQ(secrets.without("seven77"), "seven77") << "too short";
  EXPECT_EQ(secrets.without("Signature=0123456789abcdef"), "Signature=0123456789abcdef");
  for (int number = 10; number < 25; ++number) {
    secrets.learn("hush-4711-" + std::to_string(number));
    secrets.learn("hush-4711-first");  // it is in use
  }
  EXPECT_EQ(secrets.without("hush-4711-first hush-4711-10 hush-4711-24"),
            "[redacted] [redacted] [redacted]");
  secrets.learn("hush-4711-25");
  EXPECT_EQ(secrets.without("hush-4711-first hush-4711-10 hush-4711-25"),
            "[redacted] hush-4711-10 [redacted]");
}

class PluginTextsTest : public HostServicesTest {
 protected:
  PluginTextsTest() {
    ::setenv("CCM_TEST_TOKEN", "hush-4711", 1);
    ::setenv("CCM_TEST_REGION", "eu-west-1", 1);
    log::redirect([this](std::string_view line) { log_.append(line).append("\n"); });
  }
  ~PluginTextsTest() override {
    log::redirect({});
    ::unsetenv("CCM_TEST_TOKEN");
    ::unsetenv("CCM_TEST_REGION");
  }

  void begin() {
    ASSERT_TRUE(create(true).ok());
    service_ = plugin_.service(CCM_HOST_CONFIG, &config_);
    for (const char* name : {"CCM_TEST_TOKEN", "CCM_TEST_REGION"}) {
      EXPECT_EQ(config_->secret(service_.self, c_str(name), nullptr, 0), 9);
    }
  }

  const ccm_host_config* config_ = nullptr;
  ccm_interface service_{};
  std::string log_;
};

TEST_F(PluginTextsTest, Issue41_ALineOfTheLogHasNoCredential) {
  begin();
  const ccm_host_log* logger = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_LOG, &logger);
  const ccm_key_value pair{c_str("header"), c_str("Bearer hush-4711 in eu-west-1")};
  auto record = sized<ccm_log_record>();
  record.level = CCM_LOG_ERROR;
  record.message = c_str("Refused hush-4711");
  record.pairs = &pair;
  record.pair_count = 1;
  logger->write(service.self, {}, &record);
  config_->rejected(service_.self, c_str(""), c_str("line 1: hush-4711 is no number"));
  poll();
  EXPECT_EQ(log_.find("hush"), std::string::npos) << log_;
  EXPECT_NE(log_.find("Refused [redacted]"), std::string::npos) << log_;
  EXPECT_NE(log_.find("Bearer [redacted] in eu-west-1"), std::string::npos) << log_;
  EXPECT_NE(log_.find("line 1: [redacted] is no number"), std::string::npos) << log_;
}

TEST_F(PluginTextsTest, Issue41_AnEventHasNoCredential) {
  begin();
  const ccm_host_event* events = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_EVENT, &events);
  auto about = sized<ccm_object_reference>();
  about.kind = c_str("Service");
  about.name = c_str("web");
  // Where the text is cut, no piece of it stays either.
  const std::string text = std::string(1018, '.') + "hush-4711";
  auto event = sized<ccm_event>();
  event.reference = &about;
  event.reason = c_str("Refused");
  event.message = c_str(text);
  events->record(service.self, &event);
  poll();
  EXPECT_EQ(last_message_, std::string(1018, '.') + "[redac");
}

TEST_F(PluginTextsTest, Issue41_AFailureHasNoCredential) {
  begin();
  const auto refuse = [](ccm_ctx, ccm_completion done) {
    complete(done, Status(Code::unauthenticated, ErrorClass::auth, "HTTP 401: who is hush-4711?")
                       .with_retry_after(3s));
  };
  call(refuse);
  poll();
  ASSERT_TRUE(outcome_);
  EXPECT_EQ(outcome_->message(), "HTTP 401: who is [redacted]?");
  EXPECT_EQ(outcome_->error_class(), ErrorClass::auth);
  EXPECT_EQ(outcome_->retry_after(), 3s);
}

// As the outcome of a batch of routes has them.
TEST_F(PluginTextsTest, Issue41_NorHaveFailuresWithinAResult) {
  begin();
  std::optional<Result<std::vector<Status>>> ended;
  const auto copy = [](const void*) -> Result<std::vector<Status>> {
    return std::vector<Status>{Status(), Status(Code::unknown, "who is hush-4711?")};
  };
  component_->call<std::vector<Status>>(
      "test", nullptr, 30s, {}, [](ccm_ctx, ccm_completion done) { complete(done); }, copy,
      [&](Result<std::vector<Status>> statuses) { ended = std::move(statuses); });
  poll();
  ASSERT_TRUE(ended && ended->ok());
  EXPECT_TRUE((**ended)[0].ok());
  EXPECT_EQ((**ended)[1].message(), "who is [redacted]?");
}

}  // namespace
}  // namespace ccm::plugin
