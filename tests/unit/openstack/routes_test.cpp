// Routes to the Pod ranges of Nodes, on the fake of Neutron.
#include "routes_fixture.hpp"

#include <algorithm>

namespace ccm::openstack {
namespace {

using std::chrono::minutes;

using OpenStackRoutesTest = RoutesTest;

TEST_F(OpenStackRoutesTest, OS_177_184_412_OneCallAddsAllRoutes) {
  start();
  const auto nodes = add_nodes(3);
  cloud.clear_log();
  EXPECT_EQ(apply({}, additions(nodes)), "ok ok ok");
  EXPECT_EQ(calls("/add_extraroutes"), 1);
  EXPECT_EQ(calls("/routers/[^/]*$", "PUT"), 0);
  EXPECT_EQ(routes(), "10.244.0.0/24>10.10.0.50 10.244.1.0/24>10.10.0.51 10.244.2.0/24>10.10.0.52");
  EXPECT_EQ(pairs(nodes[1]), "10.244.1.0/24");
  const auto listed = list();
  ASSERT_EQ(listed.size(), 3U);
  EXPECT_EQ(listed[1].destination_cidr, "10.244.1.0/24");
  EXPECT_TRUE(listed[1].owned);
  EXPECT_FALSE(listed[1].blackhole);
  EXPECT_EQ(listed[1].target_addresses, nodes[1].addresses) << "the host knows whose they are";
}

TEST_F(OpenStackRoutesTest, OS_177_WithoutTheAtomicExtensionTheListIsWrittenForItsRevision) {
  without({"extraroute-atomic"});
  add_route("192.0.2.0/24", "10.10.0.9");
  start();
  const auto nodes = add_nodes(2);
  cloud.clear_log();
  EXPECT_EQ(apply({}, additions(nodes)), "ok ok");
  EXPECT_EQ(calls("extraroutes"), 0);
  EXPECT_EQ(calls("/routers/[^/]*$", "PUT"), 1);
  EXPECT_EQ(routes(), "10.244.0.0/24>10.10.0.50 10.244.1.0/24>10.10.0.51 192.0.2.0/24>10.10.0.9");
  EXPECT_EQ(apply({list()[2]}, {}), "NotOwned");
  EXPECT_EQ(apply(owned(), {}), "ok ok");
  EXPECT_EQ(routes(), "192.0.2.0/24>10.10.0.9");
}

TEST_F(OpenStackRoutesTest, OS_190_195_AConcurrentChangeIsKept) {
  without({"extraroute-atomic"});
  start();
  const auto nodes = add_nodes(1);
  before_next("PUT", "/routers/[^/]*$", [this] { add_route("192.0.2.0/24", "10.10.0.9"); });
  EXPECT_EQ(apply({}, additions(nodes)), "ok");
  EXPECT_EQ(routes(), "10.244.0.0/24>10.10.0.50 192.0.2.0/24>10.10.0.9");
}

TEST_F(OpenStackRoutesTest, OS_181_425_ForeignRoutesStay) {
  add_route("10.244.77.0/24", "10.10.0.9");   // by hand, to an instance that is no Node
  add_route("10.244.78.0/24", "10.10.0.50");  // by hand, to a Node that does not have the range
  start();
  const auto nodes = add_nodes(1);
  const auto listed = list();
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_FALSE(listed[0].owned);
  EXPECT_FALSE(listed[0].blackhole);
  EXPECT_FALSE(listed[1].owned);
  EXPECT_EQ(apply(listed, additions(nodes)), "NotOwned NotOwned ok");
  EXPECT_EQ(routes(),
            "10.244.0.0/24>10.10.0.50 10.244.77.0/24>10.10.0.9 10.244.78.0/24>10.10.0.50");
}

TEST_F(OpenStackRoutesTest, OS_179_191_194_TheRouteOfANodeThatWentIsRemoved) {
  start();
  const auto nodes = add_nodes(2);
  EXPECT_EQ(apply({}, additions(nodes)), "ok ok");
  remove_node(nodes[1]);
  auto listed = owned();
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(apply({listed[1]}, {}), "ok");
  EXPECT_EQ(routes(), "10.244.0.0/24>10.10.0.50");
}

// The record is in the router, so a new process knows it.
TEST_F(OpenStackRoutesTest, OS_195_425_TheRecordOutlivesTheManager) {
  start();
  const auto nodes = add_nodes(2);
  EXPECT_EQ(apply({}, additions(nodes)), "ok ok");
  add_route("10.244.9.0/24", "10.10.0.99");
  remove_node(nodes[1]);
  start();
  const auto listed = owned();
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[1].destination_cidr, "10.244.1.0/24");
  EXPECT_EQ(apply({listed[1]}, {}), "ok");
  EXPECT_EQ(routes(), "10.244.0.0/24>10.10.0.50 10.244.9.0/24>10.10.0.99");
}

// By the Go manager, which leaves no record.
TEST_F(OpenStackRoutesTest, OS_181_RoutesOfAFormerManagerAreAdopted) {
  const auto nodes = add_nodes(2);
  add_route("10.244.0.0/24", "10.10.0.50");
  add_route("10.244.1.0/24", "10.10.0.51");
  start();
  EXPECT_EQ(owned().size(), 2U);
  cloud.clear_log();
  EXPECT_EQ(owned().size(), 2U);
  EXPECT_EQ(cloud.writes(), 0);
  remove_node(nodes[1]);
  start();
  EXPECT_EQ(owned().size(), 2U);
}

TEST_F(OpenStackRoutesTest, OS_418_ClustersShareARouter) {
  start();
  const auto nodes = add_nodes(2);
  EXPECT_EQ(apply({}, additions(nodes)), "ok ok");
  host.kube.put("v1/namespaces", R"({"metadata":{"name":"kube-system","uid":"other"}})");
  for (const TestNode& node : nodes) host.kube.remove("v1/nodes", node.name);
  start();
  const auto listed = list();
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_FALSE(listed[0].owned || listed[1].owned);
  EXPECT_EQ(apply(listed, {}), "NotOwned NotOwned");
  EXPECT_EQ(router().at("tags").size(), 1U);
}

TEST_F(OpenStackRoutesTest, OS_413_UnchangedResyncAndRestartWriteNothing) {
  start();
  const auto nodes = add_nodes(3);
  EXPECT_EQ(apply({}, additions(nodes)), "ok ok ok");
  list();
  cloud.clear_log();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(owned().size(), 3U);
  EXPECT_EQ(cloud.calls(), 5);
  start();
  EXPECT_EQ(owned().size(), 3U);
  EXPECT_EQ(cloud.writes(), 0);
  EXPECT_EQ(apply({}, additions(nodes)), "ok ok ok");
  EXPECT_EQ(calls("/ports/", "PUT"), 0);
  EXPECT_EQ(calls("/tags/", "PUT"), 0);
}

TEST_F(OpenStackRoutesTest, OS_182_193_EachFamilyHasItsNextHop) {
  start();
  TestNode node = add_node("worker-0", {"10.244.0.0/24", "fd00:244::/64"});
  EXPECT_EQ(apply({}, additions({node})), "ok ok");
  EXPECT_EQ(routes(), "10.244.0.0/24>10.20.0.50 fd00:244::/64>fd00:20::50");
  EXPECT_EQ(pairs(node), "10.244.0.0/24 fd00:244::/64");
  EXPECT_EQ(calls("/ports/", "PUT"), 1);
  EXPECT_EQ(owned().size(), 2U);
  auto only_v4 = additions({node});
  only_v4[1].target_addresses.pop_back();
  EXPECT_EQ(apply({}, only_v4), "ok NoAddress");
}

TEST_F(OpenStackRoutesTest, OS_180_186_ARouteToAnAddressWithoutAPortIsNotMade) {
  start();
  const auto nodes = add_nodes(2);
  auto wanted = additions(nodes);
  wanted[0].target_addresses[0].address = "10.10.0.77";
  EXPECT_EQ(apply({}, wanted), "NoPort ok");
  EXPECT_EQ(routes(), "10.244.1.0/24>10.10.0.51");
}

// Its kubelet says that it has worker-1's address.
TEST_F(OpenStackRoutesTest, Issue37_2_TheNextHopIsOnAPortOfTheServer) {
  start();
  const auto nodes = add_nodes(2);
  auto wanted = additions(nodes);
  wanted[0].target_addresses = nodes[1].addresses;
  EXPECT_EQ(apply({}, wanted), "NoPort ok");
  EXPECT_EQ(routes(), "10.244.1.0/24>10.10.0.51");
  EXPECT_EQ(pairs(nodes[1]), "10.244.1.0/24");
  wanted[0].target_provider_id = "";
  EXPECT_EQ(apply({}, {wanted[0]}), "NoInstance");
}

// occm#3090, #2698: two interfaces, of which the second one is on the router's network.
TEST_F(OpenStackRoutesTest, Issue38_18_AnyAddressOnTheRoutersNetworksNotOnlyTheFirst) {
  const std::string project = facts.at("projects").at("demo");
  const std::string storage =
      cloud.region().network.add("networks", project, {{"name", "storage"}})["id"];
  cloud.region().network.add(
      "subnets", project, {{"network_id", storage}, {"ip_version", 4}, {"cidr", "10.99.0.0/24"}});
  start();
  auto nodes = add_nodes(1);
  add_port(nodes[0], storage, "10.99.0.50");
  EXPECT_EQ(nodes[0].addresses.front().address, "10.99.0.50");
  EXPECT_EQ(apply({}, additions(nodes)), "ok");
  EXPECT_EQ(routes(), "10.244.0.0/24>10.10.0.50");
  EXPECT_EQ(pairs(nodes[0]), "10.244.0.0/24");
}

TEST_F(OpenStackRoutesTest, Issue37_2_NoRouteToASubnetOfTheRouter) {
  start();
  TestNode node = add_node("worker-0", {"10.10.0.0/24"});
  EXPECT_EQ(apply({}, additions({node})), "CIDRConflict");
  node.ranges = {"10.0.0.0/8"};
  EXPECT_EQ(apply({}, additions({node})), "CIDRConflict");
  EXPECT_EQ(routes(), "");
  EXPECT_EQ(pairs(node), "");
}

// A route that is refused leaves nothing on the port.
TEST_F(OpenStackRoutesTest, Issue37_2_NoPairStaysWithoutItsRoute) {
  cloud.region().network.most_routes = 1;
  start();
  const auto nodes = add_nodes(3);
  change_port(nodes[1], {{"allowed_address_pairs",
                          json::array({{{"ip_address", "10.244.1.0/24"}, {"mac_address", "m"}}})}});
  EXPECT_EQ(apply({}, additions(nodes)), "ok full full");
  EXPECT_EQ(pairs(nodes[0]), "10.244.0.0/24");
  EXPECT_EQ(pairs(nodes[1]), "10.244.1.0/24") << "was there before";
  EXPECT_EQ(pairs(nodes[2]), "");
  EXPECT_EQ(apply(owned(), {}), "ok");
  EXPECT_EQ(pairs(nodes[0]), "");
}

// A kubelet's Node claims the range and the server of a route that the administrator made.
TEST_F(OpenStackRoutesTest, Issue37_2_OnlyRoutesOfTheClustersRangesAreAdopted) {
  add_route("10.50.0.0/16", "10.10.0.50");
  add_route("10.244.7.0/24", "10.10.0.99");
  start();
  add_node("worker-0", {"10.50.0.0/16"});
  add_node("worker-1", {"10.244.7.0/24"});  // its server has another address
  EXPECT_TRUE(owned().empty());
  EXPECT_EQ(router().at("tags").size(), 0U);
  cloud.clear_log();
  list();
  EXPECT_EQ(calls("/ports\\?"), 0) << "looked at again after ten minutes";
}

TEST_F(OpenStackRoutesTest, OS_187_189_APortWithoutPortSecurityNeedsNoPair) {
  start();
  const auto nodes = add_nodes(1);
  change_port(nodes[0], {{"port_security_enabled", false}});
  EXPECT_EQ(apply({}, additions(nodes)), "ok");
  EXPECT_EQ(pairs(nodes[0]), "");
  EXPECT_EQ(calls("/ports/", "PUT"), 0);
}

TEST_F(OpenStackRoutesTest, OS_188_191_PairsOfOthersStay) {
  start();
  const auto nodes = add_nodes(1);
  change_port(
      nodes[0],
      {{"allowed_address_pairs",
        json::array({{{"ip_address", "10.10.0.200"}, {"mac_address", "fa:16:3e:0:0:1"}}})}});
  EXPECT_EQ(apply({}, additions(nodes)), "ok");
  EXPECT_EQ(pairs(nodes[0]), "10.10.0.200 10.244.0.0/24");
  EXPECT_EQ(apply(owned(), {}), "ok");
  EXPECT_EQ(pairs(nodes[0]), "10.10.0.200");
}

// Another writer of the same port (OS-424).
TEST_F(OpenStackRoutesTest, OS_195_424_AnOldRevisionOfThePortIsReadAgain) {
  start();
  const auto nodes = add_nodes(1);
  before_next("PUT", "/ports/", [this, &nodes] {
    change_port(nodes[0], {{"allowed_address_pairs",
                            json::array({{{"ip_address", "10.10.0.201"}, {"mac_address", "m"}}})}});
  });
  EXPECT_EQ(apply({}, additions(nodes)), "ok");
  EXPECT_EQ(pairs(nodes[0]), "10.10.0.201 10.244.0.0/24");
}

TEST_F(OpenStackRoutesTest, OS_195_APairThatIsMissingIsMadeLater) {
  start();
  const auto nodes = add_nodes(2);
  EXPECT_EQ(apply({}, additions(nodes)), "ok ok");
  list();
  change_port(nodes[1], {{"allowed_address_pairs", json::array()}});
  list();
  EXPECT_EQ(pairs(nodes[1]), "");
  host.loop.advance(minutes(10));
  list();
  EXPECT_EQ(pairs(nodes[1]), "10.244.1.0/24");
}

TEST_F(OpenStackRoutesTest, OS_185_195_AFullTableTakesTheFirstOnes) {
  cloud.region().network.most_routes = 5;
  add_route("192.0.2.0/24", "10.10.0.9");
  start();
  const auto nodes = add_nodes(8);
  EXPECT_EQ(apply({}, additions(nodes)), "ok ok ok ok full full full full");
  EXPECT_EQ(owned().size(), 4U);
  EXPECT_EQ(apply({owned()[0]}, additions({nodes[6], nodes[7]})), "ok ok full");
  EXPECT_EQ(list().size(), 5U);
}

TEST_F(OpenStackRoutesTest, OS_185_OneWrongRouteKeepsNoOtherOut) {
  without({"allowed-address-pairs"});
  start();
  const auto nodes = add_nodes(6);
  auto wanted = additions(nodes);
  wanted[3].destination_cidr = "10.244.3.0/99";
  EXPECT_EQ(apply({}, wanted), "ok ok ok CloudRefused ok ok");
  EXPECT_EQ(list().size(), 5U);
}

TEST_F(OpenStackRoutesTest, ManyRoutesAtOnceAreFewCalls) {
  cloud.region().network.most_routes = 600;
  start();
  const auto nodes = add_nodes(100);
  cloud.clear_log();
  const std::string outcome = apply({}, additions(nodes));
  EXPECT_EQ(std::count(outcome.begin(), outcome.end(), 'o'), 100) << outcome;
  EXPECT_EQ(calls("/add_extraroutes"), 1);
  EXPECT_EQ(calls("/ports/", "PUT"), 100);
  EXPECT_EQ(calls("/ports\\?"), 1 + 2);
  EXPECT_EQ(calls("/subnets\\?"), 1);
  EXPECT_LE(calls("/tags/", "PUT"), 4);
  EXPECT_EQ(owned().size(), 100U);
  cloud.clear_log();
  EXPECT_EQ(apply(owned(), {}).find("full"), std::string::npos);
  EXPECT_EQ(calls("/remove_extraroutes"), 1);
  EXPECT_EQ(list().size(), 0U);
}

TEST_F(OpenStackRoutesTest, OS_10_177_ACloudWithoutExtraRoutesSaysSo) {
  without({"extraroute", "extraroute-atomic"});
  start();
  EXPECT_EQ(list_status().code(), Code::unimplemented);
  EXPECT_NE(list_status().message().find("extraroute"), std::string::npos);
}

TEST_F(OpenStackRoutesTest, OS_113_WithoutARouterThereAreNoRoutes) {
  start("");
  EXPECT_FALSE(provider->interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES));
}

