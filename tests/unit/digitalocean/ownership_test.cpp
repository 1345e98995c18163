// Ownership of a load balancer: docs/decisions/0011 and 0032.
#include "load_balancer_fixture.hpp"

namespace ccm::digitalocean {
namespace {

const std::string kOtherUid = "7a1b0c3d-0000-4000-8000-00000000beef";
const std::string kOtherName = "a7a1b0c3d00004000800000000000bee";

class OwnershipTest : public LoadBalancerOperationsTest {
 protected:
  OwnershipTest() {
    host.kube.watch("v1/services", {"/metadata", "/status"}, [](auto&&...) {});
    host.kube.watch("v1/nodes", {"/spec"}, [](auto&&...) {});
  }
  // A Node whose kubelet says that it is that droplet.
  void join(int droplet) {
    const std::string number = std::to_string(droplet);
    host.kube.put("v1/nodes", R"({"metadata":{"name":"node-)" + number +
                                  R"("},"spec":{"providerID":"digitalocean://)" + number +
                                  R"("}})");
  }
  json chosen(const std::string& name) { return {{kAnnotation + "name", name}}; }
  std::string mark(const std::string& cluster = "") {
    return "k8s:" + (cluster.empty() ? "" : cluster + ":") + "service:" + kUid;
  }
  std::string named_mark(const std::string& cluster = "") { return mark(cluster) + ":default:web"; }
  // Nothing that the Service says makes it the Service's.
  void expect_left_alone(const LoadBalancerService& service) {
    const auto before = cloud.load_balancers();
    EXPECT_EQ(observe(service, nodes())->state, LoadBalancerState::foreign);
    EXPECT_EQ(ensure(service, nodes())->state, LoadBalancerState::foreign);
    EXPECT_EQ(update(service, nodes(3))->state, LoadBalancerState::foreign);
    EXPECT_EQ(remove(service).reason(), "NotOwned");
    EXPECT_EQ(cloud.writes(), 0);
    EXPECT_EQ(cloud.load_balancers(), before);
  }
  void expect_taken_over_without_a_write(const LoadBalancerService& service) {
    for (const auto& answer : {observe(service, nodes()), ensure(service, nodes())}) {
      ASSERT_TRUE(answer.ok()) << answer.status().message();
      EXPECT_EQ(answer->state, LoadBalancerState::active);
      EXPECT_EQ(answer->id, service.id);
      EXPECT_EQ(answer->difference, "");
    }
    EXPECT_EQ(cloud.writes(), 0);
  }
};

TEST_F(OwnershipTest, DO_104_TheIdOfAnotherServicesLoadBalancerIsNoProof) {
  const std::string id = left_by_go(kOtherName);
  log_in();
  expect_left_alone(service({}, id));
}

TEST_F(OwnershipTest, DO_104_TheIdOfOneMadeByHandIsNoProof) {
  const std::string id = left_by_go("by-hand");
  log_in();
  expect_left_alone(service({}, id));
  expect_left_alone(service(chosen("by-hand"), id));
}

TEST_F(OwnershipTest, DO_106_TheIdOfAnotherClustersLoadBalancerIsNoProof) {
  const std::string id = left_by_go("theirs", {{"tags", {"k8s:other"}}});
  log_in();
  expect_left_alone(service({}, id));
}

// A user may give a load balancer the name that is another Service's.
TEST_F(OwnershipTest, ANameThatWasChosenLikeAnothersIsNoProof) {
  const std::string id = left_by_go(kOtherName);
  log_in();
  expect_left_alone(service(chosen(kOtherName), id));
}

TEST_F(OwnershipTest, AnIdThatIsSwappedLeavesBothWhereTheyAre) {
  log_in();
  const std::string own = made(service(), nodes());
  const std::string theirs = left_by_go(kOtherName);
  pass();
  cloud.clear_log();
  EXPECT_EQ(ensure(service({}, theirs), nodes())->state, LoadBalancerState::foreign);
  EXPECT_EQ(cloud.writes(), 0);
  // Deletion finds the Service's own, wherever the annotation leads.
  EXPECT_EQ(remove(service({}, theirs)).reason(), "NotOwned");
  EXPECT_EQ(the_balancer()["id"], theirs);
  EXPECT_EQ(cloud.calls("DELETE", "/v2/load_balancers/" + own), 1);
}

