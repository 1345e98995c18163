// --enable-leader-migration: controllers that move wait for a Lease of their own.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

#include <csignal>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

constexpr const char* kMigrationFlag = "--enable-leader-migration";
constexpr const char* kMigrationLease = "cloud-provider-extraction-migration";
constexpr const char* kSystemLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const std::string kMoved = std::string(kSystemLeases) + "/" + kMigrationLease;
const std::vector<std::string> kQuickElection = {"--leader-elect-lease-duration=3s",
                                                 "--leader-elect-renew-deadline=2s",
                                                 "--leader-elect-retry-period=500ms"};

class LeaderMigrationTest : public EndpointTest {
 protected:
  LeaderMigrationTest() {
    if (real()) {
      server_.give_rights(support::printed_rights(
          {"--cloud-provider=sandbox", "--controllers=*", kMigrationFlag}, folder_.path()));
    }
  }
  // As kube-controller-manager writes it.
  json held_by_kube_controller_manager() {
    return {{"apiVersion", "coordination.k8s.io/v1"},
            {"kind", "Lease"},
            {"metadata", {{"name", kMigrationLease}}},
            {"spec",
             {{"holderIdentity", "control-plane-1_4f5f0c1e-7a86-4c87-8d2b-6d5a3c1f9a10"},
              {"leaseDurationSeconds", 3600},
              {"acquireTime", "2026-01-01T00:00:00.000000Z"},
              {"renewTime", "2026-01-01T00:00:00.000000Z"},
              {"leaseTransitions", 1}}}};
  }
  static std::vector<std::string> with_quick_election(std::vector<std::string> flags) {
    flags.insert(flags.end(), kQuickElection.begin(), kQuickElection.end());
    return flags;
  }
  bool served(const std::string& name) {
    return eventually(std::chrono::seconds(60), [&] {
      const json service = api_.get("/api/v1/namespaces/default/services/" + name).body;
      return !service.value("status", json::object()).value("loadBalancer", json::object()).empty();
    });
  }
  bool started(const std::string& controller) {
    return contains(manager_->log(), "\"Started controller\" controller=\"" + controller + "\"");
  }
};

TEST_F(LeaderMigrationTest, HOST_125_MigratedControllersWaitForTheirLease) {
  ASSERT_TRUE(api_.create(kSystemLeases, held_by_kube_controller_manager()).ok());
  start(reviews(), {kMigrationFlag, "--controllers=*,-route"});
  join("node-1");
  make_service("web");
  ASSERT_TRUE(initialised("node-1")) << manager_->log();
  EXPECT_TRUE(logs("Another process leads")) << manager_->log();
  // Another Node shows that time has passed.
  join("node-2");
  ASSERT_TRUE(initialised("node-2")) << manager_->log();
  EXPECT_TRUE(started("cloud-node-controller"));
  EXPECT_FALSE(started("service-lb-controller")) << manager_->log();
  EXPECT_FALSE(started("cloud-node-lifecycle-controller"));
  EXPECT_EQ(cloud_.calls().at("by_operation").value("CreateLoadBalancer", 0), 0);
  const Output status = ctl({"status"}, server_.kubeconfig());
  EXPECT_TRUE(contains(status.text, "waits for the Lease " + std::string(kMigrationLease)))
      << status.text;
  const std::string before = ask("/metrics", scraper()).body;
  EXPECT_TRUE(
      contains(before, "leader_election_master_status{name=\"cloud-controller-manager\"} 1"));
  EXPECT_TRUE(contains(
      before, "leader_election_master_status{name=\"" + std::string(kMigrationLease) + "\"} 0"));
  EXPECT_EQ(ask("/healthz").status, 200);

  ASSERT_TRUE(api_.patch(kMoved, support::kMergePatch, {{"spec", {{"holderIdentity", ""}}}}).ok());
  ASSERT_TRUE(served("web")) << manager_->log();
  EXPECT_TRUE(started("cloud-node-lifecycle-controller"));
  const json lease = api_.get(kMoved).body.at("spec");
  const json main = api_.get(std::string(kSystemLeases) + "/cloud-controller-manager").body;
  EXPECT_EQ(lease.at("holderIdentity"), main.at("spec").at("holderIdentity")) << "HOST-126";
  EXPECT_EQ(lease.at("leaseTransitions"), 2);
  const std::string after = ask("/metrics", scraper()).body;
  EXPECT_TRUE(contains(
      after, "leader_election_master_status{name=\"" + std::string(kMigrationLease) + "\"} 1"));
  EXPECT_EQ(manager_->log().find("forbidden"), std::string::npos) << manager_->log();
  // A process that stops gives both back.
  manager_->send(SIGTERM);
  const auto ended = manager_->wait(patience());
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, 0);
  EXPECT_EQ(api_.get(kMoved).body.at("spec").value("holderIdentity", ""), "");
}

