// aws.so's provider on the fake cloud.
#pragma once

#include "aws/provider.hpp"
#include "aws/session.hpp"
#include "aws_api/cloud.hpp"

#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/fake_host.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ccm::aws {

inline constexpr const char* kSecretKey = "wJalrXUtnFEMI-K7MDENG";

// The provider with variables of the test's own.
struct TestProvider : Provider {
  TestProvider(Host& host, Session& session) : Provider(host, session, Environment(variables())) {}
  static Environment::Variables& variables() {
    static Environment::Variables all;
    return all;
  }
};

class AwsProviderTest : public ::testing::Test {
 protected:
  AwsProviderTest() {
    TestProvider::variables() = {{"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"},
                                 {"AWS_SECRET_ACCESS_KEY", kSecretKey},
                                 {"AWS_ENDPOINT_URL", "http://aws"},
                                 {"AWS_EC2_METADATA_DISABLED", "true"}};
    host.config.set_cloud_config(
        "[Global]\nRegion = us-east-1\nVPC = vpc-1\nKubernetesClusterID = c1\n");
    host.config.set_flag("cluster-cidr", "10.244.0.0/16,fd00:244::/48");
    host.http.handle([this](const HttpRequest& request) { return serve(request); });
  }
  ~AwsProviderTest() override {
    EXPECT_TRUE(host.faults().empty());
    EXPECT_FALSE(host.log.contains(kSecretKey));
  }

  testing::FakeHttp::Answer serve(const HttpRequest& request) {
    if (const auto special = other ? other(request) : std::nullopt) return *special;
    testing::FakeHttp::Answer answer;
    const aws_api::Answer answered = cloud.handle(request.body);
    if (answered.cut) {
      answer.outcome = Status(Code::unavailable, ErrorClass::unavailable, "connection reset");
    } else {
      answer.outcome = HttpResponse{static_cast<uint32_t>(answered.status), {}, answered.body};
    }
    return answer;
  }
  static testing::FakeHttp::Answer text(uint32_t status, std::string body) {
    testing::FakeHttp::Answer answer;
    answer.outcome = HttpResponse{status, {}, std::move(body)};
    return answer;
  }

  testing::FakeComponent& make() {
    provider = std::make_unique<testing::FakeComponent>(
        host, testing::plugin_of<TestProvider, testing::Dispatch::loop, Session>(), "test");
    return *provider;
  }
  testing::FakeComponent& start() {
    const Status status = make().initialize();
    EXPECT_TRUE(status.ok()) << status.message();
    cloud.clear_journal();
    return *provider;
  }
  // The message with which the start is refused.
  std::string refusal() {
    const Status status = make().initialize();
    EXPECT_FALSE(status.ok());
    return status.message();
  }
  Object node(const std::string& json) { return Object::parse(objects(), json); }
  ObjectHost objects() { return ObjectHost(host.objects.table(), &host.objects); }

  static const Instance* with_id(const InstanceList& list, const std::string& provider_id) {
    for (const Instance& instance : list.instances) {
      if (instance.provider_id == provider_id) return &instance;
    }
    return nullptr;
  }
  static std::string label(const Instance& instance, const std::string& key) {
    for (const Label& label : instance.labels) {
      if (label.key == key) return label.value;
    }
    return {};
  }

  testing::FakeHost host;
  aws_api::Cloud cloud{[this] { return host.loop.now(); }};
  // Answers what is not the cloud's: metadata, STS.
  std::function<std::optional<testing::FakeHttp::Answer>(const HttpRequest&)> other;
  std::unique_ptr<testing::FakeComponent> provider;
};

}  // namespace ccm::aws
