// The commands of docs/digitalocean-migration.md, run by kubectl from DigitalOcean's own manifest
// to ours and back.
#include "manager_fixture.hpp"
#include "support/checkout.hpp"

namespace ccm::digitalocean_api {
namespace {

using support::eventually;
using support::patience;

const std::string kDeployment =
    "/apis/apps/v1/namespaces/kube-system/deployments/digitalocean-cloud-controller-manager";
const std::string kRole =
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:cloud-controller-manager";
const std::string kLease =
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cloud-controller-manager";

class ManagerMigrationTest : public ManagerTest {
 protected:
  ManagerMigrationTest() : ManagerTest(false) {}
  void SetUp() override {
    if (server_.kind() == support::ServerKind::kSandbox)
      GTEST_SKIP() << "needs Deployments and RBAC";
    if (!run("command -v kubectl >/dev/null")) GTEST_SKIP() << "needs kubectl";
    // A test's cluster has no namespace controller, so the account is there already and the rest is
    // made.
    ASSERT_TRUE(run("kubectl create -f '" CCM_UPSTREAM_MANIFEST "'"));
  }
  [[nodiscard]] bool run(const std::string& command) const { return checkout_.run(command); }
  void run_section(const std::string& section) {
    const auto blocks = support::shell_blocks(CCM_MIGRATION_PAGE, section);
    ASSERT_FALSE(blocks.empty()) << section;
    for (const std::string& block : blocks) ASSERT_TRUE(run(block)) << section;
  }
  // With the program in the reader's path, and the fake in the place of the cloud.
  void look_first() {
    const auto made = api_.create("/api/v1/namespaces/kube-system/secrets",
                                  {{"apiVersion", "v1"},
                                   {"kind", "Secret"},
                                   {"metadata", {{"name", "digitalocean"}}},
                                   {"stringData", {{"access-token", "dop_v1_test"}}}});
    ASSERT_TRUE(made.ok()) << made.http.body;
    const std::filesystem::path program = support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM);
    const std::string reader = "export PATH='" + program.parent_path().string() +
                               "':\"$PATH\" DO_OVERRIDE_URL='" + cloud_.url() + "'\n";
    const auto blocks = support::shell_blocks(CCM_MIGRATION_PAGE, "Look first");
    ASSERT_EQ(blocks.size(), 1U);
    ASSERT_TRUE(run(reader + blocks[0]));
  }
  json container() {
    const json containers = pod().at("containers");
    EXPECT_EQ(containers.size(), 1U) << containers;
    return containers.at(0);
  }
  json pod() { return api_.get(kDeployment).body.at("spec").at("template").at("spec"); }

  const support::Checkout checkout_{folder_.path(), server_.kubeconfig()};
};

TEST_F(ManagerMigrationTest, DO_303_OfThePageLeadsToOursAndBack) {
  const json deployment = api_.get(kDeployment).body.at("spec");
  const json rules = api_.get(kRole).body.at("rules");
  look_first();
  run_section("Before");

  // The Lease that the page looks at is there when our manager ran: with the flags and the role
  // that the page applies.
  const auto blocks = support::shell_blocks(CCM_MIGRATION_PAGE, "Go");
  ASSERT_EQ(blocks.size(), 3U);
  ASSERT_TRUE(run(blocks[0]));
  ASSERT_TRUE(run(blocks[1]));
  const json ours = container();
  EXPECT_EQ(ours.at("command"), json::array({"/usr/bin/cloud-controller-manager"}));
  for (const json& variable : ours.at("env")) EXPECT_NE(variable.at("name"), "DO_ACCESS_TOKEN");
  EXPECT_NE(api_.get(kRole).body.at("rules"), rules);
  std::vector<std::string> flags = {"--secure-port=0"};
  for (const json& flag : ours.at("args")) flags.push_back(flag);
  start("*", {}, flags);
  ASSERT_TRUE(eventually(patience(), [&] {
    return api_.get(kLease).body.value("/spec/holderIdentity"_json_pointer, "") != "";
  }));
  ASSERT_TRUE(run(blocks[2]));
  EXPECT_EQ(manager_->stop().code, 0);

  run_section("Back");
  EXPECT_EQ(api_.get(kDeployment).body.at("spec"), deployment);
  EXPECT_EQ(api_.get(kRole).body.at("rules"), rules);
}

TEST_F(ManagerMigrationTest, AnApplyOverTheirsLeavesOneContainerThatIsOurs) {
  ASSERT_TRUE(run("kubectl apply -f deploy/manifests/digitalocean/"));
  EXPECT_EQ(container().at("command"), json::array({"/usr/bin/cloud-controller-manager"}));
  EXPECT_EQ(api_.get("/api/v1/namespaces/kube-system/secrets/digitalocean").status, 404)
      << "a placeholder went over the token";
}

}  // namespace
}  // namespace ccm::digitalocean_api
