// ccmctl asks one of several managers: a standby knows nothing of any object, so ccmctl says who
// leads and how to ask that one.
#include "endpoint_fixture.hpp"

namespace ccm::e2e {
namespace {

using nlohmann::json;

constexpr const char* kUuid = "_3b3a9f4e-6c1d-4d1e-9a55-0123456789ab";
constexpr const char* kLeaseText = "Lease kube-system/cloud-controller-manager";

class StandbyTest : public EndpointTest {
 protected:
  void start_standby(const std::string& host) {
    hold_lease(host + kUuid);
    launch(reviews(), {"--controllers=service-lb-controller"});
    ASSERT_TRUE(logs("Caches are synced")) << manager_->log();
  }
  // In kube-system. A real API server wants a service account for each.
  void make_pod(const std::string& name, const std::string& node, bool host_network) {
    const std::string space = "/api/v1/namespaces/kube-system/";
    const json account = {
        {"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", {{"name", name}}}};
    ASSERT_TRUE(api_.create(space + "serviceaccounts", account).ok());
    const json container = {{"name", "main"}, {"image", "main"}};
    const json pod = {{"apiVersion", "v1"},
                      {"kind", "Pod"},
                      {"metadata", {{"name", name}}},
                      {"spec",
                       {{"nodeName", node},
                        {"hostNetwork", host_network},
                        {"serviceAccountName", name},
                        {"automountServiceAccountToken", false},
                        {"containers", json::array({container})}}}};
    const auto answer = api_.create(space + "pods", pod);
    ASSERT_TRUE(answer.ok()) << answer.http.body;
  }
  static std::string way_to(const std::string& pod) {
    return "; to ask that one, in Pod " + pod + ", leave out --endpoint";
  }
  void expect_line(const Output& output, int code, const std::string& holder,
                   const std::string& next_step) {
    EXPECT_EQ(output.code, code) << output.text;
    const std::size_t begin = output.text.rfind("ccmctl: ");
    ASSERT_NE(begin, std::string::npos) << output.text;
    const std::string line = output.text.substr(begin);
    EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line, and the last: " << output.text;
    EXPECT_TRUE(contains(line, "standby")) << line;
    EXPECT_TRUE(contains(line, kLeaseText + (" is held by " + holder))) << line;
    EXPECT_TRUE(line.ends_with(next_step + "\n")) << line;
  }
};

TEST_F(StandbyTest, ThePodThatLeadsIsNamed) {
  start_standby("ccm-7f9c-abcde");
  make_pod("ccm-7f9c-abcde", "worker-1", false);
  const std::string holder = std::string("ccm-7f9c-abcde") + kUuid;
  const std::string next = way_to("ccm-7f9c-abcde");
  const Output status = ctl({"status"}, server_.kubeconfig());
  expect_line(status, 0, holder, next);
  EXPECT_TRUE(contains(status.text, "sandbox, ")) << "the rest is shown too: " << status.text;
  expect_line(ctl({"status", "-o", "json"}, server_.kubeconfig()), 0, holder, next);
  for (const char* object : {"service/default/web", "route/worker-1"}) {
    const Output explained = ctl({"explain", object}, server_.kubeconfig());
    expect_line(explained, 1, holder, next);
    EXPECT_TRUE(explained.text.starts_with("ccmctl: nothing is known of " + std::string(object)))
        << "nothing that misleads: " << explained.text;
  }
  expect_line(ctl({"explain", "svc/default/web", "-o", "json"}, server_.kubeconfig()), 1, holder,
              next);
}

TEST_F(StandbyTest, WithTheHostsNetworkItIsTheManagersPodOnThatNode) {
  start_standby("worker-1");
  make_pod("kube-proxy-1", "worker-1", true);
  make_pod("digitalocean-cloud-controller-manager-1", "worker-1", true);
  make_pod("digitalocean-cloud-controller-manager-2", "worker-2", true);
  expect_line(ctl({"status"}, server_.kubeconfig()), 0, std::string("worker-1") + kUuid,
              way_to("digitalocean-cloud-controller-manager-1"));
}

TEST_F(StandbyTest, OutsideOfPodsItIsTheHost) {
  start_standby("machine.example");
  expect_line(ctl({"status"}, server_.kubeconfig()), 0, std::string("machine.example") + kUuid,
              "--endpoint=https://machine.example:10258");
}

TEST_F(StandbyTest, AHolderThatIsNoHostIsNoCommand) {
  start_standby("$(reboot)");
  expect_line(ctl({"status"}, server_.kubeconfig()), 0, std::string("$(reboot)") + kUuid,
              "; ask that one");
}

TEST_F(StandbyTest, ALeaseThatCannotBeReadIsNamed) {
  start_standby("ccm-0");
  // A kubeconfig for this user, but the API server is not where it says.
  std::string text = support::read_file(server_.kubeconfig());
  const std::string url = support::read_kubeconfig(server_.kubeconfig()).server;
  text.replace(text.find(url), url.size(), "https://127.0.0.1:1");
  const auto elsewhere = folder_.path() / "elsewhere.kubeconfig";
  support::write_file(elsewhere, text);
  const Output output = ctl({"explain", "service/default/web"}, elsewhere);
  EXPECT_EQ(output.code, 1);
  EXPECT_TRUE(
      contains(output.text, std::string(kLeaseText) + " names the leader, but cannot be read"))
      << output.text;
}

}  // namespace
}  // namespace ccm::e2e