TEST_F(OwnershipTest, DO_358_OneOfGosManagerWithItsOwnNameIsTakenOver) {
  const std::string id = left_by_go(kDefaultName);
  log_in();
  expect_taken_over_without_a_write(service({}, id));
  EXPECT_TRUE(remove(service({}, id)).ok());
  EXPECT_TRUE(cloud.load_balancers().empty());
}

// The cluster's id is known to one of the two managers only.
TEST_F(OwnershipTest, DO_12_ATagOfGosManagerIsNoVetoWithoutAnIdOfOurs) {
  const std::string id = left_by_go(kDefaultName, {{"tags", {"k8s:of-go"}}});
  log_in();
  expect_taken_over_without_a_write(service({}, id));
}

TEST_F(OwnershipTest, DO_93_OneOfGosManagerWithAChosenNameIsProvenByTheStatus) {
  const std::string id = left_by_go("shop", {{"ip", "192.0.2.7"}});
  log_in();
  const auto shop = served(service(chosen("shop"), id), {{"ip", "192.0.2.7"}});
  expect_taken_over_without_a_write(shop);
  // Its mark comes with the first write, and is enough from then on.
  EXPECT_EQ(update(shop, nodes(3))->difference, "backends");
  EXPECT_EQ(the_balancer()["tags"], json::array({mark()}));
  restart();
  EXPECT_EQ(ensure(service(chosen("shop"), id), nodes(3))->difference, "");
}

// A Service of DigitalOcean's manager with a chosen name, and a host name in place of its address.
class HostNameOwnershipTest : public OwnershipTest {
 protected:
  HostNameOwnershipTest() {
    log_in();
    join(101);
    join(102);
  }
  static json rule(int32_t port, const std::string& protocol = "tcp") {
    return json::array({{{"entry_protocol", protocol},
                         {"entry_port", 80},
                         {"target_protocol", protocol},
                         {"target_port", port}}});
  }
  LoadBalancerService shop(const std::string& name = "shop", const std::string& uid = kUid,
                           const std::string& born = "2026-01-01T00:00:00Z") {
    const json annotations = {{kAnnotation + "name", name},
                              {kAnnotation + "type", "REGIONAL"},
                              {kAnnotation + "hostname", "Shop.example.com"}};
    return with(
        served(service(annotations, id, uid, uid_name(uid)), {{"hostname", "shop.example.com"}}),
        {{"metadata", {{"creationTimestamp", born}}}});
  }

  const std::string id = left_by_go(
      "shop",
      {{"type", "REGIONAL"}, {"network_stack", "DUALSTACK"}, {"forwarding_rules", rule(30080)}});
};

TEST_F(HostNameOwnershipTest, DO_236_ItIsProvenByWhatItServes) {
  expect_taken_over_without_a_write(shop());
  restart();
  // Another Service's node port.
  cloud.load_balancers().at(id)["forwarding_rules"] = rule(30081);
  expect_left_alone(shop());
}

TEST_F(HostNameOwnershipTest, ThatOfAnotherClusterReachesNoNode) {
  host.kube.remove("v1/nodes", "node-101");
  host.kube.remove("v1/nodes", "node-102");
  expect_left_alone(shop());
}

// A tenant and a kubelet together took it over.
TEST_F(HostNameOwnershipTest, Issue37_OneNodeThatNamesADropletOfAnotherClusterProvesNothing) {
  host.kube.remove("v1/nodes", "node-102");
  expect_left_alone(shop());
}

// The API server gives 30080 of TCP to one Service and 30080 of UDP to another.
TEST_F(HostNameOwnershipTest, TheNodePortOfAnotherProtocolIsAnothers) {
  cloud.load_balancers().at(id)["forwarding_rules"] = rule(30080, "udp");
  expect_left_alone(shop());
}

