#include "provider_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ccm::openstack {
namespace {

using openstack_api::Fault;
using openstack_api::json;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_F(OpenStackProviderTest, OS_153_160_AServerIsAnInstanceOfTheCluster) {
  const auto list = start().list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  const Instance* node = named(*list, "node-0");
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->provider_id, "openstack:///" + id("node-0"));
  EXPECT_EQ(node->state, InstanceState::running);
  EXPECT_EQ(node->instance_type, "m1.tiny");
  EXPECT_EQ(node->zone, "nova");
  EXPECT_EQ(node->region, "RegionOne");
  ASSERT_EQ(node->addresses.size(), 1U);
  EXPECT_EQ(node->addresses[0].type, "InternalIP");
  EXPECT_TRUE(node->labels.empty());
  const auto one = provider->get({"node-0", node->provider_id, {}, {}});
  ASSERT_TRUE(one.ok()) << one.status().message();
  EXPECT_EQ(*one, *node);
  EXPECT_EQ(*provider->get({"node-0", "", {}, {}}), *node);
}

// A Node that names its server the other way had the same server beside its Node.
TEST_F(OpenStackProviderTest, Issue37_OS_144_WithAndWithoutTheRegionItIsOneServer) {
  const std::string plain = "openstack:///" + id("node-1");
  const std::string regional = "openstack://RegionOne/" + id("node-1");
  const auto is_one = [&](const std::string& own, const std::string& other) {
    const auto list = start().list();
    ASSERT_TRUE(list.ok());
    const auto count = std::count_if(
        list->instances.begin(), list->instances.end(), [&](const Instance& instance) {
          return instance.provider_id == plain || instance.provider_id == regional;
        });
    EXPECT_EQ(count, 1);
    for (const std::string& asked : {own, other, std::string()}) {
      const auto found = provider->get({"node-1", asked, {}, {}});
      ASSERT_TRUE(found.ok()) << asked;
      EXPECT_EQ(*found, *named(*list, "node-1"));
      EXPECT_EQ(found->provider_id, own);
      EXPECT_EQ(found->other_ids, std::vector<std::string>{other});
    }
  };
  is_one(plain, regional);
  host.config.set_flag("openstack-regional-provider-ids", "true");
  is_one(regional, plain);
}

TEST_F(OpenStackProviderTest, OS_146_163_OtherRegionsAndProvidersAreLeftAlone) {
  start();
  const auto code = [&](const std::string& provider_id) {
    return provider->get({"node-1", provider_id, {}, {}}).status().code();
  };
  EXPECT_EQ(code("openstack://Elsewhere/" + id("node-1")), Code::implemented_elsewhere);
  EXPECT_EQ(code("digitalocean://123"), Code::implemented_elsewhere);
  EXPECT_EQ(code("openstack://" + id("node-1")), Code::invalid_argument);
  EXPECT_EQ(cloud.calls(), 0);
}

TEST_F(OpenStackProviderTest, OS_147_149_151_OnlyNovasWordIsAbsence) {
  start();
  const auto status = [&](const std::string& name, const std::string& provider_id) {
    return provider->get({name, provider_id, {}, {}}).status();
  };
  EXPECT_EQ(status("x", "openstack:///none").error_class(), ErrorClass::not_found);
  EXPECT_EQ(status("unknown", "").error_class(), ErrorClass::not_found);
  Fault proxy;
  proxy.path = "/servers/";
  proxy.status = 404;
  proxy.body = "<html>no such page</html>";
  cloud.faults.add(proxy);
  EXPECT_EQ(status("node-0", "openstack:///" + id("node-0")).error_class(),
            ErrorClass::unavailable);
  fail("/servers/", 500);
  EXPECT_EQ(status("node-0", "openstack:///" + id("node-0")).error_class(),
            ErrorClass::unavailable);
}

