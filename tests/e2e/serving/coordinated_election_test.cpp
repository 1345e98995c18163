// --feature-gates=CoordinatedLeaderElection=true: the API server names the leader (KEP-4355).
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

constexpr const char* kGate = "--feature-gates=CoordinatedLeaderElection=true";
const std::string kSystem = "/namespaces/kube-system/";
const std::string kCandidates = "/apis/coordination.k8s.io/v1beta1" + kSystem + "leasecandidates";
const std::string kMainLease =
    "/apis/coordination.k8s.io/v1" + kSystem + "leases/cloud-controller-manager";

std::string micro_now() {
  const std::time_t now = std::time(nullptr);
  char text[64];
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S.999999Z", &parts);
  return text;
}

// An API server with the gate, and managers that are clients only.
class CoordinatedElectionTest : public testing::Test {
 protected:
  CoordinatedElectionTest() {
    if (server_.kind() == support::ServerKind::kKubeApiserver) {
      server_.give_rights(support::printed_rights(
          {"--cloud-provider=sandbox", "--controllers=*", "--secure-port=0", kGate},
          folder_.path()));
    }
  }
  ~CoordinatedElectionTest() override {
    if (HasFailure()) folder_.keep();
  }

  std::unique_ptr<support::Process> manager(const std::string& name) {
    return std::make_unique<support::Process>(
        std::vector<std::string>{support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                 "--kubeconfig=" + server_.manager_kubeconfig().string(),
                                 "--cloud-provider=sandbox",
                                 "--cloud-config=" + cloud_.config().string(), "--secure-port=0",
                                 "--configure-cloud-routes=false", kGate},
        support::ProcessOptions{folder_.path() / (name + ".log"), {}});
  }
  static bool logs(support::Process& process, const std::string& text) {
    return eventually(std::chrono::seconds(60),
                      [&] { return contains(process.log(), text) || !process.running(); }) &&
           contains(process.log(), text);
  }
  json lease() { return api_.get(kMainLease).body.value("spec", json::object()); }
  std::vector<std::string> candidates() {
    std::vector<std::string> names;
    const json listed = api_.get(kCandidates).body;
    for (const json& item : listed.at("items"))
      names.push_back(item.at("metadata").at("name").get<std::string>());
    return names;
  }

  support::TemporaryFolder folder_{"ccm-coordinated"};
  support::TestServer server_{folder_.path(), {"--coordinated-leader-election"}};
  support::TestCloud cloud_{folder_.path()};
  support::KubeClient api_{server_.client()};
};

TEST_F(CoordinatedElectionTest, HOST_155_TheLeaderMakesRoomForTheOneThatTheApiServerPrefers) {
  auto first = manager("first");
  ASSERT_TRUE(logs(*first, "\"Leading\"")) << first->log();
  const std::string identity = lease().at("holderIdentity");
  EXPECT_EQ(lease().at("strategy"), "OldestEmulationVersion");
  EXPECT_EQ(candidates(), std::vector<std::string>{identity});
  EXPECT_EQ(first->log().find("forbidden"), std::string::npos) << first->log();

  // A creation is told to the second: of candidates of one second the name decides.
  const std::string made =
      api_.get(kCandidates + "/" + identity).body["metadata"]["creationTimestamp"];
  ASSERT_TRUE(eventually(patience(), [&] { return micro_now().substr(0, 19) + "Z" > made; }));
  auto second = manager("second");
  ASSERT_TRUE(logs(*second, "Another process leads")) << second->log();
  EXPECT_EQ(candidates().size(), 2u);
  EXPECT_EQ(lease().at("holderIdentity"), identity) << "the older of two equals stays";

  json older = {{"apiVersion", "coordination.k8s.io/v1beta1"},
                {"kind", "LeaseCandidate"},
                {"metadata", {{"name", "older"}, {"namespace", "kube-system"}}},
                {"spec",
                 {{"leaseName", "cloud-controller-manager"},
                  {"binaryVersion", "0.0.1"},
                  {"emulationVersion", "0.0.1"},
                  {"strategy", "OldestEmulationVersion"},
                  {"renewTime", micro_now()}}}};
  const auto created = api_.create(kCandidates, older);
  ASSERT_TRUE(created.ok()) << created.http.body;
  const bool ended = eventually(std::chrono::seconds(60), [&] {
    api_.patch(kCandidates + "/older", support::kMergePatch,
               {{"spec", {{"renewTime", micro_now()}}}});
    return !first->running();
  });
  ASSERT_TRUE(ended) << first->log();
  const auto result = first->wait(patience());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->code, 1) << "as for each end of a leadership";
  EXPECT_TRUE(contains(first->log(),
                       "\"Stopping: the API server's coordinator chose another leader\" "
                       "identity=\"older\""))
      << first->log();
  EXPECT_TRUE(contains(first->log(), "\"Released the Lease\"")) << first->log();
  EXPECT_NE(lease().value("holderIdentity", ""), identity);
  const auto left = candidates();
  EXPECT_EQ(std::count(left.begin(), left.end(), identity), 0);

  // The preferred one never comes, so the coordinator names the next.
  ASSERT_TRUE(api_.remove(kCandidates + "/older").ok());
  ASSERT_TRUE(logs(*second, "\"Leading\"")) << second->log();
  second->send(SIGTERM);
  const auto stopped = second->wait(patience());
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->code, 0);
  EXPECT_TRUE(candidates().empty());
}

// With an API server that does not have the gate.
class UncoordinatedElectionTest : public EndpointTest {};

TEST_F(UncoordinatedElectionTest, HOST_150_WithoutLeaseCandidatesTheElectionIsAPlainOne) {
  if (real()) {
    server_.give_rights(support::printed_rights(
        {"--cloud-provider=sandbox", "--controllers=*", kGate}, folder_.path()));
  }
  start(reviews(), {kGate, "--controllers=*,-route"});
  ASSERT_TRUE(logs("\"Leading\"")) << manager_->log();
  EXPECT_TRUE(contains(manager_->log(),
                       "\"The API server has no LeaseCandidates, so nobody "
                       "coordinates the election\""))
      << manager_->log();
  join("node-1");
  EXPECT_TRUE(initialised("node-1")) << manager_->log();
  EXPECT_EQ(api_.get(kMainLease).body.at("spec").count("strategy"), 0u);
}

}  // namespace
}  // namespace ccm::e2e