// The node ports of a Service that left its load balancer are free: somebody may choose them.
TEST_F(HostNameOwnershipTest, AServiceThatCameLaterChoseTheNodePorts) {
  expect_left_alone(shop("shop", kUid, "2026-01-01T00:02:00Z"));
}

TEST_F(HostNameOwnershipTest, WhoHasOneOfItsOwnGetsNoOther) {
  auto thief = shop("mine");
  thief.id.clear();
  const auto made = ensure(thief, nodes());
  ASSERT_TRUE(made.ok()) << made.status().message();
  pass();
  const json before = cloud.load_balancers().at(id);
  for (int process = 0; process < 2; ++process) {
    EXPECT_EQ(ensure(shop("mine"), nodes())->state, LoadBalancerState::foreign);
    restart();
  }
  EXPECT_EQ(remove(shop("mine")).reason(), "NotOwned");
  EXPECT_EQ(cloud.load_balancers().at(id), before);
  EXPECT_EQ(cloud.load_balancers().size(), 1U) << "its own one";
}

// kube-vip writes the address that a Service asks for into its status.
TEST_F(OwnershipTest, DO_93_AnAddressThatTheServiceAsksForNeedsNodesBehindIt) {
  const json ingress = {{"ip", "192.0.2.7"}};
  const std::string id = left_by_go("shop", ingress);
  log_in();
  auto by_field = served(service(chosen("shop"), id), ingress);
  by_field.requested_ip = "192.0.2.7";
  json annotations = chosen("shop");
  annotations["kube-vip.io/loadbalancerIPs"] = "192.0.2.7,10.0.0.1";
  const auto by_annotation = served(service(annotations, id), ingress);
  for (const auto& thief : {by_field, by_annotation}) expect_left_alone(thief);
  join(102);
  for (const auto& thief : {by_field, by_annotation}) expect_left_alone(thief);
  join(101);
  // A tenant of the same cluster.
  host.kube.put("v1/services",
                served(service(chosen("shop"), id, kOtherUid, kOtherName), ingress).object.json());
  for (const auto& thief : {by_field, by_annotation}) expect_left_alone(thief);
  host.kube.remove("v1/services", "web", "default");
  for (const auto& shop : {by_field, by_annotation}) expect_taken_over_without_a_write(shop);
}

TEST_F(OwnershipTest, ANameThatIsMadeOfAUidIsNotChosen) {
  log_in();
  const Status refused = ensure(service(chosen(kOtherName)), nodes()).status();
  EXPECT_EQ(refused.error_class(), ErrorClass::invalid_spec);
  EXPECT_NE(refused.message().find("choose another one"), std::string::npos) << refused.message();
  EXPECT_EQ(cloud.writes(), 0);
  EXPECT_TRUE(ensure(service(chosen(kDefaultName)), nodes()).ok());
}

// Another VPC may have the same address.
TEST_F(OwnershipTest, DO_242_AnInternalAddressIsAProofWithNodesBehindIt) {
  const json ingress = {{"ip", "10.9.0.7"}};
  const std::string id = left_by_go("shop", {{"ip", "10.9.0.7"}, {"network", "INTERNAL"}});
  log_in();
  json annotations = chosen("shop");
  annotations[kAnnotation + "network"] = "INTERNAL";
  const auto shop = served(service(annotations, id), ingress);
  expect_left_alone(shop);
  join(102);
  join(101);
  expect_taken_over_without_a_write(shop);
}

TEST_F(OwnershipTest, AStatusWithAnotherAddressIsNoProof) {
  const std::string id = left_by_go("by-hand", {{"ip", "192.0.2.7"}});
  log_in();
  expect_left_alone(served(service({}, id), {{"ip", "192.0.2.8"}}));
}

