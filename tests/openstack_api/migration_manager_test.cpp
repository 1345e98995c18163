// From OpenStack's own manager to ours and back: the commands of docs/openstack-migration.md, run
// by kubectl, and load balancers as that manager leaves them.
#include "openstack_api/ask.hpp"
#include "openstack_api/manager_fixture.hpp"
#include "support/checkout.hpp"

#include <string>
#include <vector>

namespace ccm::openstack_api {
namespace {

const std::string kDaemonSet =
    "/apis/apps/v1/namespaces/kube-system/daemonsets/openstack-cloud-controller-manager";
const std::string kRole =
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:cloud-controller-manager";
const std::string kLease =
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cloud-controller-manager";
const std::string kDefaultServices = "/api/v1/namespaces/default/services";

class OpenStackMigrationTest : public OpenStackManagerTest {
 protected:
  OpenStackMigrationTest() : OpenStackManagerTest(false) {}
  void SetUp() override {
    if (server_.kind() == support::ServerKind::kSandbox) {
      GTEST_SKIP() << "needs DaemonSets and RBAC";
    }
    if (!run("command -v kubectl >/dev/null")) GTEST_SKIP() << "needs kubectl";
    // A test's cluster has the account already.
    ASSERT_TRUE(run("kubectl create -f '" CCM_OPENSTACK_UPSTREAM_MANIFEST "'"));
  }
  [[nodiscard]] bool run(const std::string& command) const { return checkout_.run(command); }
  void run_section(const std::string& section) {
    const auto blocks = support::shell_blocks(CCM_OPENSTACK_MIGRATION_PAGE, section);
    ASSERT_FALSE(blocks.empty()) << section;
    for (const std::string& block : blocks) ASSERT_TRUE(run(block)) << section;
  }
  // With the program in the reader's path, and the fake in the place of the cloud.
  void look_first() {
    write_conf();
    const auto made = api_.create(
        "/api/v1/namespaces/kube-system/secrets",
        {{"apiVersion", "v1"},
         {"kind", "Secret"},
         {"metadata", {{"name", "cloud-config"}}},
         {"stringData", {{"cloud.conf", support::read_file(folder_.path() / "cloud.conf")}}}});
    ASSERT_TRUE(made.ok()) << made.http.body;
    const std::filesystem::path program = support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM);
    const auto blocks = support::shell_blocks(CCM_OPENSTACK_MIGRATION_PAGE, "Look first");
    ASSERT_EQ(blocks.size(), 1U);
    ASSERT_TRUE(
        run("export PATH='" + program.parent_path().string() + "':\"$PATH\"\n" + blocks[0]));
  }
  json container() {
    const json containers =
        api_.get(kDaemonSet).body.at("spec").at("template").at("spec").at("containers");
    EXPECT_EQ(containers.size(), 1U) << containers;
    return containers.at(0);
  }

