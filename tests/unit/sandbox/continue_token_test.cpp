#include "api/continue_token.hpp"

#include <gtest/gtest.h>

namespace sandbox {
namespace {

TEST(ContinueToken, RoundTrip) {
  auto token = ContinueToken::decode(ContinueToken{42, "kube-system/a.b"}.encode());
  ASSERT_TRUE(token);
  EXPECT_EQ(token->revision, 42);
  EXPECT_EQ(token->last_key, "kube-system/a.b");
}

TEST(ContinueToken, API_20_LatestIsMarkedByMinusOne) {
  auto token = ContinueToken::decode(ContinueToken{-1, "a"}.encode());
  ASSERT_TRUE(token);
  EXPECT_EQ(token->revision, -1);
}

TEST(ContinueToken, ForeignTextIsNoToken) {
  EXPECT_FALSE(ContinueToken::decode("not base64!"));
  EXPECT_FALSE(ContinueToken::decode(base64url_encode("not json")));
  EXPECT_FALSE(ContinueToken::decode(base64url_encode(R"({"v":"other","rv":1,"start":"a"})")));
  EXPECT_FALSE(ContinueToken::decode(base64url_encode(R"({"v":"meta.k8s.io/v1","rv":"1"})")));
}

TEST(Base64Url, AllLengthsSurvive) {
  std::string bytes;
  for (int i = 0; i < 70; ++i) {
    EXPECT_EQ(base64url_decode(base64url_encode(bytes)), bytes);
    bytes.push_back(static_cast<char>(i * 37));
  }
}

}  // namespace
}  // namespace sandbox