// DigitalOcean's manager lets two Services have one, and they overwrite each other's settings.
TEST_F(OwnershipTest, DO_105_OfTwoWithOneLoadBalancerTheOlderOneKeepsIt) {
  const json ingress = {{"ip", "192.0.2.7"}};
  const std::string id = left_by_go("shop", ingress);
  log_in();
  const auto born = [](const std::string& time) {
    return json{{"metadata", {{"creationTimestamp", time}}}};
  };
  const auto younger =
      with(served(service(chosen("shop"), id), ingress), born("2026-01-02T00:00:00Z"));
  auto older = with(served(service(chosen("shop"), id, kOtherUid, kOtherName), ingress),
                    born("2026-01-01T00:00:00Z"));
  host.kube.put("v1/services", younger.object.json());
  older = with(older, {{"metadata", {{"name", "older"}}}});
  host.kube.put("v1/services", older.object.json());
  for (int process = 0; process < 2; ++process) {
    expect_left_alone(younger);
    expect_taken_over_without_a_write(older);
    expect_left_alone(younger);  // also now that this process knows it as the other's
    restart();
  }
}

TEST_F(OwnershipTest, TheMarkOutweighsNameAndStatus) {
  const json ingress = {{"ip", "192.0.2.7"}};
  const std::string id =
      left_by_go(kDefaultName, {{"ip", "192.0.2.7"}, {"tags", {"k8s:c1:service:" + kOtherUid}}});
  log_in();
  expect_left_alone(served(service({}, id), ingress));
}

TEST_F(OwnershipTest, AChosenNameIsMarkedWhenItIsMade) {
  host.kube.put("v1/namespaces", R"({"metadata":{"name":"kube-system","uid":"c-uid"}})");
  cloud.activation_delay = seconds(60);
  log_in();
  const std::string id = ensure(service(chosen("shop")), nodes())->id;
  EXPECT_EQ(the_balancer()["tags"], json::array({mark("c-uid"), named_mark("c-uid")}));
  EXPECT_EQ(cloud.writes(), 1);
  // Killed before it had an address, or before its id was recorded.
  restart();
  EXPECT_EQ(ensure(service(chosen("shop"), id), nodes())->state, LoadBalancerState::pending);
  restart();
  EXPECT_EQ(ensure(service(chosen("shop")), nodes())->id, id);
  EXPECT_EQ(cloud.writes(), 0);
  // The tag goes with it: else the account fills with them.
  EXPECT_TRUE(cloud.tags().contains(mark("c-uid")));
  EXPECT_TRUE(remove(service(chosen("shop"), id)).ok());
  EXPECT_TRUE(cloud.load_balancers().empty());
  EXPECT_FALSE(cloud.tags().contains(mark("c-uid")));
  EXPECT_FALSE(cloud.tags().contains(named_mark("c-uid")));
}

// Without DO_CLUSTER_ID, as DigitalOcean's own manager runs by default, a name tells no cluster.
TEST_F(OwnershipTest, DO_12_DO_92_NewOnesNameTheClusterByKubeSystem) {
  host.kube.put("v1/namespaces", R"({"metadata":{"name":"kube-system","uid":"c-uid"}})");
  log_in();
  const std::string id = made(service(), nodes());
  EXPECT_EQ(the_balancer()["tags"], json::array({mark("c-uid"), named_mark("c-uid")}));
  cloud.clear_log();
  restart();
  EXPECT_EQ(ensure(service({}, id), nodes())->difference, "");
  EXPECT_EQ(cloud.writes(), 0);
  EXPECT_TRUE(remove(service({}, id)).ok());
  EXPECT_FALSE(cloud.tags().contains(mark("c-uid")));
  EXPECT_FALSE(cloud.tags().contains(named_mark("c-uid")));
  // One that DigitalOcean's own manager made gets none.
  const std::string of_go = left_by_go(kDefaultName);
  pass();
  cloud.clear_log();
  expect_taken_over_without_a_write(service({}, of_go));
  EXPECT_EQ(ensure(service({}, of_go), nodes(3))->difference, "backends");
  EXPECT_EQ(cloud.calls("POST", "/v2/tags"), 0);
}

