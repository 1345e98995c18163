// `ccmctl status` without arguments: the leader by the Lease, through the API server, with the
// certificate that the leader has published.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

#include <unistd.h>

#include <csignal>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

constexpr const char* kLeaseOfLeader =
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cloud-controller-manager";
constexpr const char* kCertificateOfLeader = "cloud-controller-manager/serving-certificate-sha256";
constexpr const char* kPortOfLeader = "cloud-controller-manager/serving-port";

class TunnelTest : public EndpointTest {
 protected:
  void SetUp() override {
    if (real()) GTEST_SKIP() << "a real API server forwards to kubelets only";
    reviews_through_proxy();
    proxy_->forward_pods_to(static_cast<uint16_t>(port()));
    start(reviews());
    ASSERT_TRUE(
        eventually(patience(), [this] { return annotations().contains(kCertificateOfLeader); }));
  }
  json annotations() {
    const json lease = api_.get(kLeaseOfLeader).body;
    return lease.value("metadata", json::object()).value("annotations", json::object());
  }
  static std::string host() {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
  }
  void make_pod() {
    const json container = {{"name", "main"}, {"image", "main"}};
    const auto answer = api_.create("/api/v1/namespaces/kube-system/pods",
                                    {{"apiVersion", "v1"},
                                     {"kind", "Pod"},
                                     {"metadata", {{"name", host()}}},
                                     {"spec", {{"containers", json::array({container})}}}});
    ASSERT_TRUE(answer.ok()) << answer.http.body;
  }
  // The user of the cluster's kubeconfig, by the proxy, which forwards ports of Pods.
  std::string by_proxy() {
    std::string text = support::read_file(server_.kubeconfig());
    const std::string url = support::read_kubeconfig(server_.kubeconfig()).server;
    text.replace(text.find(url), url.size(), proxy_->server());
    const auto file = folder_.path() / "by-proxy.kubeconfig";
    support::write_file(file, text);
    return file;
  }
  Output run(std::vector<std::string> arguments, const std::string& program) {
    arguments.insert(arguments.begin(), program);
    arguments.push_back("--kubeconfig=" + by_proxy());
    const auto log = folder_.path() / "tunnel.log";
    support::Process process(arguments, {log, {{"KUBECONFIG", ""}, {"HOME", ""}}});
    const auto ended = process.wait(patience());
    return {ended ? ended->code : -1, process.log()};
  }
  static std::string ccmctl() { return support::program("CCM_CTL", CCM_CTL_PROGRAM); }
};

TEST_F(TunnelTest, Issue42_4_TheLeaderIsFoundAndAskedThroughTheApiServer) {
  make_pod();
  EXPECT_EQ(annotations().at(kPortOfLeader), std::to_string(port()));
  EXPECT_EQ(annotations().at(kCertificateOfLeader).get<std::string>().size(), 64u);
  const Output status = run({"status"}, ccmctl());
  EXPECT_EQ(status.code, 0) << status.text;
  EXPECT_TRUE(contains(status.text, "sandbox, ready")) << status.text;
  join("node-1");
  ASSERT_TRUE(initialised("node-1"));
  const Output explained = run({"explain", "node/node-1"}, ccmctl());
  EXPECT_TRUE(contains(explained.text, "Settled at")) << explained.text;
  // kubectl runs it by this name.
  const auto plugin = std::filesystem::path(ccmctl()).parent_path() / "kubectl-ccm";
  EXPECT_EQ(run({"status"}, plugin).code, 0);
}

// A standby, which publishes nothing, answers in the leader's place.
TEST_F(TunnelTest, Issue42_4_ACertificateThatTheLeaderDidNotPublishIsRefused) {
  make_pod();
  const std::unique_ptr<support::Process> leader = std::move(manager_);
  const support::ReservedPort other;
  launch(reviews(), {"--secure-port=" + std::to_string(other.port()),
                     "--cert-dir=" + (folder_.path() / "other").string()});
  ASSERT_TRUE(logs("Caches are synced")) << manager_->log();
  proxy_->forward_pods_to(static_cast<uint16_t>(other.port()));
  const Output refused = run({"status"}, ccmctl());
  EXPECT_EQ(refused.code, 1) << refused.text;
  EXPECT_TRUE(contains(refused.text, "fingerprint is ")) << refused.text;
  EXPECT_TRUE(contains(refused.text, annotations().at(kCertificateOfLeader))) << refused.text;
  EXPECT_FALSE(contains(refused.text, "Version")) << refused.text;
}

TEST_F(TunnelTest, Issue42_4_APortThatNobodyListensOnIsSaid) {
  make_pod();
  const support::ReservedPort nobody;
  proxy_->forward_pods_to(static_cast<uint16_t>(nobody.port()));
  const Output refused = run({"status"}, ccmctl());
  EXPECT_EQ(refused.code, 1) << refused.text;
  EXPECT_TRUE(contains(refused.text, "Connection refused")) << refused.text;
}

// A manager of a package, in no Pod.
TEST_F(TunnelTest, Issue42_4_OnTheSameMachineThePublishedPortAndCertificateAreEnough) {
  const Output status = run({"status"}, ccmctl());
  EXPECT_EQ(status.code, 0) << status.text;
  EXPECT_TRUE(contains(status.text, "sandbox, ready")) << status.text;
}

TEST_F(TunnelTest, Issue42_4_WithoutItsPodTheReasonIsSaid) {
  manager_->send(SIGKILL);
  ASSERT_TRUE(manager_->wait(patience()));
  const Output refused = run({"status"}, ccmctl());
  EXPECT_EQ(refused.code, 1) << refused.text;
  EXPECT_TRUE(contains(refused.text, "the leader cannot be asked through the API server: the Pod"))
      << refused.text;
  const std::string here = "https://127.0.0.1:" + std::to_string(port()) + ": ";
  EXPECT_TRUE(contains(refused.text, here)) << refused.text;
  const std::string there =
      "; if the leader is on another machine, run ccmctl there, or give its "
      "certificate with --certificate-authority=FILE --endpoint=https://" +
      host() + ":" + std::to_string(port());
  EXPECT_TRUE(contains(refused.text, there)) << refused.text;
  EXPECT_FALSE(contains(refused.text, "--insecure-skip-tls-verify")) << refused.text;
  EXPECT_TRUE(contains(refused.text, "https://127.0.0.1:10258")) << refused.text;
}

TEST_F(TunnelTest, Issue42_4_WithoutTheRightItIsNamed) {
  make_pod();
  proxy_->add({.target = "/portforward", .status = 403});
  proxy_->forward_pods_to(0);
  const Output refused = run({"status"}, ccmctl());
  EXPECT_EQ(refused.code, 1) << refused.text;
  EXPECT_TRUE(contains(refused.text, "get and create on pods/portforward in namespace kube-system"))
      << refused.text;
}

}  // namespace
}  // namespace ccm::e2e
