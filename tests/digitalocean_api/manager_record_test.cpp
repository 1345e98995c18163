// --record, and ccm-sandbox --replay: a fault of the cloud is seen again without the cloud.
#include "manager_fixture.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ccm::digitalocean_api {
namespace {

using support::eventually;
using support::patience;

constexpr const char* kToken = "dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef";
constexpr const char* kReason = "the size of the moon is not available in nyc3";

// Another machine, and no cloud: an empty cluster with objects of the same names.
class Replay {
 public:
  Replay(const std::filesystem::path& folder, const std::string& recording)
      : folder_(folder / "replay"),
        server_({support::program("CCM_SANDBOX", CCM_SANDBOX_PROGRAM), "--directory",
                 folder_.string(), "--no-cloud", "--replay", recording},
                folder_) {
    KubeClient client = api();
    for (int i = 0; i < 2; ++i) {
      const auto made =
          client.create("/api/v1/nodes",
                        support::uninitialised_node("node-" + std::to_string(i),
                                                    "digitalocean://" + std::to_string(5000 + i)));
      EXPECT_EQ(made.status, 201) << made.http.body;
    }
    const json ports = json::array({{{"port", 80}, {"protocol", "TCP"}}});
    const auto made = client.create(
        "/api/v1/namespaces/default/services",
        {{"apiVersion", "v1"},
         {"kind", "Service"},
         {"metadata", {{"name", "web"}}},
         {"spec", {{"type", "LoadBalancer"}, {"selector", {{"app", "web"}}}, {"ports", ports}}}});
    EXPECT_EQ(made.status, 201) << made.http.body;
  }
  [[nodiscard]] KubeClient api() const { return KubeClient(folder_ / "kubeconfig"); }
  [[nodiscard]] std::string log() const { return support::read_file(folder_ / "log"); }
  [[nodiscard]] std::unique_ptr<support::Process> manager() const {
    return std::make_unique<support::Process>(
        std::vector<std::string>{support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                 "--kubeconfig=" + (folder_ / "kubeconfig").string(),
                                 "--cloud-provider=digitalocean", "--leader-elect=false",
                                 "--secure-port=0"},
        support::ProcessOptions{folder_ / "manager.log",
                                {{"DO_ACCESS_TOKEN", "any"},
                                 {"DO_OVERRIDE_URL", server_.ready().at("replay")},
                                 {"REGION", "nyc3"},
                                 {"KUBECONFIG", ""},
                                 {"HOME", ""}}});
  }

 private:
  const std::filesystem::path folder_;
  support::ReadyServer server_;
};

class ManagerRecordTest : public ManagerTest {
 protected:
  [[nodiscard]] std::string recording() const { return (folder_.path() / "report.jsonl").string(); }
  // The Event that says why the Service has no load balancer.
  bool refused(KubeClient& api) {
    return eventually(patience(), [&] {
      return api.get("/api/v1/namespaces/default/events").http.body.find(kReason) !=
             std::string::npos;
    });
  }
};

TEST_F(ManagerRecordTest, ARecordedFaultIsSeenAgainWithoutTheCloudAndTheFileHasNoSecret) {
  cloud_.with([](Api& api) {
    api.token = kToken;
    ApiFault busy;  // is retried, and is no part of the outcome
    busy.method = "GET";
    busy.path_prefix = "/v2/load_balancers";
    busy.status = 502;
    busy.body = std::string("<html>502, you are ") + kToken + "</html>";
    api.add_fault(busy);
    ApiFault refusal;
    refusal.method = "POST";
    refusal.path_prefix = "/v2/load_balancers";
    refusal.status = 422;
    refusal.body = std::string(R"({"id":"unprocessable_entity","message":")") + kReason + R"("})";
    refusal.count = -1;
    api.add_fault(refusal);
  });
  two_nodes();
  serve("web");
  start("*", {{"DO_ACCESS_TOKEN", kToken}},
        {"--leader-elect=false", "--secure-port=0", "--record=" + recording()});
  ASSERT_TRUE(refused(api_)) << manager_->log();
  EXPECT_NE(manager_->log().find("\"HTTP exchanges of the provider are recorded"),
            std::string::npos);
  manager_->stop();

  struct stat status {};
  ASSERT_EQ(stat(recording().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  const std::string text = support::read_file(recording());
  EXPECT_EQ(text.find(kToken), std::string::npos);
  EXPECT_EQ(text.find("Bearer"), std::string::npos);
  EXPECT_NE(text.find(kReason), std::string::npos);

  const Replay replay(folder_.path(), recording());
  KubeClient api = replay.api();
  const int64_t before = calls();
  const auto again = replay.manager();
  EXPECT_TRUE(refused(api)) << again->log() << replay.log();
  EXPECT_EQ(support::count_initialised(api, "node-"), 2) << "as they were while it was recorded";
  EXPECT_EQ(calls(), before) << "the cloud was not asked";
  again->stop();
}

// The Service has another UID there, of which name and mark of its load balancer consist.
TEST_F(ManagerRecordTest, ARecordedLoadBalancerIsThatOfTheServiceInAnotherCluster) {
  two_nodes();
  serve("web");
  start("*", {}, {"--leader-elect=false", "--secure-port=0", "--record=" + recording()});
  ASSERT_TRUE(eventually(patience(), [&] { return has_address("web"); })) << manager_->log();
  const std::string web = "/api/v1/namespaces/default/services/web";
  const json recorded = api_.get(web).body.at("status").at("loadBalancer");
  manager_->stop();

  const Replay replay(folder_.path(), recording());
  KubeClient api = replay.api();
  const auto again = replay.manager();
  EXPECT_TRUE(eventually(
      patience(), [&] { return api.get(web).body.at("status").at("loadBalancer") == recorded; }))
      << again->log() << replay.log();
  again->stop();
}

TEST_F(ManagerRecordTest, AFileThatCannotBeWrittenIsRefusedAtTheStart) {
  start("*", {}, {"--leader-elect=false", "--secure-port=0", "--record=/nowhere/report.jsonl"});
  const auto ended = manager_->wait(patience());
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, 1);
  EXPECT_NE(manager_->log().find(
                "Error: --record: cannot write /nowhere/report.jsonl: No such file or directory"),
            std::string::npos)
      << manager_->log();
}

}  // namespace
}  // namespace ccm::digitalocean_api