TEST_F(OwnershipTest, DO_309_ATokenThatMayNotMakeTagsCostsOneMoreRequest) {
  host.kube.put("v1/namespaces", R"({"metadata":{"name":"kube-system","uid":"c-uid"}})");
  log_in();
  digitalocean_api::ApiFault forbidden;
  forbidden.method = "POST";
  forbidden.status = 403;
  cloud.add_fault(forbidden);
  EXPECT_TRUE(ensure(service(), nodes()).ok());
  EXPECT_EQ(the_balancer()["tags"], json::array());
  EXPECT_EQ(cloud.calls("POST", "/v2/load_balancers"), 2);
  pass();
  EXPECT_TRUE(ensure(service({}, "", kOtherUid, kOtherName), nodes()).ok());
  EXPECT_EQ(cloud.calls("POST", "/v2/load_balancers"), 3);
}

TEST_F(OwnershipTest, EitherTagIsAMarkAndGoesWithTheLoadBalancer) {
  host.kube.put("v1/namespaces", R"({"metadata":{"name":"kube-system","uid":"c-uid"}})");
  for (const std::string& tag : {mark("c-uid"), named_mark("c-uid")}) {
    const std::string id = left_by_go("shop", {{"tags", {tag}}});
    cloud.tags()[tag];
    restart();
    expect_taken_over_without_a_write(service(chosen("shop"), id));
    EXPECT_EQ(ensure(service(chosen("shop"), id), nodes(3))->difference, "backends");
    EXPECT_EQ(the_balancer()["tags"], json::array({tag}));
    EXPECT_TRUE(remove(service(chosen("shop"), id)).ok());
    EXPECT_FALSE(cloud.tags().contains(tag));
  }
}

TEST_F(OwnershipTest, DO_118_DisowningCountsInTheNamespacesOfTheFlagAlone) {
  host.config.set_flag("load-balancer-retention-namespaces", "shop");
  log_in();
  const std::string id = made(service(), nodes());
  for (const char* value : {"true", "maybe"}) {
    const auto disowned = service({{"service.kubernetes.io/do-loadbalancer-disown", value}}, id);
    EXPECT_EQ(ensure(disowned, nodes())->state, LoadBalancerState::active);
    const auto reported = host.events.with_reason("LoadBalancerConfigWarning");
    ASSERT_FALSE(reported.empty());
    EXPECT_NE(reported.back().message.find("does not count in the namespace default"),
              std::string::npos);
  }
  EXPECT_TRUE(remove(service({{"service.kubernetes.io/do-loadbalancer-disown", "true"}}, id)).ok());
  EXPECT_TRUE(cloud.load_balancers().empty());
}

TEST_F(OwnershipTest, TheClusterIsNamedByItsIdWhereThereIsOne) {
  host.config.set_flag("digitalocean-cluster-id", "c1");
  host.kube.put("v1/namespaces", R"({"metadata":{"name":"kube-system","uid":"c-uid"}})");
  log_in();
  ASSERT_TRUE(ensure(service(chosen("shop")), nodes()).ok());
  EXPECT_EQ(the_balancer()["tags"], json::array({"k8s:c1", mark("c1"), named_mark("c1")}));
}

TEST_F(OwnershipTest, WithoutTheRightToReadKubeSystemTheMarkNamesTheServiceAlone) {
  host.kube.fail_next("get", "v1/namespaces",
                      Status(Code::permission_denied, ErrorClass::auth, "forbidden"));
  log_in();
  EXPECT_TRUE(host.log.contains("UID of the namespace kube-system cannot be read"));
  ASSERT_TRUE(ensure(service(chosen("shop")), nodes()).ok());
  EXPECT_EQ(the_balancer()["tags"], json::array({mark(), named_mark()}));
}

// A token made for DigitalOcean's manager needs tag:create only with DO_CLUSTER_ID.
TEST_F(OwnershipTest, DO_309_ATokenThatMayNotMakeTagsStillMakesLoadBalancers) {
  log_in();
  digitalocean_api::ApiFault forbidden;
  forbidden.method = "POST";
  forbidden.status = 403;
  cloud.add_fault(forbidden);
  const auto made = ensure(service(chosen("shop")), nodes());
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(the_balancer()["tags"], json::array());
  EXPECT_TRUE(host.log.contains("The token may not change tags"));
  pass();
  EXPECT_EQ(ensure(service(chosen("shop"), made->id), nodes(3))->difference, "backends");
  EXPECT_EQ(cloud.calls("POST", "/v2/tags"), 0);
  // After a restart the address that stands in the status is the proof.
  restart();
  const json ingress = {{"ip", the_balancer()["ip"]}};
  EXPECT_EQ(ensure(served(service(chosen("shop"), made->id), ingress), nodes(3))->difference, "");
}

