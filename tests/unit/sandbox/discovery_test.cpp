#include "api/discovery.hpp"

#include "store/object.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sandbox {
namespace {

http::Response openapi(const std::string& accept) {
  http::Request request;
  request.method = "GET";
  request.path = "/openapi/v2";
  request.accept = accept;
  return discovery_answer(request).value();
}

TEST(Discovery, OpenapiIsJson) {
  const http::Response answer = openapi("application/json");
  EXPECT_EQ(answer.content_type, "application/json");
  EXPECT_EQ(Json::parse(answer.body).at("swagger"), "2.0");
}

TEST(Discovery, OlderKubectlGetsOpenapiInProtobuf) {
  const http::Response answer =
      openapi("application/com.github.proto-openapi.spec.v2@v1.0+protobuf");
  EXPECT_EQ(answer.content_type, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  using namespace std::string_literals;
  EXPECT_EQ(answer.body,
            "\x0a\x03"
            "2.0"                                                // swagger
            "\x12\x1d\x0a\x0aKubernetes\x12\x0fv1.36.0-sandbox"  // info
            "\x42\x00\x4a\x00"s);                                // no paths, no definitions
}

}  // namespace
}  // namespace sandbox
