// Load balancers that the Go manager made, and whose they are.
#include "load_balancers_fixture.hpp"

namespace ccm::openstack {
namespace {

class OpenStackAdoptionTest : public OpenStackLoadBalancersTest {
 protected:
  // The Service as the Go manager leaves it, with the annotation that it writes.
  LoadBalancerService left_by_go(const LoadBalancerService& service,
                                 const std::map<std::string, std::string>& annotations = {}) {
    made = ensured(annotated(service, annotations), nodes());
    leave_no_marks();
    known_id.clear();
    start(settings);
    LoadBalancerService left = annotated(service, annotations, made.ingress[0].ip);
    left.id = made.id;
    return left;
  }

  // This manager sees to another cluster of the same name from now on: other Nodes, other Services.
  void be_another_cluster() {
    for (const Backend& node : nodes()) host.kube.remove("v1/nodes", node.name);
    start(settings);
  }
  // A Service of the same name as the one that was left, in another cluster. Its user knows the
  // load balancer's ID.
  LoadBalancerService thief_with(const std::map<std::string, std::string>& annotations = {},
                                 const json& ingress = json::array()) {
    LoadBalancerService thief = web();
    thief.uid = "thief";
    thief = annotated(thief, annotations);
    thief.id = made.id;
    json object = json::parse(thief.object.json());
    object["status"]["loadBalancer"]["ingress"] = ingress;
    thief.object = host.objects.make(object.dump());
    return thief;
  }
  void expect_left_alone(const LoadBalancerService& thief) {
    cloud.clear_log();
    EXPECT_EQ(observe(thief, nodes())->state, LoadBalancerState::foreign);
    EXPECT_EQ(ensure(thief, nodes())->state, LoadBalancerState::foreign);
    EXPECT_EQ(update(thief, nodes(2)).status().reason(), "NotOwned");
    EXPECT_EQ(remove(thief).reason(), "NotOwned");
    EXPECT_EQ(cloud.writes(), 0);
  }
  void expect_taken_over_without_a_write(const LoadBalancerService& service) {
    cloud.clear_log();
    const auto seen = observe(service, nodes());
    ASSERT_TRUE(seen.ok()) << seen.status().message();
    EXPECT_EQ(seen->id, made.id);
    EXPECT_EQ(seen->difference, "");
    EXPECT_EQ(ensured(service, nodes()).id, made.id);
    EXPECT_EQ(cloud.writes(), 0);
  }