TEST_F(OwnershipTest, ARenamedOneGetsItsMark) {
  log_in();
  const std::string id = made(service(), nodes());
  EXPECT_EQ(ensure(service(chosen("shop"), id), nodes())->difference, "name");
  EXPECT_EQ(the_balancer()["tags"], json::array({mark()}));
  restart();
  EXPECT_EQ(ensure(service(chosen("shop"), id), nodes())->difference, "");
  EXPECT_EQ(ensure(service({}, id), nodes())->difference, "name");
  restart();
  EXPECT_EQ(ensure(service({}, id), nodes())->difference, "");
}

// The API server empties status and node ports when the type changes (SVC-47).
TEST_F(OwnershipTest, SVC_47_AServiceThatLostItsStatusStillDeletesItsOwn) {
  const std::string id = left_by_go("shop", {{"ip", "192.0.2.7"}});
  log_in();
  const auto shop = service(chosen("shop"), id);
  expect_taken_over_without_a_write(served(shop, {{"ip", "192.0.2.7"}}));
  EXPECT_TRUE(remove(shop).ok());
  EXPECT_TRUE(cloud.load_balancers().empty());
}

TEST_F(OwnershipTest, AdoptionLeavesNoMarkOfThoseWhoHadIt) {
  host.config.set_flag("digitalocean-cluster-id", "c1");
  const std::string id =
      left_by_go("shop", {{"tags", {"k8s:other", "k8s:other:service:" + kOtherUid, "by-hand"}}});
  log_in();
  auto adopting = service(chosen("shop"));
  adopting.adopt_id = id;
  EXPECT_EQ(observe(adopting, nodes())->difference, "owner, cluster tag");
  EXPECT_EQ(ensure(adopting, nodes())->difference, "owner, cluster tag");
  EXPECT_EQ(the_balancer()["tags"], json::array({"by-hand", "k8s:c1", mark("c1")}));
  restart();
  EXPECT_EQ(ensure(service(chosen("shop"), id), nodes())->difference, "");
}

// A load balancer that was there before the call is not what it made.
TEST_F(OwnershipTest, DO_347_ANameThatIsTakenIsNotAskedFor) {
  const std::string theirs = left_by_go("shop");
  log_in();
  digitalocean_api::ApiFault broken;
  broken.method = "POST";
  broken.status = 503;
  broken.count = -1;
  cloud.add_fault(broken);
  for (int i = 0; i < 3; ++i) {
    const Status refused = ensure(service(chosen("shop")), nodes()).status();
    EXPECT_EQ(refused.error_class(), ErrorClass::invalid_spec);
    EXPECT_NE(refused.message().find("There is already a load balancer with that name"),
              std::string::npos);
    EXPECT_EQ(refused.message().find(theirs), std::string::npos) << "tells somebody else's id";
    pass();
  }
  EXPECT_TRUE(remove(service(chosen("shop"))).ok());
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(OwnershipTest, DO_347_OneMadeMeanwhileIsNotTheOneThatWasAskedFor) {
  log_in();
  digitalocean_api::ApiFault broken;
  broken.method = "POST";
  broken.status = 503;
  cloud.add_fault(broken);
  EXPECT_FALSE(ensure(service(chosen("shop")), nodes()).ok());
  left_by_go("shop");
  pass();
  EXPECT_EQ(ensure(service(chosen("shop")), nodes()).status().error_class(),
            ErrorClass::invalid_spec);
  EXPECT_TRUE(remove(service(chosen("shop"))).ok());
  EXPECT_EQ(cloud.load_balancers().size(), 1U);
}

}  // namespace
}  // namespace ccm::digitalocean
