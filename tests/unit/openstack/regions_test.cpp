// One manager for the servers of several regions (OS-435).
#include "provider_fixture.hpp"

#include <algorithm>
#include <set>

namespace ccm::openstack {
namespace {

const std::string kTwo = "region = RegionOne\nadditional-region = RegionTwo\n";

class OpenStackRegionsTest : public OpenStackProviderTest {
 protected:
  OpenStackRegionsTest() { far_ = add_server(two(), "far-0"); }

  openstack_api::Region& two() { return cloud.region("RegionTwo"); }
  std::string add_server(openstack_api::Region& region, const std::string& name) {
    const std::string demo = facts["projects"]["demo"];
    const std::string network = region.network.add("networks", demo, {{"name", "far"}})["id"];
    region.network.add(
        "subnets", demo,
        {{"name", "far"}, {"network_id", network}, {"ip_version", 4}, {"cidr", "10.70.0.0/24"}});
    const std::string flavor = region.compute.add_flavor("m2.far", 1, 128);
    return region.compute.add_server(demo, facts["users"]["demo"], name, flavor, {network})["id"];
  }
  Result<Instance> by_name(const std::string& name) { return provider->get({name, "", {}, {}}); }
  Result<Instance> by_id(const std::string& id) { return provider->get({"n", id, {}, {}}); }

  std::string far_;
};

TEST_F(OpenStackRegionsTest, OS_435_AllServersAreNodes) {
  start(cloud_conf(kTwo));
  const auto list = provider->list();
  ASSERT_TRUE(list.ok());
  EXPECT_TRUE(list->unknown_prefixes.empty());
  const Instance* near = named(*list, "node-0");
  const Instance* far = named(*list, "far-0");
  ASSERT_TRUE(near != nullptr && far != nullptr);
  EXPECT_EQ(near->provider_id, "openstack:///" + id("node-0"));
  EXPECT_EQ(near->region, "RegionOne");
  EXPECT_EQ(far->provider_id, "openstack://RegionTwo/" + far_);
  EXPECT_EQ(far->region, "RegionTwo");
  EXPECT_EQ(far->instance_type, "m2.far");
  ASSERT_FALSE(far->addresses.empty());

  EXPECT_EQ(by_name("far-0")->provider_id, far->provider_id);
  EXPECT_EQ(by_id("openstack://RegionTwo/" + far_)->region, "RegionTwo");
  // As a manager of the second region alone may have written it.
  EXPECT_EQ(by_id("openstack:///" + far_)->region, "RegionTwo");
  EXPECT_EQ(by_id("openstack:///" + far_)->provider_id, far->provider_id);
  EXPECT_EQ(far->other_ids, std::vector<std::string>{"openstack:///" + far_});
  EXPECT_EQ(by_name("no-such").status().error_class(), ErrorClass::not_found);
  EXPECT_EQ(by_id("openstack://RegionOne/" + far_).status().error_class(), ErrorClass::not_found);
  EXPECT_EQ(by_id("openstack://Elsewhere/" + far_).status().code(), Code::implemented_elsewhere);
}

TEST_F(OpenStackRegionsTest, OneThatIsAwayLosesNoNode) {
  start(cloud_conf(kTwo));
  two().away = true;
  auto list = provider->list();
  ASSERT_TRUE(list.ok());
  EXPECT_NE(named(*list, "node-0"), nullptr);
  EXPECT_EQ(list->unknown_prefixes,
            (std::vector<std::string>{"openstack://RegionTwo/", "openstack:///"}));
  EXPECT_TRUE(host.log.contains("A region does not answer"));
  EXPECT_TRUE(by_name("node-0").ok());
  for (const std::string& gone : {"openstack://RegionTwo/" + far_, "openstack:///" + far_}) {
    EXPECT_EQ(by_id(gone).status().error_class(), ErrorClass::unavailable) << gone;
  }
  EXPECT_EQ(by_name("far-0").status().error_class(), ErrorClass::unavailable);

  two().away = false;
  cloud.region("RegionOne").away = true;
  list = provider->list();
  ASSERT_TRUE(list.ok());
  EXPECT_NE(named(*list, "far-0"), nullptr);
  EXPECT_EQ(list->unknown_prefixes,
            (std::vector<std::string>{"openstack://RegionOne/", "openstack:///"}));

  two().away = true;
  EXPECT_EQ(provider->list().status().error_class(), ErrorClass::unavailable);
}

TEST_F(OpenStackRegionsTest, OneThatHangsDoesNotEndTheListing) {
  start(cloud_conf(kTwo));
  openstack_api::Fault slow;
  slow.path = "^/RegionTwo/";
  slow.delay = std::chrono::minutes(5);
  slow.count = -1;
  cloud.faults.add(slow);
  const auto list = provider->list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_NE(named(*list, "node-0"), nullptr);
  EXPECT_EQ(list->unknown_prefixes.size(), 2U);
}

TEST_F(OpenStackRegionsTest, AWrongRegionIsOneLine) {
  EXPECT_NE(refusal(cloud_conf("additional-region = RegionTwo\n")).find("needs region"),
            std::string::npos);
  EXPECT_NE(
      refusal(cloud_conf(kTwo + "additional-region = RegionOne\n")).find("stands there twice"),
      std::string::npos);
  host.config.set_cloud_config(cloud_conf("region = RegionOne\nadditional-region = RegionThree\n"));
  const Status missing = make().initialize();
  EXPECT_NE(missing.message().find("service compute in region RegionThree"), std::string::npos);
}

// The regions of operations that are under way live on.
TEST_F(OpenStackRegionsTest, AReloadDuringAListing) {
  start(cloud_conf(kTwo));
  const auto running = provider->start_list(provider->ctx());
  host.config.change_cloud_config(cloud_conf());
  const auto list = provider->finish(running);
  ASSERT_TRUE(list.ok());
  EXPECT_NE(named(*list, "far-0"), nullptr);
  EXPECT_EQ(named(*provider->list(), "far-0"), nullptr);
}

}  // namespace
}  // namespace ccm::openstack