  LoadBalancer made;
  std::string settings = "lb-method = ROUND_ROBIN\n";
};

TEST_F(OpenStackAdoptionTest, OS_197_217_221_404_AnUnchangedServiceCostsNoWrite) {
  const auto service = left_by_go(web(3));
  const auto seen = observe(service, nodes());
  ASSERT_TRUE(seen.ok()) << seen.status().message();
  EXPECT_EQ(seen->state, LoadBalancerState::active);
  EXPECT_EQ(seen->difference, "");
  EXPECT_EQ(ensured(service, nodes()).ingress, made.ingress);
  EXPECT_TRUE(update(service, nodes()).ok());
  EXPECT_EQ(cloud.writes(), 0);
}

// HTTP, timeouts, monitors, certificates: all that it writes is read as the same.
TEST_F(OpenStackAdoptionTest, OS_206_209_212_404_NorDoesOneWithOptions) {
  settings = "create-monitor = true\n";
  start(settings);
  LoadBalancerService service = web(2);
  service.client_ip_affinity = true;
  service.source_ranges = {"10.0.0.0/8", "192.0.2.0/24"};
  const auto left = left_by_go(service, {{"x-forwarded-for", "true"},
                                         {"timeout-client-data", "60000"},
                                         {"connection-limit", "500"},
                                         {"health-monitor-delay", "7"},
                                         {"lb-method", "LEAST_CONNECTIONS"}});
  EXPECT_EQ(observe(left, nodes())->difference, "");
  ensured(left, nodes());
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(OpenStackAdoptionTest, OS_225_266_TheFirstChangeAddsTheMarkAndKeepsTags) {
  const auto service = left_by_go(web());
  octavia().records("loadbalancers").begin()->at("tags").push_back("the-users");
  ensured(service, nodes(2));
  EXPECT_EQ(only("loadbalancers").at("tags"),
            json::array({"ccm-service:0b1c", "kube_service_kubernetes_default_web", "the-users"}));
  cloud.clear_log();
  ensured(service, nodes(2));
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(OpenStackAdoptionTest, OS_226_229_TheNameAloneProvesNothingButTheStatusDoes) {
  auto service = left_by_go(web());
  const auto shown = service;
  service.id.clear();
  EXPECT_EQ(observe(service, nodes())->id, made.id);
  EXPECT_EQ(update(service, nodes(2))->id, made.id);
  // Another cluster of this name, with a Service of this name, whose address is another.
  leave_no_marks();
  LoadBalancerService other = annotated(web(), {}, "203.0.113.250");
  other.uid = "another";
  EXPECT_EQ(observe(other, nodes())->state, LoadBalancerState::absent);
  EXPECT_TRUE(remove(other).ok());
  EXPECT_EQ(count("loadbalancers"), 1U);
  EXPECT_NE(ensured(other, nodes()).id, made.id);
}

// The annotation `hostname` is the tenant's, and comes back in the status (OS-214).
TEST_F(OpenStackAdoptionTest, OS_214_229_AHostNameInTheStatusIsNoProof) {
  left_by_go(web(2));
  be_another_cluster();
  const std::string address = made.ingress[0].ip;
  for (const std::string& name : {address + ".example.com", address + ".nip.io", address}) {
    SCOPED_TRACE(name);
    expect_left_alone(thief_with({{"hostname", name}}, {{{"hostname", name}}}));
    expect_left_alone(thief_with({}, {{{"hostname", name}}}));  // it stood there before
  }
}

TEST_F(OpenStackAdoptionTest, OS_197_229_TheIdAndTheNameAreNoProofInAnotherCluster) {
  left_by_go(web(2));
  be_another_cluster();
  expect_left_alone(thief_with());
}

// kube-vip writes the address that a Service asks for into its status.
TEST_F(OpenStackAdoptionTest, OS_229_AnAddressThatTheServiceAsksForIsNoProof) {
  left_by_go(web());
  be_another_cluster();
  const std::string address = made.ingress[0].ip;
  auto by_field = thief_with({}, {{{"ip", address}}});
  by_field.requested_ip = address;
  expect_left_alone(by_field);
  expect_left_alone(
      thief_with({{"kube-vip.io/loadbalancerIPs", "10.0.0.1, " + address}}, {{{"ip", address}}}));
  // The manager writes this one itself (OS-198).
  expect_taken_over_without_a_write(
      thief_with({{"load-balancer-address", address}}, {{{"ip", address}}}));
}

// Networks of a project may have the same addresses.
TEST_F(OpenStackAdoptionTest, OS_229_AMemberIsANodesWhereNeutronSaysSo) {
  left_by_go(web());
  be_another_cluster();
  auto elsewhere = nodes();
  for (Backend& node : elsewhere)
    node.provider_id = "openstack:///11111111-2222-4333-8444-555555555555";
  join(elsewhere);
  expect_left_alone(thief_with());
  join(nodes());
  start();
  expect_taken_over_without_a_write(thief_with());
}

// Such a Node and the tenant together took the load balancer over.
TEST_F(OpenStackAdoptionTest, Issue37_OneNodeThatNamesAServerOfAnotherClusterProvesNothing) {
  left_by_go(web());
  be_another_cluster();
  auto one = nodes(1);
  for (const Backend& node : nodes()) one[0].addresses.push_back(node.addresses[0]);
  join(one);
  expect_left_alone(thief_with());
  join(nodes(2));
  start();
  expect_taken_over_without_a_write(thief_with());
}

TEST_F(OpenStackAdoptionTest, OS_229_WhoHasOneOfItsOwnGetsNoOtherByItsStatus) {
  left_by_go(web());
  LoadBalancerService thief = web();
  thief.uid = "thief";
  thief.ports[0].port = 81;
  known_id.clear();
  const std::string own = ensured(annotated(thief, {}), nodes()).id;
  ASSERT_NE(own, made.id);
  be_another_cluster();
  const auto claims = thief_with({}, {{{"ip", made.ingress[0].ip}}});
  EXPECT_EQ(observe(claims, nodes())->id, own);
  EXPECT_TRUE(removed(claims));
  EXPECT_EQ(only("loadbalancers").at("id"), made.id);
}

// Each as the Go manager leaves it: the status has an address, a name of it, or what the user says.
TEST_F(OpenStackAdoptionTest, OS_197_293_404_SixtyFourServicesOfTheGoManagerCostNoWrite) {
  for (int bits = 0; bits < 64; ++bits) {
    const auto has = [bits](int bit) { return (bits & (1 << bit)) != 0; };
    settings = has(0) ? "enable-ingress-hostname = true\n" : "create-monitor = true\n";
    start(settings);
    std::map<std::string, std::string> annotations;
    if (has(1)) annotations["proxy-protocol"] = "true";
    if (has(2)) annotations["hostname"] = "web.example.com";
    if (has(3)) annotations["service.beta.kubernetes.io/openstack-internal-load-balancer"] = "true";
    if (has(4)) annotations["keep-floatingip"] = "true";
    SCOPED_TRACE(json(annotations).dump() + settings);
    LoadBalancerService service = web(has(5) ? 2 : 1);
    left_by_go(service, annotations);
    json ingress = {{"ip", made.ingress[0].ip}};
    if (!made.ingress[0].hostname.empty()) ingress = {{"hostname", made.ingress[0].hostname}};
    annotations["load-balancer-address"] = made.annotations.at(0).value;
    const std::string uid = service.uid;
    service = thief_with(annotations, json::array({ingress}));
    service.uid = uid;
    service.ports = web(has(5) ? 2 : 1).ports;
    expect_taken_over_without_a_write(service);
    EXPECT_TRUE(removed(service));
    EXPECT_EQ(count("loadbalancers"), 0U);
    cloud.region().network.records("floatingips").remove_if([](const json&) { return true; });
    known_id.clear();
  }
}

TEST_F(OpenStackAdoptionTest, OS_229_418_ANameThatIsMarkedForAnotherIsForeign) {
  left_by_go(web());
  ensured(web(2), nodes());  // another cluster's, with marks
  LoadBalancerService thief = annotated(web(), {});
  thief.uid = "thief";
  for (const json& balancer : octavia().records("loadbalancers")) {
    if (balancer.at("tags").size() > 1) thief.id = balancer.at("id");
  }
  cloud.clear_log();
  for (const int32_t port : {80, 90}) {  // also one that is free
    thief.ports[0].port = port;
    EXPECT_EQ(ensure(thief, nodes())->state, LoadBalancerState::foreign);
    EXPECT_EQ(observe(thief, nodes())->state, LoadBalancerState::foreign);
  }
  EXPECT_EQ(remove(thief).reason(), "NotOwned");
  EXPECT_EQ(cloud.writes(), 0);
  thief.cluster_name = "elsewhere";
  EXPECT_EQ(ensure(thief, nodes())->state, LoadBalancerState::foreign);
}

TEST_F(OpenStackAdoptionTest, OS_223_AnOldNameOfTheUidIsAProof) {
  const auto service = left_by_go(web());
  LoadBalancerService old = service;
  old.id.clear();
  old.default_name = "a0b1c";
  json& balancer = *octavia().records("loadbalancers").begin();
  balancer["name"] = old.default_name;
  balancer["tags"] = json::array();
  EXPECT_EQ(observe(old, nodes())->id, made.id);
}

// Tags are not written there, and nothing is renamed.
TEST_F(OpenStackAdoptionTest, OS_313_314_AnotherClusterNameIsNoReasonToRename) {
  auto service = left_by_go(web());
  service.cluster_name = "renamed";
  EXPECT_EQ(observe(service, nodes())->difference, "");
  ensured(service, nodes());
  EXPECT_EQ(cloud.writes(), 0);
  EXPECT_TRUE(removed(service));
  EXPECT_EQ(count("loadbalancers") + floating_ips(), 0U);
}

TEST_F(OpenStackAdoptionTest, OS_306_307_310_DeletionTakesWhatTheGoManagerMade) {
  const auto service = left_by_go(web(2));
  EXPECT_TRUE(removed(service));
  EXPECT_EQ(count("loadbalancers") + count("listeners") + count("pools") + floating_ips(), 0U);
}

TEST_F(OpenStackAdoptionTest, OS_421_LocalTrafficWithoutAMonitorGetsOne) {
  LoadBalancerService local = web();
  const auto left = left_by_go(local);
  local = left;
  local.local_traffic = true;
  local.health_check_node_port = 32'000;
  EXPECT_EQ(observe(local, nodes())->difference,
            "members of TCP port 80, health monitor of TCP port 80");
  const auto refused = annotated(local, {{"enable-health-monitor", "false"}}, made.ingress[0].ip);
  EXPECT_EQ(observe(refused, nodes())->difference, "");
}

TEST_F(OpenStackAdoptionTest, OS_313_TheAdministratorsWordMovesItWithItsListeners) {
  LoadBalancerService former = web(2);
  former.uid = "former";
  const auto its = ensured(former, nodes());
  known_id.clear();
  LoadBalancerService service = web();
  service.name = "heir";
  service.adopt_id = its.id;
  EXPECT_EQ(ensured(service, nodes()).id, its.id);
  EXPECT_EQ(count("listeners"), 1U);
  EXPECT_EQ(only("loadbalancers").at("tags"),
            json::array({"ccm-service:0b1c", "kube_service_kubernetes_default_heir"}));
  former.id = its.id;
  EXPECT_EQ(remove(former).reason(), "");
  EXPECT_EQ(count("loadbalancers"), 1U);
  service.adopt_id.clear();
  service.id = its.id;
  EXPECT_EQ(observe(service, nodes())->difference, "");
}

TEST_F(OpenStackAdoptionTest, OS_229_AnIdThatLeadsElsewhereHidesNotItsOwn) {
  LoadBalancerService other = web();
  other.uid = "another";
  other.cluster_name = "elsewhere";
  LoadBalancerService service = web();
  service.id = ensured(other, nodes()).id;
  known_id.clear();
  made = ensured(web(), nodes());
  EXPECT_NE(made.id, service.id);
  for (const auto& answer :
       {observe(service, nodes()), ensure(service, nodes()), update(service, nodes())}) {
    ASSERT_TRUE(answer.ok()) << answer.status().message();
    EXPECT_EQ(answer->state, LoadBalancerState::active);
    EXPECT_EQ(answer->id, made.id);
  }
  EXPECT_TRUE(removed(service));
  EXPECT_EQ(only("loadbalancers").at("id"), service.id);
}

// It may have served its former owner: neither its name nor the empty status says that it is new.
TEST_F(OpenStackAdoptionTest, OS_257_313_OneThatWasTakenOverIsNotDeletedInError) {
  for (const char* heir : {"heir", "web"}) {
    for (const char* listeners : {"ACTIVE", "ERROR"}) {
      SCOPED_TRACE(std::string(heir) + " " + listeners);
      known_id.clear();
      LoadBalancerService former = web(2);
      former.uid = "former";
      LoadBalancerService service = web();
      service.name = heir;
      service.adopt_id = ensured(former, nodes()).id;
      ensured(service, nodes());
      octavia().set_status(service.adopt_id, "ERROR");
      for (json& listener : octavia().records("listeners")) {
        listener["provisioning_status"] = listeners;
      }
      EXPECT_EQ(ensure(service, nodes()).status().reason(), "LoadBalancerError");
      service.id = std::exchange(service.adopt_id, "");
      EXPECT_EQ(ensure(service, nodes()).status().reason(), "LoadBalancerError");
      EXPECT_EQ(count("loadbalancers"), 1U);
      EXPECT_EQ(floating_ips(), 1U);
      EXPECT_TRUE(removed(service));
    }
  }
}

}  // namespace
}  // namespace ccm::openstack
