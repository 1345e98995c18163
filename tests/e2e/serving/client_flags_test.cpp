// Flags of the API client, the environment's gates and the periods do what --help says: a proxy
// before the API server and the cloud count.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace ccm::e2e {
namespace {

using support::eventually;
using support::patience;

constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr const char* kStreamedList = "/nodes\\?.*sendInitialEvents=true";
constexpr const char* kPageOfList = "/nodes\\?.*limit=";

class ClientFlagsTest : public EndpointTest {
 protected:
  void SetUp() override {
    if (real()) GTEST_SKIP() << "it is about the manager's requests";
  }
  // A manager behind a fresh proxy, until its caches are complete.
  void work(std::vector<std::string> flags) {
    flags.insert(flags.begin(), "--kubeconfig=" + reviews_through_proxy());
    launch("", flags);
    ASSERT_TRUE(logs("Caches are synced")) << manager_->log();
  }
  int64_t route_listings() {
    return cloud_.calls().at("by_operation").value("ListRoutes", int64_t{0});
  }
};

TEST_F(ClientFlagsTest, HOST_21_TheEncodingOfListsAndWatches) {
  work({});
  EXPECT_GT(proxy_->requests("GET", "/nodes", kProtobuf), 0U);
  manager_->stop();
  work({"--kube-api-content-type=application/json"});
  EXPECT_EQ(proxy_->requests("GET", "", kProtobuf), 0U);
  EXPECT_GT(proxy_->requests("GET", "/nodes", "application/json"), 0U);
}

TEST_F(ClientFlagsTest, HOST_143_ThePagesOfListsWithoutWatchListClient) {
  work({});
  EXPECT_GT(proxy_->requests("GET", kStreamedList), 0U);
  manager_->stop();
  environment_ = {{"KUBE_FEATURE_WatchListClient", "false"},
                  {"KUBE_FEATURE_ClientsPreferCBOR", "1"}};
  work({});
  EXPECT_EQ(proxy_->requests("GET", kStreamedList), 0U);
  EXPECT_GT(proxy_->requests("GET", kPageOfList), 0U);
  EXPECT_TRUE(contains(manager_->log(), "KUBE_FEATURE_ClientsPreferCBOR")) << "it has no effect";
}

TEST_F(ClientFlagsTest, HOST_39_TheMasterGoesBeforeTheKubeconfig) {
  const std::string kubeconfig = reviews_through_proxy();
  auto elsewhere = nlohmann::json::parse(support::read_file(kubeconfig));
  elsewhere["clusters"][0]["cluster"]["server"] = "http://127.0.0.1:1";
  support::write_file(kubeconfig, elsewhere.dump());
  launch("", {"--kubeconfig=" + kubeconfig, "--master=" + proxy_->server()});
  EXPECT_TRUE(logs("Caches are synced")) << manager_->log();
}

TEST_F(ClientFlagsTest, HOST_30_139_WatchBasedRoutesAreNotPolledButAuditedAfterTheResyncPeriod) {
  const std::vector<std::string> polling = {"--controllers=node-route-controller",
                                            "--cluster-cidr=10.244.0.0/16",
                                            "--route-reconciliation-period=30ms"};
  work(polling);
  ASSERT_TRUE(eventually(patience(), [&] { return route_listings() >= 10; })) << manager_->log();
  manager_->stop();

  std::vector<std::string> watching = polling;
  watching.emplace_back(
      "--feature-gates=CloudControllerManagerWatchBasedRoutesReconciliation=true");
  cloud_.control("DELETE", "/calls");
  work(watching);
  ASSERT_TRUE(eventually(patience(), [&] { return route_listings() >= 1; })) << manager_->log();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const int64_t settled = route_listings();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_EQ(route_listings(), settled) << "it polls";
  manager_->stop();

  watching.emplace_back("--min-resync-period=200ms");
  cloud_.control("DELETE", "/calls");
  work(watching);
  EXPECT_TRUE(eventually(patience(), [&] { return route_listings() >= 4; })) << manager_->log();
}

}  // namespace
}  // namespace ccm::e2e