TEST_F(OpenStackProviderTest, OS_148_150_ANameIsTakenExactly) {
  auto& compute = cloud.region().compute;
  const std::string demo = facts["projects"]["demo"];
  const auto add = [&](const std::string& name) {
    compute.add_server(demo, facts["users"]["demo"], name, id("m1.tiny"), {id("private")});
  };
  add("NODE.example");
  add("nodeXexample");
  start();
  EXPECT_EQ(provider->get({"node.example", "", {}, {}}).status().error_class(),
            ErrorClass::not_found);
  EXPECT_EQ(provider->get({"NODE.example", "", {}, {}})->name, "NODE.example");
  add("node-0");
  EXPECT_EQ(provider->get({"node-0", "", {}, {}}).status().reason(), "AmbiguousServerName");
}

TEST_F(OpenStackProviderTest, OS_161_413_ManyServersCostPagesAndPortsInOneQuery) {
  add_servers(600);
  const auto list = start().list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ(list->instances.size(), 603U);
  EXPECT_EQ(calls("/servers/detail"), 2);
  EXPECT_EQ(calls("/ports"), 2);
  EXPECT_EQ(cloud.calls(), 4);
  EXPECT_EQ(cloud.writes(), 0);
  ASSERT_NE(named(*list, "more-599"), nullptr);
  EXPECT_EQ(named(*list, "more-599")->addresses.size(), 1U);
}

// Neutron makes such ports, and takes the address of one away.
TEST_F(OpenStackProviderTest, OS_165_364_APortWithoutAFixedIpFailsNoOtherNode) {
  for (json& port : cloud.region().network.records("ports")) {
    if (port.at("device_id") == id("node-0")) port["fixed_ips"] = json::array();
  }
  const auto list = start().list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ(named(*list, "node-1")->addresses.size(), 1U);
  ASSERT_NE(named(*list, "node-0"), nullptr) << "it is there, and no Node of it may go";
  EXPECT_TRUE(named(*list, "node-0")->addresses.empty());
  EXPECT_EQ(*provider->get({"node-0", "", {}, {}}), *named(*list, "node-0"));
}

TEST_F(OpenStackProviderTest, Issue37_AListingHasALargestSize) {
  add_servers(70);
  cloud.region().compute.page_size = 10;
  for (json& server : cloud.region().compute.servers()) {
    server["metadata"] = {{"note", std::string(1'000'000, 'x')}};
  }
  const Status status = start().list().status();
  EXPECT_EQ(status.code(), Code::data_loss);
  EXPECT_NE(status.message().find("or more than 64 MiB of them"), std::string::npos)
      << status.message();
}

TEST_F(OpenStackProviderTest, OS_356_HalfAListingIsNone) {
  add_servers(600);
  start();
  fail("/servers/detail.*marker", 500, -1);
  EXPECT_FALSE(provider->list().ok());
  cloud.faults.clear();
  fail("/ports", 503, -1);
  EXPECT_FALSE(provider->list().ok());
  cloud.faults.clear();
  cloud.region().compute.page_size = 100;
  EXPECT_EQ(provider->list()->instances.size(), 603U);
}

TEST_F(OpenStackProviderTest, OS_356_TheServerAtTheEndOfAPageIsDeletedMeanwhile) {
  add_servers(600);
  start();
  bool deleted = false;
  cloud.observer = [&](const openstack_api::Exchange& exchange) {
    if (deleted || exchange.target.find("/servers/detail") == std::string::npos) return;
    deleted = true;
    const json page = json::parse(exchange.response_body);
    cloud.region().compute.remove_server(page.at("servers").back().at("id"));
  };
  const auto list = provider->list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ(list->instances.size(), 602U);
}

