// Members of Nodes that leave: weight 0 until [LoadBalancer] member-drain-timeout is over.
#include "load_balancers_fixture.hpp"

namespace ccm::openstack {
namespace {

class OpenStackDrainTest : public OpenStackLoadBalancersTest {
 protected:
  // The weights of all members, by address.
  std::map<std::string, int> weights() {
    std::map<std::string, int> all;
    octavia().advance();
    for (const json& member : octavia().records("members")) {
      all[member.at("address")] = member.at("weight");
    }
    return all;
  }
  int weight_of(const Backend& node) {
    const auto all = weights();
    const auto found = all.find(node.addresses.front().address);
    return found == all.end() ? -1 : found->second;
  }
};

TEST_F(OpenStackDrainTest, OS_451_AMemberWhoseNodeLeavesEndsItsConnectionsFirst) {
  start("member-drain-timeout = 30s\n");
  const auto all = nodes(3);
  ensured(web(), all);
  EXPECT_EQ(weight_of(all[2]), 1);
  const auto leaving = update(web(), nodes(2));
  ASSERT_TRUE(leaving.ok()) << leaving.status().message();
  EXPECT_EQ(leaving->state, LoadBalancerState::pending);
  EXPECT_EQ(leaving->difference, "members of TCP port 80");
  EXPECT_EQ(weight_of(all[2]), 0);
  EXPECT_EQ(weight_of(all[0]), 1);

  host.loop.advance(seconds(10));
  cloud.clear_log();
  const auto waiting = update(web(), nodes(2));
  ASSERT_TRUE(waiting.ok());
  EXPECT_EQ(waiting->state, LoadBalancerState::pending);
  EXPECT_GT(waiting->retry_after, seconds(15));
  EXPECT_LE(waiting->retry_after, seconds(20));
  EXPECT_EQ(cloud.writes(), 0);

  host.loop.advance(seconds(20));
  const auto gone = update(web(), nodes(2));
  ASSERT_TRUE(gone.ok());
  host.loop.advance(seconds(5));
  EXPECT_EQ(weight_of(all[2]), -1);
  EXPECT_EQ(update(web(), nodes(2))->state, LoadBalancerState::active);
  EXPECT_EQ(observe(web(), nodes(2))->difference, "");
}

TEST_F(OpenStackDrainTest, OS_451_ANodeThatStaysAfterAllTakesTrafficAgain) {
  start("member-drain-timeout = 30s\n");
  const auto all = nodes(3);
  ensured(web(), all);
  ASSERT_TRUE(update(web(), nodes(2)).ok());
  EXPECT_EQ(weight_of(all[2]), 0);
  host.loop.advance(seconds(5));
  ASSERT_TRUE(update(web(), all).ok());
  EXPECT_EQ(weight_of(all[2]), 1);
  host.loop.advance(seconds(5));
  EXPECT_EQ(update(web(), all)->state, LoadBalancerState::active);
}

// After a restart, when nobody knows of the drain any more.
TEST_F(OpenStackDrainTest, OS_451_AnAuditFindsAMemberThatWasLeftWithoutTraffic) {
  start("member-drain-timeout = 30s\n");
  const auto all = nodes(3);
  ensured(web(), all);
  ASSERT_TRUE(update(web(), nodes(2)).ok());
  EXPECT_EQ(weight_of(all[2]), 0);
  start("member-drain-timeout = 30s\n");
  host.loop.advance(seconds(5));
  EXPECT_EQ(observe(web(), all)->difference, "members of TCP port 80");
  ensured(web(), all);
  EXPECT_EQ(weight_of(all[2]), 1);
  EXPECT_EQ(observe(web(), all)->difference, "");
}

TEST_F(OpenStackDrainTest, OS_395_WithoutTheSettingItIsRemovedAtOnceAndWeightsStay) {
  const auto all = nodes(3);
  ensured(web(), all);
  for (json& member : octavia().records("members")) {
    if (member.at("address") == all[0].addresses.front().address) member["weight"] = 0;
  }
  ASSERT_TRUE(update(web(), nodes(2)).ok());
  EXPECT_EQ(weight_of(all[2]), -1);
  EXPECT_EQ(observe(web(), nodes(2))->difference, "") << "an administrator's weight";
}

}  // namespace
}  // namespace ccm::openstack
