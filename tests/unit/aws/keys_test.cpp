// The JSON of keys, and their end.
#include "aws/credentials/json_keys.hpp"

#include <ccm/testing/fake_host.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ccm::aws {
namespace {

TEST(AwsKeysTest, AnEndIsATimeOfUtcOrOfAnOffset) {
  const auto two = parse_expiration("2026-01-01T02:00:00Z");
  ASSERT_TRUE(two);
  for (const char* same :
       {"2026-01-01T02:00:00", "2026-01-01T02:00:00.5Z", "2026-01-01T02:00:00.123456",
        "2026-01-01T02:00:00+00:00", "2026-01-01T04:00:00+02:00", "2026-01-01T04:00:00.5+02:00",
        "2025-12-31T20:30:00-05:30"}) {
    EXPECT_EQ(parse_expiration(same), two) << same;
  }
  for (const char* bad :
       {"", "Z", "+00:00", "2026-01-01T02:00", "2026-01-01T02:00:00.", "2026-01-01T02:00:00.Z",
        "2026-01-01T02:00:00ZZ", "2026-01-01T02:00:00.5x", "2026-01-01T02:00:00+2:00",
        "2026-01-01T02:00:00+0200", "2026-01-01T02:00:00+24:00", "2026-01-01T02:00:00+02:60",
        "2026-01-01T02:00:00+-2:00", "2026-01-01T02:00:00 +02:00", "2026-01-01T02:00:00+02:00Z"}) {
    EXPECT_FALSE(parse_expiration(bad)) << bad;
  }
}

class AwsJsonKeysTest : public ::testing::Test {
 protected:
  Result<Keys> program_printed(const std::string& more) {
    return parse_json_keys(
        ObjectHost(host.objects.table(), &host.objects),
        R"({"Version": 1, "AccessKeyId": "a", "SecretAccessKey": "s")" + more + "}",
        KeysForm::process);
  }
  testing::FakeHost host;
};

TEST_F(AwsJsonKeysTest, AnEndThatIsNoTextIsNone) {
  for (const char* lasts : {"", R"(, "Expiration": null)"}) {
    const auto keys = program_printed(lasts);
    ASSERT_TRUE(keys.ok()) << keys.status().message();
    EXPECT_EQ(keys->expires_at, std::chrono::milliseconds::max());
  }
  for (const char* bad : {R"(, "Expiration": 1767225600)", R"(, "Expiration": "")",
                          R"(, "Expiration": ["2026-01-01T02:00:00Z"])"}) {
    const auto keys = program_printed(bad);
    EXPECT_EQ(keys.status().message(), "AWS's answer has an Expiration that is no time") << bad;
  }
}

TEST_F(AwsJsonKeysTest, R_175_TheCodeOfAProgramIsNotShown) {
  const auto keys = program_printed(R"(, "Code": "p-secret-key")");
  EXPECT_TRUE(keys.ok()) << keys.status().message();
}

}  // namespace
}  // namespace ccm::aws