TEST_F(OpenStackProviderTest, OS_155_156_157_OldNovasFlavorsAreLookedUpOnce) {
  cloud.region().compute.newest_version = 30;
  start();
  for (int i = 0; i < 2; ++i) {
    const auto list = provider->list();
    ASSERT_TRUE(list.ok()) << list.status().message();
    EXPECT_EQ(named(*list, "node-0")->instance_type, "m1.tiny");
  }
  EXPECT_EQ(calls("/flavors/"), 1);
  EXPECT_EQ(provider->get({"node-0", "", {}, {}})->instance_type, "m1.tiny");
}

TEST_F(OpenStackProviderTest, OS_157_ADeletedFlavorFailsNoNode) {
  cloud.region().compute.remove_flavor(id("m1.tiny"));
  EXPECT_EQ(start().get({"node-0", "", {}, {}})->instance_type, "m1.tiny");
  cloud.region().compute.newest_version = 1;
  EXPECT_EQ(start().get({"node-0", "", {}, {}})->instance_type, id("m1.tiny"));
}

TEST_F(OpenStackProviderTest, OS_152_AStoppedServerIsShutDown) {
  cloud.region().compute.servers().find(id("node-2"))->at("status") = "SHUTOFF";
  EXPECT_EQ(named(*start().list(), "node-2")->state, InstanceState::shutdown);
}

// Its list leaves it out.
TEST_F(OpenStackProviderTest, OS_152_CAPO_2618_ASoftlyDeletedServerIsShutDown) {
  start();
  cloud.region().compute.servers().find(id("node-2"))->at("status") = "SOFT_DELETED";
  EXPECT_EQ(named(*provider->list(), "node-2"), nullptr);
  EXPECT_EQ(provider->get({"node-2", "openstack:///" + id("node-2"), {}, {}})->state,
            InstanceState::shutdown);
}

TEST_F(OpenStackProviderTest, OS_90_TheTokenIsRenewedBeforeItEnds) {
  start();
  host.loop.advance(minutes(54));
  EXPECT_TRUE(one_call().ok());
  EXPECT_EQ(calls("/auth/tokens"), 0);
  host.loop.advance(minutes(2));
  EXPECT_TRUE(one_call().ok());
  host.loop.run();
  EXPECT_EQ(calls("/auth/tokens", "POST"), 1);
  for (const auto& exchange : cloud.log()) EXPECT_NE(exchange.status, 401);
}

TEST_F(OpenStackProviderTest, OS_90_AFailedRenewalLeavesTheOldTokenInUse) {
  start();
  host.loop.advance(minutes(56));
  fail("/auth/tokens", 503, -1);
  EXPECT_TRUE(one_call().ok());
  host.loop.run();
  EXPECT_TRUE(host.log.contains("could not be renewed"));
  EXPECT_TRUE(one_call().ok());
  host.loop.advance(minutes(5));
  EXPECT_FALSE(one_call().ok());
  cloud.faults.clear();
  EXPECT_TRUE(one_call().ok());
}

TEST_F(OpenStackProviderTest, OS_84_87_ManyThatMeetARevokedTokenLogInOnce) {
  start();
  cloud.latency = std::chrono::milliseconds(50);
  cloud.identity().revoke_all();
  const Ctx ctx = provider->ctx();
  std::vector<testing::Pending<Result<Instance>>> asked;
  for (int i = 0; i < 20; ++i) {
    asked.push_back(provider->start_get(ctx, {"node-0", "openstack:///" + id("node-0"), {}, {}}));
  }
  for (const auto& one : asked) EXPECT_TRUE(provider->finish(one).ok());
  EXPECT_EQ(calls("/auth/tokens", "POST"), 1);
}

TEST_F(OpenStackProviderTest, TheTokenIsRevokedAtTheEnd) {
  start();
  EXPECT_TRUE(provider->shutdown().ok());
  EXPECT_EQ(calls("/auth/tokens", "DELETE"), 1);
  EXPECT_EQ(cloud.log().back().status, 204);
  EXPECT_TRUE(provider->shutdown().ok());
  EXPECT_EQ(calls("/auth/tokens", "DELETE"), 1) << "there is none any more";
}