  const support::Checkout checkout_{folder_.path(), server_.kubeconfig()};
};

TEST_F(OpenStackMigrationTest, OS_2_12_15_OfThePageLeadsToOursAndBack) {
  const json spec = api_.get(kDaemonSet).body.at("spec");
  const json rules = api_.get(kRole).body.at("rules");
  look_first();
  run_section("Before");

  // The Lease that the page looks at is there when our manager ran: with the flags and the role
  // that the page applies.
  const auto blocks = support::shell_blocks(CCM_OPENSTACK_MIGRATION_PAGE, "Go");
  ASSERT_EQ(blocks.size(), 2U);
  ASSERT_TRUE(run(blocks[0]));
  const json ours = container();
  EXPECT_EQ(ours.at("command"), json::array({"/usr/bin/cloud-controller-manager"}));
  EXPECT_FALSE(ours.contains("env"));
  EXPECT_NE(api_.get(kRole).body.at("rules"), rules);
  server_.give_rights({});  // the page's stay
  std::vector<std::string> flags = {"--leader-elect=true"};
  for (const json& flag : ours.at("args")) {
    if (flag != "--cloud-config=/etc/config/cloud.conf") flags.push_back(flag);
  }
  start("*", flags);
  ASSERT_TRUE(support::eventually(support::patience(), [&] {
    return api_.get(kLease).body.value("/spec/holderIdentity"_json_pointer, "") != "";
  }));
  ASSERT_TRUE(run(blocks[1]));
  EXPECT_EQ(manager_->stop().code, 0);

  run_section("Back");
  EXPECT_EQ(api_.get(kDaemonSet).body.at("spec"), spec);
  EXPECT_EQ(api_.get(kRole).body.at("rules"), rules);
}

TEST_F(OpenStackMigrationTest, AnApplyOverTheirsLeavesOneContainerThatIsOurs) {
  ASSERT_TRUE(run("kubectl apply -f deploy/manifests/openstack/"));
  EXPECT_EQ(container().at("command"), json::array({"/usr/bin/cloud-controller-manager"}));
  EXPECT_EQ(api_.get("/api/v1/namespaces/kube-system/secrets/cloud-config").status, 404)
      << "a placeholder went over the credentials";
}

// The chart's DaemonSet has other labels (OS-13).
TEST_F(OpenStackMigrationTest, OS_13_TheDaemonSetOfTheChartIsReplacedByForce) {
  ASSERT_TRUE(
      run("kubectl -n kube-system get daemonset/openstack-cloud-controller-manager -o yaml |"
          " sed 's/k8s-app: .*/component: controllermanager/;/^ *uid:/d' >chart.yaml\n"
          "kubectl replace --force -f chart.yaml"));
  EXPECT_FALSE(run("kubectl replace -f deploy/manifests/openstack/daemonset.yaml"));
  EXPECT_TRUE(
      run("kubectl replace --force --save-config -f "
          "deploy/manifests/openstack/daemonset.yaml"));
  EXPECT_EQ(container().at("command"), json::array({"/usr/bin/cloud-controller-manager"}));
}

// A load balancer of the Go manager, field by field.
class OpenStackTakeoverTest : public OpenStackManagerTest {
 protected:
  static json pool(const std::string& name, int index, const json& members) {
    return {{"name", "pool_" + std::to_string(index) + "_" + name},
            {"protocol", "TCP"},
            {"lb_algorithm", "ROUND_ROBIN"},
            {"members", members}};
  }
  static json listener(const std::string& name, int index, int port, const json& pool) {
    return {{"name", "listener_" + std::to_string(index) + "_" + name},
            {"protocol", "TCP"},
            {"protocol_port", port},
            {"connection_limit", -1},
            {"tags", json::array({name})},
            {"timeout_client_data", 50'000},
            {"timeout_member_connect", 5'000},
            {"timeout_member_data", 50'000},
            {"timeout_tcp_inspect", 0},
            {"allowed_cidrs", json::array({"0.0.0.0/0"})},
            {"default_pool", pool}};
  }
  // Its floating IP's address.
  std::string make(Cloud& cloud, const json& service, const json& nodes, std::string& id) {
    const json& ids = cloud_.facts().at("ids");
    const std::string name = "kube_service_kubernetes_default_web";
    const std::string token = token_of(cloud, "demo");
    json listeners = json::array();
    for (const json& port : service.at("spec").at("ports")) {
      json members = json::array();
      for (const auto& [node, address] : nodes.items()) {
        members.push_back({{"name", node},
                           {"address", address},
                           {"protocol_port", port.at("nodePort")},
                           {"subnet_id", ids.at("private-v4")}});
      }
      const int index = static_cast<int>(listeners.size());
      listeners.push_back(listener(name, index, port.at("port"), pool(name, index, members)));
    }
    const json balancer =
        ask(cloud, "POST", "/load-balancer/v2.0/lbaas/loadbalancers",
            {{"loadbalancer",
              {{"name", name},
               {"description", "Kubernetes external service default/web from cluster kubernetes"},
               {"provider", "amphora"},
               {"tags", json::array({name})},
               {"vip_subnet_id", ids.at("private-v4")},
               {"listeners", listeners}}}},
            token);
    id = balancer.at("loadbalancer").at("id");
    const json floating = ask(cloud, "POST", "/networking/v2.0/floatingips",
                              {{"floatingip",
                                {{"floating_network_id", ids.at("public")},
                                 {"port_id", balancer.at("loadbalancer").at("vip_port_id")},
                                 {"description",
                                  "Floating IP for Kubernetes external service default/web from "
                                  "cluster kubernetes"}}}},
                              token);
    cloud.region().load_balancing.advance();
    return floating.at("floatingip").at("floating_ip_address");
  }
};

TEST_F(OpenStackTakeoverTest, OS_217_221_225_253_264_274_ItIsTakenOverWithoutAWrite) {
  const auto servers = add_servers("worker-", 3, "private");
  json nodes = json::object();
  for (int i = 0; i < 3; ++i) {
    const std::string name = "worker-" + std::to_string(i);
    join(name, "openstack:///" + servers[i]);
    cloud_.with([&](Cloud& cloud) {
      const json* port = cloud.region().network.records("ports").find_by("device_id", servers[i]);
      nodes[name] = port->at("fixed_ips").at(0).at("ip_address");
    });
  }
  write_conf();
  start("cloud-node-controller");
  ASSERT_TRUE(
      support::eventually(support::patience(), [&] { return initialised("worker-") == 3; }));
  manager_->stop();

  const json ports = json::array({{{"name", "web"}, {"port", 80}, {"protocol", "TCP"}},
                                  {{"name", "tls"}, {"port", 443}, {"protocol", "TCP"}}});
  const auto made = api_.create(
      kDefaultServices,
      {{"apiVersion", "v1"},
       {"kind", "Service"},
       {"metadata",
        {{"name", "web"}, {"finalizers", {"service.kubernetes.io/load-balancer-cleanup"}}}},
       {"spec", {{"type", "LoadBalancer"}, {"selector", {{"app", "web"}}}, {"ports", ports}}}});
  ASSERT_EQ(made.status, 201) << made.http.body;
  std::string address;
  std::string id;
  cloud_.with([&](Cloud& cloud) { address = make(cloud, made.body, nodes, id); });
  const std::string path = kDefaultServices + "/web";
  const std::string prefix = "loadbalancer.openstack.org/load-balancer-";
  const json annotations = {{prefix + "id", id}, {prefix + "address", address}};
  api_.patch(path, support::kMergePatch, {{"metadata", {{"annotations", annotations}}}});
  const json ingress = json::array({{{"ip", address}, {"ipMode", "VIP"}}});
  const auto shown = api_.patch(path + "/status", support::kMergePatch,
                                {{"status", {{"loadBalancer", {{"ingress", ingress}}}}}});
  ASSERT_EQ(shown.status, 200) << shown.http.body;

  cloud_.with([](Cloud& cloud) { cloud.clear_log(); });
  start("cloud-node-controller,service-lb-controller", {"--cluster-name=kubernetes"});
  const auto calls = [&](const char* method, const char* pattern) {
    int64_t count = 0;
    cloud_.with([&](Cloud& cloud) { count = cloud.calls(method, pattern); });
    return count;
  };
  ASSERT_TRUE(support::eventually(support::patience(), [&] {
    return calls("GET", "/floatingips") > 0;
  })) << tail(manager_->log());
  cloud_.with([](Cloud& cloud) { EXPECT_EQ(cloud.writes(), 0); });

  // A change is one of it alone.
  api_.patch(path, support::kMergePatch, {{"spec", {{"sessionAffinity", "ClientIP"}}}});
  EXPECT_TRUE(support::eventually(support::patience(), [&] { return calls("PUT", "/pools/") > 0; }))
      << tail(manager_->log());
  EXPECT_EQ(api_.get(path).body["status"]["loadBalancer"]["ingress"][0]["ip"], address);
  EXPECT_EQ(api_.remove(path).status, 200);
  EXPECT_TRUE(support::eventually(support::patience(), [&] {
    std::size_t left = 1;
    cloud_.with([&](Cloud& cloud) {
      cloud.region().load_balancing.advance();
      left = cloud.region().load_balancing.records("loadbalancers").size() +
             cloud.region().network.records("floatingips").size();
    });
    return left == 0;
  })) << tail(manager_->log());
}

}  // namespace
}  // namespace ccm::openstack_api
