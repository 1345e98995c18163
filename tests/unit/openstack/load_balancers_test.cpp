// Load balancers: creation, changes, deletion, faults.
#include "load_balancers_fixture.hpp"

namespace ccm::openstack {
namespace {

TEST_F(OpenStackLoadBalancersTest, OS_253_OneRequestMakesItAndNobodyWaits) {
  octavia().create_time = seconds(5);
  auto made = ensure(web(2), nodes());
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(made->state, LoadBalancerState::pending);
  EXPECT_FALSE(made->id.empty());
  EXPECT_EQ(made->retry_after, seconds(1));
  EXPECT_EQ(cloud.writes(), 1);
  EXPECT_EQ(ensure(web(2), nodes())->state, LoadBalancerState::pending);
  host.loop.advance(seconds(6));
  const auto served = ensure(web(2), nodes());
  ASSERT_TRUE(served.ok()) << served.status().message();
  EXPECT_EQ(served->state, LoadBalancerState::active);
  ASSERT_EQ(served->ingress.size(), 1U);
  EXPECT_TRUE(served->ingress[0].ip.starts_with("203.0.113.")) << served->ingress[0].ip;
  EXPECT_EQ(cloud.writes(), 2);  // with the floating IP
  EXPECT_EQ(served->name, "kube_service_kubernetes_default_web");
  EXPECT_EQ(count("listeners"), 2U);
  EXPECT_EQ(count("members"), 6U);
}

// Without members it would be Ready and reach nothing.
TEST_F(OpenStackLoadBalancersTest, OS_396_occm_1996_PortsWithoutNodePortsAreRefused) {
  LoadBalancerService service = web(3);
  service.node_ports = false;
  service.ports[0].node_port = 0;
  service.ports[2].node_port = 0;
  const Status refused = ensure(service, nodes()).status();
  EXPECT_EQ(refused.error_class(), ErrorClass::invalid_spec);
  EXPECT_NE(refused.message().find("for 80/TCP, 82/TCP: set spec.allocateLoadBalancerNodePorts"),
            std::string::npos)
      << refused.message();
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(OpenStackLoadBalancersTest, OS_396_APoolThatServesKeepsItsMembers) {
  const auto made = ensured(web(), nodes());
  ASSERT_EQ(count("members"), 3U);
  LoadBalancerService service = annotated(web(), {}, made.ingress[0].ip);
  service.id = made.id;
  service.ports[0].node_port = 0;
  EXPECT_EQ(ensure(service, nodes()).status().error_class(), ErrorClass::invalid_spec);
  EXPECT_EQ(update(service, nodes()).status().error_class(), ErrorClass::invalid_spec);
  EXPECT_EQ(count("members"), 3U);
}

TEST_F(OpenStackLoadBalancersTest, OS_294_404_UnchangedMeansNoWrite) {
  auto made = ensured(web(2), nodes());
  made.difference.clear();
  cloud.clear_log();
  EXPECT_EQ(ensured(web(2), nodes()), made);
  const auto seen = observe(web(2), nodes());
  ASSERT_TRUE(seen.ok());
  EXPECT_EQ(seen->difference, "");
  EXPECT_EQ(seen->ingress, made.ingress);
  start();
  EXPECT_EQ(ensured(web(2), nodes()), made);
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(OpenStackLoadBalancersTest, OS_275_407_NodesThatComeAreOneWriteForEachPool) {
  ensured(web(4), nodes(3));
  octavia().update_time = seconds(1);
  cloud.clear_log();
  EXPECT_EQ(observe(web(4), nodes(300))->difference,
            "members of TCP port 80, members of TCP port 81, members of TCP port 82, members of "
            "TCP port 83");
  auto changed = update(web(4), nodes(300));
  ASSERT_TRUE(changed.ok()) << changed.status().message();
  EXPECT_EQ(changed->state, LoadBalancerState::pending);
  EXPECT_EQ(changed->difference, "members of TCP port 80");
  ensured(web(4), nodes(300));
  EXPECT_EQ(cloud.writes(), 4);
  EXPECT_EQ(count("members"), 1'200U);
}

TEST_F(OpenStackLoadBalancersTest, OS_260_263_PortsComeAndGo) {
  ensured(web(2), nodes());
  LoadBalancerService other = web(3);
  other.ports.erase(other.ports.begin());
  other.ports[0].protocol = "UDP";
  const auto changed = ensured(other, nodes());
  EXPECT_EQ(changed.state, LoadBalancerState::active);
  EXPECT_EQ(count("listeners"), 2U);
  EXPECT_EQ(count("pools"), 2U);
  EXPECT_EQ(count("members"), 6U);
  EXPECT_EQ(observe(other, nodes())->difference, "");
}

TEST_F(OpenStackLoadBalancersTest, OS_246_273_ChangedSettingsAreApplied) {
  ensured(web(), nodes());
  LoadBalancerService other = web();
  other.source_ranges = {"10.0.0.0/8", "fd00::/8"};
  other.client_ip_affinity = true;
  EXPECT_EQ(observe(other, nodes())->difference,
            "source ranges of TCP port 80, method or affinity of TCP port 80");
  ensured(other, nodes());
  EXPECT_EQ(observe(other, nodes())->difference, "");
  ensured(web(), nodes());
  EXPECT_EQ(observe(web(), nodes())->difference, "");
}

TEST_F(OpenStackLoadBalancersTest, OS_251_279_280_421_LocalTrafficHasAMonitor) {
  LoadBalancerService local = web();
  local.local_traffic = true;
  local.health_check_node_port = 32'000;
  ensured(local, nodes());
  EXPECT_EQ(count("healthmonitors"), 1U);
  EXPECT_EQ(observe(local, nodes())->difference, "");
  EXPECT_EQ(octavia().records("healthmonitors").begin()->at("type"), "HTTP");
  start("create-monitor = true\nmonitor-delay = 9s\n");
  EXPECT_EQ(observe(local, nodes())->difference, "health monitor of TCP port 80");
  ensured(local, nodes());
  EXPECT_EQ(octavia().records("healthmonitors").begin()->at("delay"), 9);
  start("create-monitor = true\n");
  ensured(web(), nodes());  // its type changes
  EXPECT_EQ(octavia().records("healthmonitors").begin()->at("type"), "TCP");
  start();
  ensured(web(), nodes());
  EXPECT_EQ(count("healthmonitors"), 0U);
}

TEST_F(OpenStackLoadBalancersTest, OS_383_ImmutableMeansWaiting) {
  const auto made = ensured(web(), nodes());
  octavia().set_status(made.id, "PENDING_UPDATE");
  cloud.clear_log();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(ensure(web(), nodes(2))->state, LoadBalancerState::pending);
    EXPECT_EQ(update(web(), nodes(2))->state, LoadBalancerState::pending);
    EXPECT_EQ(remove(web()).error_class(), ErrorClass::waiting);
    host.loop.advance(minutes(1));
  }
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(OpenStackLoadBalancersTest, OS_331_332_OneThatIsStuckIsLookedAtLessOften) {
  const auto made = ensured(web(), nodes());
  octavia().set_status(made.id, "PENDING_UPDATE");
  EXPECT_EQ(ensure(web(), nodes())->retry_after, seconds(1));
  host.loop.advance(seconds(50));
  EXPECT_EQ(ensure(web(), nodes())->retry_after, seconds(10));
  host.loop.advance(minutes(60));
  EXPECT_EQ(ensure(web(), nodes())->retry_after, seconds(30));
  EXPECT_EQ(remove(web()).retry_after(), seconds(30));
  octavia().set_status(made.id, "ACTIVE");
  ensured(web(), nodes());
  octavia().set_status(made.id, "PENDING_UPDATE");
  EXPECT_EQ(ensure(web(), nodes())->retry_after, seconds(1));
}

// Somebody else's change begins between the reading and the write.
TEST_F(OpenStackLoadBalancersTest, OS_383_AConflictAtTheWriteMeansWaiting) {
  ensured(web(), nodes());
  Fault fault;
  fault.method = "PUT";
  fault.path = "/members";
  fault.status = 409;
  fault.body =
      R"({"faultcode":"Client","faultstring":"Load Balancer x is immutable and cannot be updated.","debuginfo":null})";
  cloud.faults.add(fault);
  const auto waiting = ensure(web(), nodes(2));
  ASSERT_TRUE(waiting.ok()) << waiting.status().message();
  EXPECT_EQ(waiting->state, LoadBalancerState::pending);
  ensured(web(), nodes(2));
  EXPECT_EQ(count("members"), 2U);
}

TEST_F(OpenStackLoadBalancersTest, OS_256_257_OneThatServedAndIsInErrorIsLeftAndSaid) {
  const auto made = ensured(web(2), nodes());
  octavia().set_status(made.id, "ERROR");
  octavia().records("listeners").begin()->at("provisioning_status") = "ERROR";
  const auto service = annotated(web(2), {}, made.ingress[0].ip);
  cloud.clear_log();
  for (const auto& failed : {ensure(service, nodes()), update(service, nodes(1))}) {
    EXPECT_EQ(failed.status().reason(), "LoadBalancerError");
    EXPECT_NE(failed.status().message().find("ERROR (listener of port 80)"), std::string::npos)
        << failed.status().message();
    EXPECT_NE(failed.status().message().find("openstack loadbalancer failover " + made.id),
              std::string::npos);
  }
  EXPECT_EQ(cloud.writes(), 0);
  EXPECT_TRUE(remove(service).ok());
  EXPECT_EQ(count("loadbalancers"), 0U);
}

TEST_F(OpenStackLoadBalancersTest, OS_257_429_OneThatEndsInErrorIsMadeAgain) {
  octavia().outcomes = {Outcome::kError};
  octavia().create_time = seconds(2);
  const auto made = ensure(web(), nodes());
  host.loop.advance(seconds(3));
  const auto failed = ensure(web(), nodes());
  EXPECT_EQ(failed.status().reason(), "LoadBalancerError");
  EXPECT_NE(failed.status().message().find("another one is made"), std::string::npos);
  LoadBalancerService recorded = web();
  recorded.id = made->id;
  EXPECT_NE(ensured(recorded, nodes()).id, made->id);
  EXPECT_EQ(count("loadbalancers"), 1U);
}

// The load balancer is made, and its address is refused.
TEST_F(OpenStackLoadBalancersTest, OS_368_384_AHalfMadeOneIsHandedOver) {
  cloud.region().network.set_quota(facts["projects"]["demo"], "floatingip", 0);
  EXPECT_EQ(ensure(web(), nodes())->difference, "created");
  const auto half = ensure(web(), nodes());
  EXPECT_EQ(half.status().error_class(), ErrorClass::quota) << half.status().message();
  ASSERT_NE(half.partial(), nullptr);
  EXPECT_EQ(half.partial()->id, only("loadbalancers").at("id"));
  LoadBalancerService recorded = web();
  recorded.id = half.partial()->id;
  cloud.region().network.set_quota(facts["projects"]["demo"], "floatingip", -1);
  EXPECT_EQ(ensured(recorded, nodes()).id, recorded.id);
  EXPECT_EQ(count("loadbalancers"), 1U);
}

TEST_F(OpenStackLoadBalancersTest, OS_384_AQuotaIsOne) {
  octavia().set_quota(facts["projects"]["demo"], "load_balancer", 0);
  const auto refused = ensure(web(), nodes());
  EXPECT_EQ(refused.status().error_class(), ErrorClass::quota);
  EXPECT_EQ(refused.partial(), nullptr);
}

// Octavia leaves a port each time that it refuses one for its parts.
TEST_F(OpenStackLoadBalancersTest, OS_384_AQuotaOfPartsCostsOnePortAndHalfOfThemServe) {
  const std::string demo = facts["projects"]["demo"];
  octavia().set_quota(demo, "listener", 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(failure(web(2)).error_class(), ErrorClass::quota);
  EXPECT_EQ(only("listeners").at("protocol_port"), 80);
  EXPECT_EQ(count("loadbalancers"), 1U);
  EXPECT_EQ(ports_of_octavia(), 2);
  octavia().set_quota(demo, "listener", -1);
  EXPECT_EQ(ensured(web(2), nodes()).state, LoadBalancerState::active);
  EXPECT_EQ(count("listeners"), 2U);
  EXPECT_EQ(ports_of_octavia(), 2);
}

// A certificate that Octavia cannot read, for one.
TEST_F(OpenStackLoadBalancersTest, OS_384_AnyOtherRefusalOfAPartCostsOnePort) {
  start("container-store = external\n");
  const auto unreadable =
      annotated(web(), {{"default-tls-container-ref", "http://elsewhere/v1/secrets/nobodys"}});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(failure(unreadable).error_class(), ErrorClass::invalid_spec);
  }
  EXPECT_EQ(count("loadbalancers"), 1U);
  EXPECT_EQ(count("listeners") + floating_ips(), 0U);
  EXPECT_EQ(ports_of_octavia(), 2);
  EXPECT_EQ(ensured(web(), nodes()).state, LoadBalancerState::active);
  EXPECT_EQ(count("loadbalancers"), 1U);
  EXPECT_TRUE(removed(web()));
  EXPECT_EQ(ports_of_octavia(), 1) << "the one that Octavia left";
}

// A wish that the provider's driver does not have stays refused; a proxy's page says nothing.
TEST_F(OpenStackLoadBalancersTest, ADriverThatCannotDoItIsAskedAgainWhenTheServiceChanges) {
  Fault fault;
  fault.method = "POST";
  fault.path = "lbaas/loadbalancers";
  fault.status = 501;
  fault.count = 2;  // the whole, and then the load balancer alone
  cloud.faults.add(fault);
  EXPECT_EQ(ensure(web(), nodes()).status().error_class(), ErrorClass::invalid_spec);
  fault.body = "<html>501 Not Implemented</html>";
  cloud.faults.add(fault);
  EXPECT_EQ(ensure(web(), nodes()).status().error_class(), ErrorClass::unavailable);
}

TEST_F(OpenStackLoadBalancersTest, OS_259_428_OneThatIsGoneIsMadeAgain) {
  LoadBalancerService service = web();
  service.id = "00000000-0000-4000-8000-000000000000";
  EXPECT_NE(ensured(service, nodes()).id, service.id);
}

TEST_F(OpenStackLoadBalancersTest, OS_248_RangesOfTheOtherFamilyAloneOpenNothing) {
  LoadBalancerService service = web();
  service.source_ranges = {"fd00::/8"};
  EXPECT_EQ(ensure(service, nodes()).status().error_class(), ErrorClass::invalid_spec);
  EXPECT_EQ(count("loadbalancers"), 0U);
}

TEST_F(OpenStackLoadBalancersTest, OS_127_308_410_WithoutCascadeItIsTakenDownFromBelow) {
  start("cascade-delete = false\n");
  ensured(web(3), nodes());
  octavia().update_time = seconds(1);
  cloud.clear_log();
  EXPECT_TRUE(removed(web(3)));
  EXPECT_EQ(calls("cascade"), 0);
  EXPECT_EQ(count("loadbalancers") + count("pools") + floating_ips(), 0U);
}

// A provider that takes neither a batch nor a tree.
TEST_F(OpenStackLoadBalancersTest, OS_133_219_278_SerialCalls) {
  start("provider-requires-serial-api-calls = true\n");
  octavia().update_time = seconds(1);
  ensured(web(2), nodes(2));
  EXPECT_EQ(calls("/members", "PUT"), 0);
  EXPECT_EQ(count("members"), 4U);
  EXPECT_TRUE(octavia().records("members").begin()->at("name").get<std::string>().starts_with(
      "member_node-0_10.10.0."));
  ensured(web(2), nodes(1));
  EXPECT_EQ(count("members"), 2U);
  EXPECT_EQ(observe(web(2), nodes(1))->difference, "");
}

TEST_F(OpenStackLoadBalancersTest, OS_307_308_409_DeletionEndsWhenNothingIsLeft) {
  ensured(web(2), nodes());
  octavia().delete_time = seconds(3);
  cloud.clear_log();
  EXPECT_EQ(remove(web()).error_class(), ErrorClass::waiting);
  EXPECT_EQ(remove(web()).error_class(), ErrorClass::waiting);
  EXPECT_EQ(cloud.writes(), 2);
  host.loop.advance(seconds(4));
  LoadBalancerService recorded = web();
  recorded.id = known_id;
  EXPECT_TRUE(remove(recorded).ok());
  EXPECT_TRUE(remove(web()).ok());
  EXPECT_EQ(count("loadbalancers") + count("listeners") + count("pools") + floating_ips(), 0U);
}

// An instance took the place of another, whose Node is still there.
TEST_F(OpenStackLoadBalancersTest, OS_274_TwoNodesWithOneAddressAreOneMember) {
  auto list = nodes(3);
  list[2].addresses = list[1].addresses;
  ensured(web(), list);
  EXPECT_EQ(count("members"), 2U);
  cloud.clear_log();
  ensured(web(), list);
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(OpenStackLoadBalancersTest, OS_386_ListsAreReadToTheLastPage) {
  octavia().page_size = 1;
  ensured(web(2), nodes());
  EXPECT_EQ(count("members"), 6U);
  EXPECT_EQ(observe(web(2), nodes())->difference, "");
  EXPECT_TRUE(removed(web(2)));
  EXPECT_EQ(count("loadbalancers"), 0U);
}

TEST_F(OpenStackLoadBalancersTest, OS_229_418_WithoutTheMarkItIsForeign) {
  LoadBalancerService other = web();
  other.uid = "another";
  other.cluster_name = "elsewhere";
  const auto made = ensured(other, nodes());
  LoadBalancerService service = web();
  service.id = made.id;  // anybody may write this
  cloud.clear_log();
  for (const auto& answer : {ensure(service, nodes(1)), observe(service, nodes(1))}) {
    EXPECT_EQ(answer->state, LoadBalancerState::foreign);
    EXPECT_EQ(answer->id, "");
  }
  EXPECT_EQ(remove(service).reason(), "NotOwned");
  EXPECT_EQ(cloud.writes(), 0);
  // Without the id it gets one of its own.
  known_id.clear();
  EXPECT_NE(ensured(web(), nodes()).id, made.id);
  service.adopt_id = made.id;
  EXPECT_EQ(ensured(service, nodes()).id, made.id);
}

TEST_F(OpenStackLoadBalancersTest, OS_432_ALostAnswerMakesNoSecondOne) {
  for (const char* path : {"/loadbalancers$", "/floatingips$"}) {
    Fault fault;
    fault.method = "POST";
    fault.path = path;
    fault.lose_answer = true;
    cloud.faults.add(fault);
  }
  EXPECT_FALSE(ensure(web(), nodes()).ok());
  EXPECT_FALSE(ensure(web(), nodes()).ok());
  const auto served = ensure(web(), nodes());
  ASSERT_TRUE(served.ok()) << served.status().message();
  EXPECT_EQ(served->state, LoadBalancerState::active);
  EXPECT_EQ(count("loadbalancers"), 1U);
  EXPECT_EQ(floating_ips(), 1U);
}

TEST_F(OpenStackLoadBalancersTest, OS_9_115_TheyAreOfferedWhereThereAreAny) {
  const auto offered = [&] {
    return static_cast<bool>(provider->interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS));
  };
  EXPECT_TRUE(offered());
  start("enabled = false\n");
  EXPECT_FALSE(offered());
  cloud.identity().remove_service("load-balancer");
  start();
  EXPECT_FALSE(offered());
  EXPECT_TRUE(host.log.contains("There are no load balancers"));
}

}  // namespace
}  // namespace ccm::openstack
