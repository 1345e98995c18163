// The plugin is C; the host in memory that it runs in is C++.
#include <ccm/testing/fake_component.hpp>

#include <gtest/gtest.h>

// The plugin's entry.
extern "C" const ccm_plugin* ccm_plugin_v1(void);

namespace {

constexpr const char* kUrl = "https://api.example.com/v1";

class ProviderTest : public ::testing::Test {
 protected:
  ProviderTest() {
    host.config.set_flag("@NAME@-endpoint", kUrl);
    host.config.set_secret("@VARIABLE@_TOKEN", "s3cret");
  }
  ~ProviderTest() override {
    EXPECT_TRUE(host.faults().empty());
    EXPECT_FALSE(host.log.contains("s3cret"));
  }
  void expect(const char* method, const std::string& path, uint32_t code, const std::string& body) {
    host.http.expect(method, kUrl + path).answer(code, body);
  }

  ccm::testing::FakeHost host;
  ccm::testing::FakeComponent provider{host, ccm_plugin_v1(), "@NAME@"};
};

TEST_F(ProviderTest, TheEndpointIsNeeded) {
  host.config.set_flag("@NAME@-endpoint", "");
  EXPECT_EQ(provider.initialize().code(), ccm::Code::invalid_argument);
}

TEST_F(ProviderTest, ListsMachines) {
  expect("GET", "/machines", 200,
         R"({"machines": [{"id": "7", "name": "worker-1", "type": "small", "zone": "a",
                           "address": "192.0.2.1", "running": false}]})");
  const auto list = provider.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  ASSERT_EQ(list->instances.size(), 1U);
  EXPECT_EQ(list->instances[0].provider_id, "@NAME@://7");
  EXPECT_EQ(list->instances[0].state, ccm::InstanceState::shutdown);
  EXPECT_EQ(host.http.requests()[0].headers[0].value, "Bearer s3cret");
}

TEST_F(ProviderTest, HalfAListIsAFailure) {
  expect("GET", "/machines", 200, "{}");
  EXPECT_FALSE(provider.list().ok());
}

TEST_F(ProviderTest, AnErrorSaysWhenToComeBack) {
  host.http.expect("GET", std::string(kUrl) + "/machines")
      .answer(429, "", {{"retry-after", "7"}});
  const auto list = provider.list();
  EXPECT_EQ(list.status().error_class(), ccm::ErrorClass::throttled);
  EXPECT_EQ(list.status().retry_after(), std::chrono::seconds(7));
}

TEST_F(ProviderTest, ASecondEnsureWritesNothing) {
  ccm::LoadBalancerService service;
  service.uid = "u-1";
  service.cluster_name = "kubernetes";
  service.ports = {{"http", "TCP", "", 80, 30080}};
  const std::string path = "/load-balancers/kubernetes-u-1";
  const std::string spec =
      R"({"ports":[{"protocol":"TCP","port":80,"nodePort":30080}],"machines":[]})";
  expect("GET", path, 404, "");
  expect("PUT", path, 200, R"({"address":"203.0.113.1","spec":)" + spec + "}");
  expect("GET", path, 200, R"({"address":"203.0.113.1","spec":)" + spec + "}");
  const auto made = provider.ensure_load_balancer(service, {});
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(made->ingress.at(0).ip, "203.0.113.1");
  EXPECT_EQ(host.http.requests()[1].body, spec);
  EXPECT_EQ(provider.ensure_load_balancer(service, {})->difference, "");
}

}  // namespace
