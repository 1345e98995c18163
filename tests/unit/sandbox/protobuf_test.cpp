#include "api/protobuf.hpp"

#include "api/status.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sandbox::testing {
namespace {

// The body sent by `kubectl create service loadbalancer web --tcp=80`.
std::string service() {
  constexpr unsigned char kBytes[] = {
      0x6b, 0x38, 0x73, 0x00, 0x0a, 0x0d, 0x0a, 0x02, 0x76, 0x31, 0x12, 0x07, 0x53, 0x65, 0x72,
      0x76, 0x69, 0x63, 0x65, 0x12, 0x66, 0x0a, 0x1f, 0x0a, 0x03, 0x77, 0x65, 0x62, 0x12, 0x00,
      0x1a, 0x00, 0x22, 0x00, 0x2a, 0x00, 0x32, 0x00, 0x38, 0x00, 0x42, 0x00, 0x5a, 0x0a, 0x0a,
      0x03, 0x61, 0x70, 0x70, 0x12, 0x03, 0x77, 0x65, 0x62, 0x12, 0x3f, 0x0a, 0x15, 0x0a, 0x02,
      0x38, 0x30, 0x12, 0x03, 0x54, 0x43, 0x50, 0x18, 0x50, 0x22, 0x06, 0x08, 0x00, 0x10, 0x50,
      0x1a, 0x00, 0x28, 0x00, 0x12, 0x0a, 0x0a, 0x03, 0x61, 0x70, 0x70, 0x12, 0x03, 0x77, 0x65,
      0x62, 0x1a, 0x00, 0x22, 0x0c, 0x4c, 0x6f, 0x61, 0x64, 0x42, 0x61, 0x6c, 0x61, 0x6e, 0x63,
      0x65, 0x72, 0x3a, 0x00, 0x42, 0x00, 0x52, 0x00, 0x5a, 0x00, 0x60, 0x00, 0x68, 0x00, 0x1a,
      0x02, 0x0a, 0x00, 0x1a, 0x00, 0x22, 0x00};
  return std::string(reinterpret_cast<const char*>(kBytes), sizeof kBytes);
}

int code_of(const std::string& body) {
  try {
    parse_protobuf(body);
    return 200;
  } catch (const ApiError& error) {
    return error.code;
  }
}

TEST(Protobuf, AServiceOfKubectlIsRead) {
  const Json object = parse_protobuf(service());
  EXPECT_EQ(object.at("apiVersion"), "v1");
  EXPECT_EQ(object.at("kind"), "Service");
  EXPECT_EQ(object.at("metadata").at("labels"), Json({{"app", "web"}}));
  EXPECT_TRUE(object.at("metadata").at("creationTimestamp").is_null());
  const Json& spec = object.at("spec");
  EXPECT_EQ(spec.at("type"), "LoadBalancer");
  EXPECT_EQ(spec.at("selector"), Json({{"app", "web"}}));
  const Json& port = spec.at("ports").at(0);
  EXPECT_EQ(port.at("name"), "80");
  EXPECT_EQ(port.at("port"), 80);
  EXPECT_EQ(port.at("targetPort"), 80);
}

TEST(Protobuf, WhatIsCutOffIsRefused) {
  const std::string whole = service();
  constexpr std::size_t kObject = 19;  // where the object begins: before it stands its type
  constexpr std::size_t kEnd = kObject + 2 + 0x66;
  for (std::size_t size = kObject + 1; size < kEnd; ++size) {
    EXPECT_EQ(code_of(whole.substr(0, size)), 400) << size;
  }
  EXPECT_EQ(code_of(whole.substr(0, kEnd)), 200);
  EXPECT_EQ(code_of("k8s"), 400);
  EXPECT_EQ(code_of("{}"), 400);
}

TEST(Protobuf, TextThatIsNotUtf8IsRefused) {
  std::string body = service();
  body[body.find("TCP")] = '\xff';
  EXPECT_EQ(code_of(body), 400);
}

TEST(Protobuf, ChangedBytesAreReadOrRefused) {
  const std::string whole = service();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      const int code = code_of(changed);
      EXPECT_TRUE(code == 200 || code == 400 || code == 415) << at << ": " << code;
    }
  }
}

TEST(Protobuf, AKindWithoutFieldNumbersIsAnUnsupportedMediaType) {
  std::string pod = service();
  pod.replace(pod.find("Service"), 7, "Unknown");
  EXPECT_EQ(code_of(pod), 415);
}

}  // namespace
}  // namespace sandbox::testing