TEST_F(LeaderMigrationTest, HOST_124_AControllerOfAnotherComponentNeverRuns) {
  const auto file = folder_.path() / "migration.yaml";
  support::write_file(file,
                      "apiVersion: controllermanager.config.k8s.io/v1\n"
                      "kind: LeaderMigrationConfiguration\n"
                      "leaderName: cloud-provider-extraction-migration\n"
                      "controllerLeaders:\n"
                      "- {name: service-lb-controller, component: kube-controller-manager}\n"
                      "- {name: cloud-node-controller, component: cloud-controller-manager}\n");
  start(reviews(),
        {kMigrationFlag, "--leader-migration-config=" + file.string(), "--controllers=*,-route"});
  make_service("web");
  join("node-1");
  ASSERT_TRUE(initialised("node-1")) << manager_->log();
  EXPECT_TRUE(contains(manager_->log(),
                       "\"Controller does not run here: the leader migration gives it to another "
                       "component\" controller=\"service-lb-controller\""));
  EXPECT_FALSE(started("service-lb-controller"));
  EXPECT_EQ(cloud_.calls().at("by_operation").value("CreateLoadBalancer", 0), 0);
}

// A process that has lost one of its Leases is no leader of anything.
TEST_F(LeaderMigrationTest, HOST_125_LosingTheSecondLeaseEndsTheProcess) {
  start(reviews(), with_quick_election({kMigrationFlag, "--controllers=*,-route"}));
  ASSERT_TRUE(logs("\"Started controller\" controller=\"service-lb-controller\""));
  const json theirs = {{"spec", held_by_kube_controller_manager().at("spec")}};
  ASSERT_TRUE(api_.patch(kMoved, support::kMergePatch, theirs).ok());
  const auto ended = manager_->wait(patience());
  ASSERT_TRUE(ended) << manager_->log();
  EXPECT_EQ(ended->code, 1);
  EXPECT_TRUE(contains(manager_->log(), "\"Leadership lost\" reason=\"kube-system/" +
                                            std::string(kMigrationLease) + ": "))
      << manager_->log();
}

// The first leads both; when it dies, the second takes both over.
TEST_F(LeaderMigrationTest, HOST_125_TwoManagersTakeTurns) {
  const auto flags = with_quick_election({kMigrationFlag, "--controllers=*,-route"});
  start(reviews(), flags);
  ASSERT_TRUE(logs("\"Started controller\" controller=\"service-lb-controller\""));
  const auto first = std::move(manager_);
  auto standby = flags;
  standby.push_back("--secure-port=0");
  launch("", standby);
  ASSERT_TRUE(logs("Another process leads")) << manager_->log();
  EXPECT_FALSE(contains(manager_->log(), "\"Leading\""));
  first->send(SIGKILL);
  make_service("web");
  EXPECT_TRUE(served("web")) << manager_->log();
  EXPECT_TRUE(contains(manager_->log(), "\"Acquired the Lease\" lease=\"kube-system/" +
                                            std::string(kMigrationLease) + "\""))
      << manager_->log();
}

}  // namespace
}  // namespace ccm::e2e
