#include "sandbox/cloud_config.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace sandbox {
namespace {

TEST(CloudConfig, TakesAServerOrAFile) {
  const auto server = parse_cloud_config(R"({"endpoint": "http://127.0.0.1:80/", "token": "t"})");
  ASSERT_TRUE(server.ok());
  EXPECT_EQ(server->endpoint, "http://127.0.0.1:80");
  EXPECT_EQ(server->token, "t");
  const auto file = parse_cloud_config(R"({"machines_file": "machines.json"})");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->machines_file, "machines.json");
}

TEST(CloudConfig, WhatIsWrongIsSaidInOneLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "is empty"},
      {" \n", "is empty"},
      {"{", "not a JSON object"},
      {"[]", "not a JSON object"},
      {"{}", "\"endpoint\""},
      {R"({"endpoint": 5, "token": "t"})", "\"endpoint\" must be a text"},
      {R"({"endpoint": "ftp://x", "token": "t"})", "\"endpoint\""},
      {R"({"endpoint": "http://", "token": "t"})", "\"endpoint\""},
      {R"({"endpoint": "http:///path", "token": "t"})", "\"endpoint\""},
      {R"({"endpoint": "http://a b", "token": "t"})", "\"endpoint\""},
      {R"({"endpoint": "http://a"})", "\"token\" is missing"},
      {R"({"endpoint": "http://a", "token": "t\nx"})", "\"token\" holds"},
      {R"({"endpoint": "http://a", "token": "t", "zone": "z"})", "unknown field \"zone\""},
      {R"({"machines_file": "m", "token": "t"})", "excludes"},
  };
  for (const auto& [text, expected] : cases) {
    const ccm::Status status = parse_cloud_config(text).status();
    EXPECT_EQ(status.code(), ccm::Code::invalid_argument) << text;
    EXPECT_TRUE(status.message().starts_with("--cloud-config: ")) << status.message();
    EXPECT_NE(status.message().find(expected), std::string::npos) << status.message();
    EXPECT_EQ(status.message().find('\n'), std::string::npos) << text;
  }
}

TEST(CloudConfig, TheTokenIsNeverRepeated) {
  const auto status =
      parse_cloud_config(R"({"endpoint": "http://a", "token": "s3cret s3cret"})").status();
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.message().find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace sandbox
