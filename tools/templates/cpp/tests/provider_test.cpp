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

TEST_F(ProviderTest, ListsAllPages) {
  expect("GET", "/machines", 200, R"({"machines": [{"id": "7"}], "next": "7"})");
  expect("GET", "/machines?after=7", 200, R"({"machines": [{"id": "9"}]})");
  const auto list = provider.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  ASSERT_EQ(list->instances.size(), 2U);
  EXPECT_EQ(list->instances[1].provider_id, "@NAME@://9");
}

TEST_F(ProviderTest, HalfAListIsAFailure) {
  expect("GET", "/machines", 200, "{}");
  EXPECT_FALSE(provider.list().ok());
  const std::string deep = std::string(65, '[') + std::string(65, ']');
  expect("GET", "/machines", 200, "{\"machines\": " + deep + "}");
  EXPECT_FALSE(provider.list().ok());
  expect("GET", "/machines", 200, R"({"machines": [{"id": "7"}], "next": "7"})");
  expect("GET", "/machines?after=7", 404, "");
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
  const std::string body =
      R"("mark":"kubernetes/u-1","spec":{"ports":[{"protocol":"TCP","port":80,"nodePort":30080}],"machines":[],"sources":[]}})";
  const std::string made = R"({"id":"5","address":"203.0.113.1",)" + body;
  expect("GET", "/load-balancers", 200, R"({"loadBalancers":[]})");
  expect("POST", "/load-balancers", 201, made);
  const auto first = provider.ensure_load_balancer(service, {});
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(first->id, "5");
  EXPECT_EQ(first->ingress.at(0).ip, "203.0.113.1");
  EXPECT_EQ(host.http.requests()[1].body, "{" + body);
  service.id = first->id;
  expect("GET", "/load-balancers/5", 200, made);
  EXPECT_EQ(provider.ensure_load_balancer(service, {})->difference, "");
}

TEST_F(ProviderTest, ARecordedIdProvesNothing) {
  ccm::LoadBalancerService service;
  service.uid = "u-1";
  service.id = "6";
  for (int i = 0; i < 2; ++i) {
    expect("GET", "/load-balancers/6", 200, R"({"id":"6","mark":"another/u-1"})");
    expect("GET", "/load-balancers", 200, R"({"loadBalancers":[]})");
  }
  EXPECT_EQ(provider.ensure_load_balancer(service, {})->state, ccm::LoadBalancerState::foreign);
  EXPECT_EQ(provider.delete_load_balancer(service).reason(), CCM_REASON_NOT_OWNED);
}

}  // namespace
