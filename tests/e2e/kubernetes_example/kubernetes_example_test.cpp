// Kubernetes' old example of a cloud-controller-manager, as docs/older-guides.md answers it: the
// account, rights and command line as they stand there, with the provider's name filled in.
#include "support/checkout.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/manifests.hpp"
#include "support/nodes.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kBinding =
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:cloud-controller-manager";
constexpr const char* kPlaceholder = "[YOUR_CLOUD_PROVIDER]";

class KubernetesExampleTest : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<json> rights = support::read_manifests(CCM_EXAMPLE);
    daemon_set_ = rights.back();
    rights.pop_back();
    ASSERT_EQ(daemon_set_.at("kind"), "DaemonSet");
    if (real()) server_.give_rights(rights);
  }
  void TearDown() override {
    if (manager_ && HasFailure()) fputs(manager_->log().c_str(), stderr);
  }

  [[nodiscard]] bool real() const { return server_.kind() == support::ServerKind::kKubeApiserver; }
  // The flags in the container's command.
  [[nodiscard]] std::vector<std::string> flags() const {
    const json command = daemon_set_.at("/spec/template/spec/containers/0/command"_json_pointer);
    std::vector<std::string> all;
    for (std::size_t i = 1; i < command.size(); ++i) {
      std::string flag = command.at(i);
      if (const auto at = flag.find(kPlaceholder); at != std::string::npos) {
        flag.replace(at, std::string(kPlaceholder).size(), "sandbox");
      }
      all.push_back(std::move(flag));
    }
    return all;
  }
  // As its Pod would, with the Pod's account.
  void start() {
    std::vector<std::string> command{support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM)};
    for (std::string& flag : flags()) command.push_back(std::move(flag));
    command.push_back("--cloud-config=" + cloud_.config().string());
    command.push_back("--kubeconfig=" + server_.manager_kubeconfig().string());
    command.emplace_back("--secure-port=0");
    manager_ = std::make_unique<support::Process>(
        command, support::ProcessOptions{folder_.path() / "manager.log", {}});
  }
  void join(const std::string& name, const std::string& range) {
    cloud_.control("PUT", "/machines/m-" + name, {{"name", name}, {"zone", "eu-1a"}});
    json node = support::uninitialised_node(name, "");
    if (!range.empty()) {
      node["spec"]["podCIDR"] = range;
      node["spec"]["podCIDRs"] = json::array({range});
    }
    const auto made = api_.create("/api/v1/nodes", node);
    ASSERT_EQ(made.status, 201) << made.http.body;
  }
  void expect_work() {
    join("with-range", "172.17.3.0/24");
    join("without-range", "");
    EXPECT_TRUE(
        eventually(patience(), [this] { return support::count_initialised(api_, "with") == 2; }));
    EXPECT_TRUE(eventually(patience(), [this] { return !routes().empty(); }));
    EXPECT_EQ(routes(), std::vector<std::string>{"172.17.3.0/24"});
    const json labels = api_.get("/api/v1/nodes/without-range").body.at("metadata").at("labels");
    EXPECT_EQ(labels.value("topology.kubernetes.io/zone", ""), "eu-1a") << labels;
  }
  std::vector<std::string> routes() {
    std::vector<std::string> found;
    const json all = cloud_.control("GET", "/routes").at("routes");
    for (const json& one : all) found.push_back(one.at("destination"));
    return found;
  }

  support::TemporaryFolder folder_{"ccm-example"};
  support::TestServer server_{folder_.path()};
  support::TestCloud cloud_{folder_.path()};
  support::KubeClient api_ = server_.client();
  json daemon_set_;
  std::unique_ptr<support::Process> manager_;
};

TEST_F(KubernetesExampleTest, HOST_129_ItsRightsAndFlagsInitialiseNodesAndMakeRoutes) {
  if (real()) support::apply(api_, daemon_set_);
  start();
  expect_work();
  const std::string accounts = "/api/v1/namespaces/kube-system/serviceaccounts/";
  for (const char* name : {"node-controller", "route-controller"}) {
    EXPECT_TRUE(api_.get(accounts + name).ok()) << name;
  }
  // Nobody gives ranges: neither kube-controller-manager, which is not there, nor this manager.
  EXPECT_FALSE(api_.get("/api/v1/nodes/without-range").body.at("spec").contains("podCIDR"));
  EXPECT_THAT(manager_->log(), HasSubstr("\"Flag has no effect\" flag=\"--allocate-node-cidrs\""));
  EXPECT_THAT(manager_->log(), Not(HasSubstr("waits for permissions")));
  EXPECT_EQ(manager_->stop().code, 0);
}

TEST_F(KubernetesExampleTest, RBAC_9_10_TheCommandsOfThePageNarrowItsRights) {
  if (!real()) GTEST_SKIP() << "the sandbox has no RBAC";
  const support::Checkout checkout(folder_.path(), server_.kubeconfig());
  if (!checkout.run("command -v kubectl >/dev/null")) GTEST_SKIP() << "needs kubectl";
  const auto blocks = support::shell_blocks(CCM_GUIDES_PAGE, "Narrower rights");
  ASSERT_EQ(blocks.size(), 1U);
  const std::filesystem::path ccmctl = support::program("CCM_CCMCTL", CCM_CCMCTL_PROGRAM);
  std::string commands = blocks[0];
  const std::string provider = "--cloud-provider=NAME";
  const auto at = commands.find(provider);
  ASSERT_NE(at, std::string::npos) << commands;
  commands.replace(at, provider.size(), "--cloud-provider=sandbox");
  const std::string path = "export PATH='" + ccmctl.parent_path().string() + "':\"$PATH\"\n";

  // Without its first line the API server refuses the rest: a binding's role cannot be changed.
  EXPECT_FALSE(checkout.run(path + commands.substr(commands.find('\n') + 1)));
  EXPECT_EQ(api_.get(kBinding).body.at("roleRef").at("name"), "cluster-admin");
  ASSERT_TRUE(checkout.run(path + commands));
  EXPECT_EQ(api_.get(kBinding).body.at("roleRef").at("name"), "system:cloud-controller-manager");
  start();
  expect_work();
  EXPECT_THAT(manager_->log(), Not(HasSubstr("waits for permissions")));
}

}  // namespace
}  // namespace ccm::e2e