TEST_F(OpenStackRoutesTest, OS_367_ARouterThatIsGoneIsNamed) {
  start("00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(list_status().error_class(), ErrorClass::not_found);
  EXPECT_NE(list_status().message().find("router-id 00000000-"), std::string::npos);
  const auto nodes = add_nodes(1);
  EXPECT_EQ(apply({}, additions(nodes)), "CloudNotFound");
}

// The change was made, and its answer is lost: it is sent again, and is the same.
TEST_F(OpenStackRoutesTest, OS_185_ALostAnswerIsNoFailure) {
  start();
  const auto nodes = add_nodes(2);
  lose_answer("/add_extraroutes");
  EXPECT_EQ(apply({}, additions(nodes)), "ok ok");
  EXPECT_EQ(list().size(), 2U);
  lose_answer("/remove_extraroutes");
  EXPECT_EQ(apply({owned()[0]}, {}), "ok");
  EXPECT_EQ(list().size(), 1U);
}

TEST_F(OpenStackRoutesTest, OS_183_ALostAnswerWithoutTheAtomicExtension) {
  without({"extraroute-atomic"});
  start();
  const auto nodes = add_nodes(2);
  lose_answer("/routers/[^/]*$", "PUT");
  EXPECT_EQ(apply({}, additions(nodes)), "ok ok");
  EXPECT_EQ(list().size(), 2U);
}

// After any fault of any call: no route is without its record, and the next try ends right.
TEST_F(OpenStackRoutesTest, OS_195_AFailureAtAnyCallLosesNothing) {
  for (const int status : {401, 403, 404, 409, 429, 500, 503}) {
    for (int spared = 0; spared < 9; ++spared) {
      SCOPED_TRACE(std::to_string(status) + " after " + std::to_string(spared));
      reset();
      start();
      const auto nodes = add_nodes(2);
      openstack_api::Fault fault;
      fault.path = "/networking/";
      fault.status = status;
      fault.skip = spared;
      fault.count = 3;
      cloud.faults.add(fault);
      apply({}, additions(nodes));
      cloud.faults.clear();
      for (const json& route : router().at("routes")) {
        start();
        EXPECT_EQ(owned().size(), router().at("routes").size()) << route;
      }
      EXPECT_EQ(apply({}, additions(nodes)), "ok ok");
      EXPECT_EQ(owned().size(), 2U);
      EXPECT_EQ(pairs(nodes[0]), "10.244.0.0/24");
    }
  }
}

TEST_F(OpenStackRoutesTest, OS_54_AnotherRouterIsUsedWhenCloudConfSaysSo) {
  start();
  const auto nodes = add_nodes(1);
  EXPECT_EQ(apply({}, additions(nodes)), "ok");
  const std::string second = cloud.region().network.add("routers", facts.at("projects").at("demo"),
                                                        {{"name", "second"}})["id"];
  host.config.change_cloud_config(conf(second));
  host.loop.run();
  EXPECT_EQ(list().size(), 0U);
}

}  // namespace
}  // namespace ccm::openstack