TEST_F(OpenStackProviderTest, OS_85_ASecondRefusalIsAnError) {
  start();
  fail("/servers", 401, -1);
  const Status status = one_call();
  EXPECT_EQ(status.error_class(), ErrorClass::auth);
  EXPECT_NE(status.message().find("a new token is refused as well"), std::string::npos);
  EXPECT_EQ(calls("/auth/tokens", "POST"), 1);
  cloud.faults.clear();
  EXPECT_TRUE(one_call().ok());
}

TEST_F(OpenStackProviderTest, OS_82_83_TheCatalogIsReadWithEachLogIn) {
  start();
  cloud.identity().remove_service("compute");
  cloud.identity().add_endpoint("compute", "RegionOne", "{url}/compute/v2.1/");
  cloud.identity().revoke_all();
  EXPECT_TRUE(provider->list().ok());
}

TEST_F(OpenStackProviderTest, OS_79_KeystonesVersionIsLookedUpWhenTheUrlNamesNone) {
  std::string conf = cloud_conf();
  conf.erase(conf.find("/v3"), 3);
  host.config.set_cloud_config(conf);
  const Status status = make().initialize();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(calls("/identity/$", "GET"), 1);
}

TEST_F(OpenStackProviderTest, OS_71_72_ApplicationCredential) {
  const auto send = [&](const std::string& path, const json& body, const std::string& token) {
    openstack_api::Request request{"POST", "/identity/v3/" + path, {}, body.dump()};
    if (!token.empty()) request.headers["x-auth-token"] = token;
    return cloud.handle(request);
  };
  const json user = {{"name", "demo"}, {"password", kPassword}, {"domain", {{"id", "default"}}}};
  const std::string token =
      send("auth/tokens",
           {{"auth", {{"identity", {{"methods", {"password"}}, {"password", {{"user", user}}}}}}}},
           "")
          .headers.at("x-subject-token");
  const auto made =
      send("users/" + facts["users"]["demo"].get<std::string>() + "/application_credentials",
           {{"application_credential", {{"name", "ccm"}, {"secret", "hidden"}}}}, token);
  const std::string credential = json::parse(made.body)["application_credential"]["id"];
  start("[Global]\nauth-url = " + kCloudUrl + "/identity/v3\napplication-credential-id = " +
        credential + "\napplication-credential-secret = hidden\nregion = RegionOne\n");
  EXPECT_EQ(provider->get({"node-0", "", {}, {}})->name, "node-0");
  EXPECT_FALSE(host.log.contains("hidden"));
}

TEST_F(OpenStackProviderTest, OS_8_ARefusedLogInSaysWhatWasTried) {
  std::string conf = cloud_conf();
  conf.replace(conf.find("= secret"), 8, "= wrong-one");
  host.config.set_cloud_config(conf);
  const Status status = make().initialize();
  EXPECT_EQ(status.error_class(), ErrorClass::auth);
  EXPECT_NE(status.message().find("user demo by password, project demo, cloud.conf [Global]"),
            std::string::npos)
      << status.message();
  EXPECT_EQ(status.message().find("wrong-one"), std::string::npos);
}

TEST_F(OpenStackProviderTest, OS_11_98_ACatalogWithoutNovaSaysSo) {
  host.config.set_cloud_config(cloud_conf("region = Nowhere\n"));
  const Status status = make().initialize();
  EXPECT_NE(status.message().find("no public endpoint of the service compute in region Nowhere"),
            std::string::npos)
      << status.message();
}

TEST_F(OpenStackProviderTest, OS_4_5_UserAgent) {
  host.config.set_flag("user-agent", "one,two");
  start();
  EXPECT_TRUE(one_call().ok());
  const std::string agent = cloud.log().back().request_headers.at("user-agent");
  EXPECT_TRUE(agent.starts_with("two one openstack-cloud-controller-manager/")) << agent;
}

}  // namespace
}  // namespace ccm::openstack
