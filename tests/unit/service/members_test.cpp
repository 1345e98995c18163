// The members of load balancers and their addresses are what the cloud says they are.
#include "service_fixture.hpp"

#include <ccm/testing/fake_instances.hpp>

#include <algorithm>

namespace ccm::service {
namespace {

constexpr const char* kNoNodesReason = "UnAvailableLoadBalancer";

class MembersTest : public ServiceTest {
 protected:
  MembersTest() {
    cloud.prefix = "test://";
    host.offer(CCM_CLOUD_INSTANCES, cloud.service());
  }

  // An instance of that name with the addresses 10.0.0.N and 192.0.2.N.
  void add_instance(const std::string& name, int number) {
    Instance instance;
    instance.state = InstanceState::running;
    instance.provider_id = "test://" + name;
    instance.name = name;
    instance.addresses = {{"InternalIP", "10.0.0." + std::to_string(number)},
                          {"ExternalIP", "192.0.2." + std::to_string(number)}};
    cloud.instances.push_back(instance);
  }
  void remove_instance(const std::string& name) {
    std::erase_if(cloud.instances, [&](const Instance& each) { return each.name == name; });
  }
  // node-0, node-1, ... with their instances, and Services s0, s1, ... that have been served.
  void made(int services, int nodes) {
    for (int i = 0; i < nodes; ++i) add_instance("node-" + std::to_string(i), i);
    put_nodes(nodes);
    for (int i = 0; i < services; ++i) put(balanced("s" + std::to_string(i)));
    start();
    run();
    advance(seconds(5));
    forget();
  }
  // A Service s0, and more Nodes than a question is about.
  void start_with_many() {
    for (int i = 0; i < 1'200; ++i) add_instance("node-" + std::to_string(i), i);
    put_nodes(1'200);
    put(balanced("s0"));
    start();
    run();
  }
  std::size_t backends_of_s0() {
    return host.load_balancers.balancers["uid-of-s0"].backends.size();
  }
  void forget() {
    take_cloud();
    take_writes();
    take_events();
    cloud.asked.clear();
  }
  // "NAME=ADDRESS NAME=ADDRESS": the backends that the cloud was given, each with its first
  // address.
  std::string members(const std::string& service = "s0") {
    std::string text;
    for (const Backend& each : host.load_balancers.balancers["uid-of-" + service].backends) {
      text += (text.empty() ? "" : " ") + each.name + "=" +
              (each.addresses.empty() ? "-" : each.addresses.front().address);
    }
    return text;
  }
  static Json addressed(const std::string& name, const std::string& address) {
    Json node = plain_node(name);
    node["status"]["addresses"] = {{{"type", "InternalIP"}, {"address", address}}};
    return node;
  }
  static Json created(Json node, const std::string& when) {
    node["metadata"]["creationTimestamp"] = when;
    return node;
  }

  testing::FakeInstances cloud{host};
};

TEST_F(MembersTest, issue_37_3_AnAddressThatAKubeletWritesIsNoMember) {
  made(2, 2);
  EXPECT_EQ(members(), "node-0=10.0.0.0 node-1=10.0.0.1");
  put_node(addressed("node-1", "169.254.169.254"));
  advance(seconds(10));
  EXPECT_EQ(take_cloud(), Texts{});
  EXPECT_EQ(members(), "node-0=10.0.0.0 node-1=10.0.0.1");
  EXPECT_LE(cloud.asked.size(), 1U);
}

TEST_F(MembersTest, issue_37_3_NorIsItOneAtTheStart) {
  add_instance("node-0", 0);
  put_node(addressed("node-0", "169.254.169.254"));
  put(balanced("s0"));
  start();
  run();
  EXPECT_EQ(members(), "node-0=10.0.0.0");
}

// A change in the cloud comes by way of the Node, which the node controller writes.
TEST_F(MembersTest, AnAddressThatTheCloudChangesIsFollowed) {
  made(1, 1);
  cloud.instances[0].addresses[0].address = "10.0.0.77";
  put_node(addressed("node-0", "10.0.0.77"));
  advance(seconds(2));
  EXPECT_EQ(take_cloud(), Texts{"update_backends"});
  EXPECT_EQ(members(), "node-0=10.0.0.77");
}

TEST_F(MembersTest, issue_37_3_OfTwoNodesWithOneInstanceTheOlderOneHasIt) {
  add_instance("node-0", 0);
  put_node(created(plain_node("node-0"), "2026-01-02T00:00:00Z"));
  Json hostile = created(plain_node("hostile"), "2026-01-03T00:00:00Z");
  hostile["spec"]["providerID"] = "test://node-0";
  put_node(hostile);
  put(balanced("s0"));
  start();
  run();
  EXPECT_EQ(members(), "node-0=10.0.0.0");
  const std::string text = last_event("InstanceOfAnotherNode");
  EXPECT_NE(text.find("test://node-0 is already that of Node node-0"), std::string::npos) << text;
  EXPECT_EQ(host.events.with_reason("InstanceOfAnotherNode").size(), 1U);
  host.kube.remove("v1/nodes", "node-0");
  advance(seconds(2));
  EXPECT_EQ(members(), "hostile=10.0.0.0") << "its instance is free";
}

// Its kubelet registered it without a provider ID, and named this one when the other had come.
TEST_F(MembersTest, Issue37_AnOlderNodeDoesNotTakeTheInstanceOfAnotherName) {
  add_instance("node-0", 0);
  put_node(created(plain_node("node-0"), "2026-01-02T00:00:00Z"));
  Json hostile = created(plain_node("hostile"), "2026-01-01T00:00:00Z");
  hostile["spec"]["providerID"] = "test://node-0";
  put_node(hostile);
  put(balanced("s0"));
  start();
  run();
  EXPECT_EQ(members(), "node-0=10.0.0.0");
  EXPECT_EQ(host.events.with_reason("InstanceOfAnotherNode").size(), 1U);
}

// One that has its instance by its name holds it as well.
TEST_F(MembersTest, issue_37_3_AProviderIdDoesNotTakeAnInstanceFromANodeWithoutOne) {
  add_instance("node-0", 0);
  Json early = created(plain_node("node-0"), "2026-01-02T00:00:00Z");
  early["spec"].erase("providerID");
  put_node(early);
  Json hostile = created(plain_node("hostile"), "2026-01-03T00:00:00Z");
  hostile["spec"]["providerID"] = "test://node-0";
  put_node(hostile);
  put(balanced("s0"));
  start();
  run();
  EXPECT_EQ(members(), "node-0=10.0.0.0");
  EXPECT_EQ(host.load_balancers.balancers["uid-of-s0"].backends[0].provider_id, "test://node-0");
}

TEST_F(MembersTest, issue_37_3_WhatTheCloudDoesNotShowIsNoBackend) {
  made(1, 1);
  Json foreign = plain_node("foreign");
  foreign["spec"]["providerID"] = "other://1";
  put_node(foreign);
  put_node(plain_node("invented"));
  advance(seconds(5));
  EXPECT_EQ(take_cloud(), Texts{});
  EXPECT_EQ(members(), "node-0=10.0.0.0");
}

// Its instance is newer than the cloud's listing. Nobody has to write to the Node again.
TEST_F(MembersTest, ANodeComesInWhenTheCloudShowsItsInstance) {
  made(1, 1);
  put_node(plain_node("node-1"));
  advance(seconds(5));
  EXPECT_EQ(members(), "node-0=10.0.0.0");
  add_instance("node-1", 1);
  host.kube.resync();
  advance(seconds(2));
  EXPECT_EQ(members(), "node-0=10.0.0.0 node-1=10.0.0.1");
}

TEST_F(MembersTest, WhileTheCloudDoesNotAnswerWhatIsKnownGoesOn) {
  made(1, 2);
  cloud.fail_next("describe", down(), 100);
  add_instance("node-2", 2);
  put_node(plain_node("node-2"));
  put_node(addressed("node-0", "169.254.169.254"));
  advance(seconds(10));
  EXPECT_EQ(members(), "node-0=10.0.0.0 node-1=10.0.0.1");
  host.kube.remove("v1/nodes", "node-1");
  advance(seconds(2));
  EXPECT_EQ(members(), "node-0=10.0.0.0") << "the cluster's own word needs no cloud";
  EXPECT_EQ(take_events(), Texts{"Normal UpdatedLoadBalancer"});
}

// While there is no Service nobody asks about Nodes.
TEST_F(MembersTest, AServiceHasTheNodesThatCameBeforeIt) {
  made(1, 1);
  mark_deleted("s0");
  advance(seconds(2));
  ASSERT_FALSE(exists("s0"));
  host.kube.remove("v1/nodes", "node-0");
  for (int i = 1; i < 4; ++i) {
    add_instance("node-" + std::to_string(i), i);
    put_node(plain_node("node-" + std::to_string(i)));
  }
  advance(seconds(30));
  EXPECT_TRUE(cloud.asked.empty()) << "nobody needs them";
  forget();
  put(balanced("s1"));
  run();
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(members("s1"), "node-1=10.0.0.1 node-2=10.0.0.2 node-3=10.0.0.3");
  EXPECT_EQ(cloud.asked.size(), 3U);
  advance(seconds(5));
  EXPECT_EQ(take_cloud(), Texts{}) << "once";
  EXPECT_EQ(cloud.asked.size(), 3U);
}

TEST_F(MembersTest, NodesThatCameBeforeAServiceAreAskedAboutUntilTheCloudAnswers) {
  made(1, 1);
  mark_deleted("s0");
  advance(seconds(2));
  add_instance("node-1", 1);
  put_node(plain_node("node-1"));
  advance(seconds(2));
  cloud.fail_next("describe", down(), 3);
  put(balanced("s1"));
  run();
  EXPECT_EQ(members("s1"), "node-0=10.0.0.0") << "it holds up no Service";
  advance(minutes(2));
  EXPECT_EQ(members("s1"), "node-0=10.0.0.0 node-1=10.0.0.1");
}

TEST_F(MembersTest, ItIsAskedAgainUntilItAnswers) {
  made(1, 1);
  cloud.fail_next("describe", down(), 3);
  add_instance("node-1", 1);
  put_node(plain_node("node-1"));
  advance(minutes(2));
  EXPECT_EQ(members(), "node-0=10.0.0.0 node-1=10.0.0.1");
}

// A restart while the cloud does not answer: the members of before must not go.
TEST_F(MembersTest, BeforeTheCloudHasAnsweredNoLoadBalancerIsChanged) {
  made(1, 2);
  put(balanced("new"));
  cloud.fail_next("describe", down(), 1'000);
  start();
  run();
  advance(minutes(1));
  EXPECT_EQ(take_cloud(), Texts{});
  EXPECT_EQ(members(), "node-0=10.0.0.0 node-1=10.0.0.1");
  const Json reported = condition("new", kReady);
  ASSERT_FALSE(reported.is_null());
  const std::string text = reported["message"].get<std::string>();
  EXPECT_NE(text.find("failed to find the instances of the Nodes"), std::string::npos) << text;
  EXPECT_EQ(address("s0"), "203.0.113.1");
}

// A region that does not answer, after a restart.
TEST_F(MembersTest, R_72_NorWhileAPartOfItDoesNot) {
  made(1, 2);
  cloud.unknown["node-1"] = down();
  start();
  run();
  advance(minutes(1));
  EXPECT_EQ(take_cloud(), Texts{});
  EXPECT_EQ(members(), "node-0=10.0.0.0 node-1=10.0.0.1");
  cloud.unknown.clear();
  advance(minutes(10));
  EXPECT_EQ(take_cloud(), Texts{"observe"});
}

// A kubelet can register a Node of which the cloud can say nothing; it must not hold up the others.
TEST_F(MembersTest, ANodeThatTheCloudCannotTellApartHoldsUpNobody) {
  made(1, 1);
  add_instance("twice", 2);
  add_instance("twice", 3);
  Json node = plain_node("twice");
  node["spec"].erase("providerID");
  put_node(node);
  start();
  run();
  EXPECT_EQ(take_cloud(), Texts{"observe"});
  EXPECT_EQ(members(), "node-0=10.0.0.0");
}

// When it is asked about that Node alone, the host has no answer but its fault.
TEST_F(MembersTest, NorDoesOneThatTheCloudDidNotAnswerAboutAtFirst) {
  made(1, 1);
  put_node(plain_node("ambiguous"));
  cloud.unknown["ambiguous"] = down();
  start();
  run();
  EXPECT_EQ(take_cloud(), Texts{});
  const Status fault(Code::unknown, "several instances have that name");
  cloud.unknown["ambiguous"] = fault;
  cloud.fail_next("describe", fault, 1'000);
  advance(minutes(1));
  EXPECT_EQ(take_cloud(), Texts{"observe"});
  EXPECT_EQ(members(), "node-0=10.0.0.0");
}

// With another project's credential the cloud shows none of them.
TEST_F(MembersTest, WhenTheCloudShowsNoInstanceTheMembersStay) {
  made(1, 2);
  cloud.instances.clear();
  start();
  run();
  advance(seconds(30));
  EXPECT_EQ(take_cloud(), Texts{});
  EXPECT_EQ(members(), "node-0=10.0.0.0 node-1=10.0.0.1");
  const Json reported = condition("s0", kReady);
  ASSERT_FALSE(reported.is_null());
  EXPECT_EQ(reported["status"], "False");
  EXPECT_EQ(reported["reason"], "NoMembers");
  const std::string text = reported["message"].get<std::string>();
  EXPECT_NE(text.find("2 Nodes have no instance in the cloud"), std::string::npos) << text;
  for (int i = 0; i < 2; ++i) add_instance("node-" + std::to_string(i), i);
  host.kube.resync();
  advance(minutes(6));
  EXPECT_EQ(condition("s0", kReady)["status"], "True");
}

// Without any Node the members go, when the host's brake lets them.
TEST_F(MembersTest, occm_1855_WhatTheBrakeHoldsIsToldOnceAndEndsWithTheFirstNode) {
  made(1, 1);
  const Status brake = Status(Code::failed_precondition, ErrorClass::waiting, "the brake holds it")
                           .with_reason("DeletionBrakeEngaged")
                           .with_retry_after(minutes(1));
  host.load_balancers.fail_next("update_backends", brake, 1);
  host.load_balancers.fail_next("ensure", brake, 100);
  host.kube.remove("v1/nodes", "node-0");
  advance(minutes(5));
  const Texts events = take_events();
  EXPECT_EQ(std::count(events.begin(), events.end(), "Warning DeletionHeld"), 1);
  EXPECT_EQ(condition("s0", kReady)["reason"], "DeletionBrakeEngaged");
  EXPECT_EQ(members(), "node-0=10.0.0.0");
  EXPECT_LE(take_cloud().size(), 8U);
  host.load_balancers.before_next("ensure", [] {});
  put_node(plain_node("node-0"));
  advance(seconds(2));
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
}

// kubernetes#109793, hcloud#567: a kubelet without --cloud-provider=external restores its own
// addresses, and the node controller the cloud's.
TEST_F(MembersTest, hcloud_567_AKubeletThatRestoresItsAddressesCostsNothing) {
  made(3, 1);
  Json of_cloud = plain_node("node-0");
  of_cloud["status"]["addresses"] = {{{"type", "InternalIP"}, {"address", "10.0.0.0"}},
                                     {{"type", "ExternalIP"}, {"address", "192.0.2.0"}},
                                     {{"type", "Hostname"}, {"address", "node-0"}}};
  for (int i = 0; i < 50; ++i) {
    put_node(addressed("node-0", "10.0.0.0"));
    advance(seconds(3));
    put_node(of_cloud);
    advance(seconds(3));
  }
  EXPECT_EQ(take_cloud(), Texts{});
  EXPECT_EQ(cloud.asked.size(), 1U);
}

// One that writes something else each time is asked about a few times and then left alone.
TEST_F(MembersTest, AKubeletThatWritesAnotherAddressEachTimeHasALimit) {
  made(1, 2);
  for (int i = 0; i < 100; ++i) {
    put_node(addressed("node-0", "198.51.100." + std::to_string(i)));
    advance(seconds(2));
  }
  EXPECT_EQ(take_cloud(), Texts{});
  EXPECT_LE(cloud.asked.size(), 10U);
}

class FlappingTest : public MembersTest {
 protected:
  static Json excluded(const std::string& name) {
    Json node = plain_node(name);
    node["metadata"]["labels"]["node.kubernetes.io/exclude-from-external-load-balancers"] = "";
    return node;
  }
  // Writes the two states of a Node in turn, each for five seconds.
  std::size_t updates_of(const Json& one, const Json& other, minutes time) {
    take_cloud();
    for (seconds gone(0); gone < time; gone += seconds(10)) {
      put_node(one);
      advance(seconds(5));
      put_node(other);
      advance(seconds(5));
    }
    return take_cloud().size();
  }
  // As often as counts at once.
  void flap() {
    for (int i = 0; i < 6; ++i) {
      put_node(excluded("node-1"));
      advance(seconds(5));
      EXPECT_EQ(members(), kOne) << i;
      put_node(plain_node("node-1"));
      advance(seconds(5));
      EXPECT_EQ(members(), kBoth) << i;
    }
  }

  static constexpr const char* kOne = "node-0=10.0.0.0";
  static constexpr const char* kBoth = "node-0=10.0.0.0 node-1=10.0.0.1";
};

// Six times in and out, and then once in ten minutes.
TEST_F(FlappingTest, Issue37_AKubeletThatTogglesTheExclusionLabelHasALimit) {
  made(1, 2);
  const std::size_t first = updates_of(excluded("node-1"), plain_node("node-1"), minutes(60));
  EXPECT_GE(first, 12U);
  EXPECT_LE(first, 26U);
  EXPECT_LE(updates_of(excluded("node-1"), plain_node("node-1"), minutes(60)), 14U);
  const Texts events = take_events();
  EXPECT_EQ(std::count(events.begin(), events.end(), "Warning LoadBalancerMembershipFlaps"), 1);
}

TEST_F(FlappingTest, Issue37_WhatANodeSaysAtTheEndCounts) {
  made(1, 2);
  flap();
  put_node(excluded("node-1"));
  advance(seconds(2));
  put_node(plain_node("node-1"));
  advance(minutes(8));
  EXPECT_EQ(members(), kOne);
  advance(minutes(3));
  EXPECT_EQ(members(), kBoth);
  put_node(plain_node("node-0"));  // nothing
  take_cloud();
  advance(minutes(30));
  const Texts later = take_cloud();  // audits
  EXPECT_EQ(std::count(later.begin(), later.end(), "update_backends"), 0);
}

TEST_F(FlappingTest, Issue37_ANodeThatFlappedIsDrainedAtOnceAllTheSame) {
  made(1, 2);
  flap();
  put_node(excluded("node-1"));
  advance(seconds(2));
  EXPECT_EQ(members(), kOne);
}

TEST_F(FlappingTest, Issue37_OneNodesFlappingDoesNotDelayAnother) {
  made(1, 2);
  flap();
  put_node(excluded("node-1"));
  advance(seconds(2));
  put_node(plain_node("node-1"));  // waits
  advance(seconds(2));
  add_instance("node-2", 2);
  put_node(plain_node("node-2"));
  advance(seconds(2));
  EXPECT_EQ(members(), "node-0=10.0.0.0 node-2=10.0.0.2");
}

// Each return wrote every load balancer, since a new UID had a bucket of its own.
TEST_F(FlappingTest, Issue37_AKubeletThatRegistersAgainAndAgainHasALimit) {
  for (const bool seen : {true, false}) {
    if (seen) made(1, 2);
    take_cloud();
    for (int i = 0; i < 360; ++i) {
      Json again = plain_node("node-1");
      again["metadata"]["uid"] = "uid-" + std::to_string(i) + (seen ? "s" : "u");
      if (seen) {
        host.kube.remove("v1/nodes", "node-1");
        advance(seconds(5));
      }
      put_node(again);
      advance(seconds(seen ? 5 : 10));
    }
    EXPECT_LE(take_cloud().size(), 28U) << "with its deletion " << seen;
    const Texts events = take_events();
    EXPECT_LE(std::count(events.begin(), events.end(), "Warning LoadBalancerMembershipFlaps"), 1);
    advance(minutes(11));
    EXPECT_EQ(members(), kBoth);
  }
}

TEST_F(FlappingTest, Issue37_ANodeThatIsMadeAgainAfterARestIsAMemberAtOnce) {
  made(1, 2);
  for (int i = 0; i < 3; ++i) {
    host.kube.remove("v1/nodes", "node-1");
    advance(seconds(5));
    EXPECT_EQ(members(), kOne);
    Json again = plain_node("node-1");
    again["metadata"]["uid"] = "uid-" + std::to_string(i);
    put_node(again);
    advance(seconds(5));
    EXPECT_EQ(members(), kBoth);
  }
}

TEST_F(FlappingTest, Issue37_ALabelByWhichTheProviderChoosesHasALimitToo) {
  made(1, 2);
  host.load_balancers.balancers["uid-of-s0"].shown.node_labels = {"pool"};
  add_instance("node-2", 2);
  put_node(plain_node("node-2"));
  advance(seconds(3));
  Json edge = plain_node("node-1");
  edge["metadata"]["labels"]["pool"] = "edge";
  Json core = plain_node("node-1");
  core["metadata"]["labels"]["pool"] = "core";
  EXPECT_LE(updates_of(edge, core, minutes(60)), 14U);
}

TEST_F(MembersTest, hcloud_1035_ALabelByWhichTheProviderChoosesIsAChangeOfBackends) {
  made(2, 2);
  host.load_balancers.balancers["uid-of-s0"].shown.node_labels = {"pool"};
  add_instance("node-2", 2);
  put_node(plain_node("node-2"));
  advance(seconds(3));
  EXPECT_EQ(take_cloud().size(), 2U);
  Json node = plain_node("node-1");
  node["metadata"]["labels"]["pool"] = "edge";
  put_node(node);
  advance(milliseconds(1'100));
  EXPECT_EQ(take_cloud(), Texts{"update_backends"}) << "the other Service does not choose by it";
  node["metadata"]["labels"]["other"] = "x";
  put_node(node);
  advance(seconds(3));
  EXPECT_EQ(take_cloud(), Texts{});
  node["metadata"]["labels"].erase("pool");
  put_node(node);
  advance(milliseconds(1'100));
  EXPECT_EQ(take_cloud(), Texts{"update_backends"});
  mark_deleted("s0");
  advance(seconds(2));
  take_cloud();
  node["metadata"]["labels"]["pool"] = "edge";
  put_node(node);
  advance(seconds(2));
  EXPECT_EQ(take_cloud(), Texts{}) << "nobody chooses by it any more";
}

TEST_F(MembersTest, hcloud_961_769_TheConditionAndTheEventCountThoseThatAreLeftOut) {
  for (int i = 0; i < 3; ++i) {
    add_instance("node-" + std::to_string(i), i);
    Json node = plain_node("node-" + std::to_string(i));
    node["metadata"]["labels"]["node.kubernetes.io/exclude-from-external-load-balancers"] = "";
    put_node(node);
  }
  put(balanced("s0"));
  start();
  run();
  advance(seconds(2));
  const std::string why =
      "3 Nodes are left out by node.kubernetes.io/exclude-from-external-load-balancers";
  EXPECT_EQ(last_event(kNoNodesReason), "There are no available nodes for LoadBalancer: " + why);
  EXPECT_EQ(condition("s0", kReady)["reason"], "NoMembers");
  EXPECT_EQ(condition("s0", kReady)["message"],
            "There are no available nodes for LoadBalancer: " + why);
  EXPECT_EQ(address("s0"), "203.0.113.1");
  put_node(plain_node("node-0"));
  advance(seconds(2));
  EXPECT_EQ(condition("s0", kReady)["status"], "True");
}

TEST_F(MembersTest, R_180_TheProvidersWordThatNoneCanBeAMember) {
  made(1, 1);
  LoadBalancer& shown = host.load_balancers.balancers["uid-of-s0"].shown;
  shown.no_members = "no Node has an IPv4 address; its 1 member stays";
  add_instance("node-1", 1);
  put_node(plain_node("node-1"));
  advance(seconds(2));
  EXPECT_EQ(take_events(), Texts{std::string("Warning ") + kNoNodesReason});
  EXPECT_EQ(condition("s0", kReady)["reason"], "NoMembers");
  EXPECT_EQ(condition("s0", kReady)["message"],
            "There are no available nodes for LoadBalancer: no Node has an IPv4 address; its 1 "
            "member stays");
  shown.no_members.clear();
  host.kube.remove("v1/nodes", "node-0");
  advance(seconds(2));
  EXPECT_EQ(condition("s0", kReady)["status"], "True");
}

// Addresses are the kubelets' where the cloud has none (NODE-29), as for node.so.
TEST_F(MembersTest, NODE_29_ACloudWithoutAddressesLeavesThemToTheNodes) {
  add_instance("node-0", 0);
  cloud.instances[0].addresses.clear();
  put_node(addressed("node-0", "10.9.0.1"));
  put(balanced("s0"));
  start();
  run();
  EXPECT_EQ(members(), "node-0=10.9.0.1");
  add_instance("node-1", 1);
  put_node(plain_node("node-1"));
  advance(seconds(2));
  EXPECT_EQ(members(), "node-0=- node-1=10.0.0.1") << "it has addresses of others";
}

TEST_F(MembersTest, TheFirstQuestionIsOneForAllNodesAndServices) {
  for (int i = 0; i < 200; ++i) add_instance("node-" + std::to_string(i), i);
  put_nodes(200);
  for (int i = 0; i < 20; ++i) put(balanced("s" + std::to_string(i)));
  host.config.set_flag("concurrent-service-syncs", "16", true);
  start();
  run();
  advance(seconds(5));
  EXPECT_EQ(cloud.asked.size(), 200U);
  host.kube.resync();
  advance(seconds(5));
  EXPECT_EQ(cloud.asked.size(), 200U);
}

// Each Node of a question costs the host some kilobytes until it is answered.
TEST_F(MembersTest, ManyNodesAreAskedAboutAThousandAtATime) {
  std::vector<std::size_t> asked_before;
  for (int i = 0; i < 5; ++i) {
    cloud.before_next("describe", [&] { asked_before.push_back(cloud.asked.size()); });
  }
  start_with_many();
  EXPECT_EQ(asked_before, (std::vector<std::size_t>{0, 1'000}));
  EXPECT_EQ(backends_of_s0(), 1'200U);
}

TEST_F(MembersTest, WhereTheCloudFallsSilentItIsAskedOn) {
  cloud.before_next("describe", [] {});
  cloud.before_next("describe", [&] { cloud.fail_next("describe", down()); });
  start_with_many();
  EXPECT_EQ(take_cloud(), Texts{});
  advance(minutes(1));
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(backends_of_s0(), 1'200U);
  EXPECT_EQ(cloud.asked.size(), 1'200U) << "those that it had answered about are not asked about";
}

TEST_F(MembersTest, APartThatFailsAsAWholeIsNotTakenForNodesWithoutInstances) {
  const Status fault(Code::internal, "answered for another number of nodes");
  cloud.before_next("describe", [] {});
  cloud.before_next("describe", [&] { cloud.fail_next("describe", fault); });
  start_with_many();
  EXPECT_EQ(take_cloud(), Texts{});
  advance(minutes(1));
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  EXPECT_EQ(backends_of_s0(), 1'200U);
}

// The list of backends keeps the Nodes as they were, and is larger than all else of them.
TEST_F(MembersTest, BackendsThatNobodyNeedsAreNotKept) {
  made(1, 3);
  edit("s0", [](Json& service) { service["spec"]["ports"][0]["nodePort"] = 32'000; });
  run();
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  host.load_balancers.balancers["uid-of-s0"].backends = {};  // they have the Nodes, too
  const std::size_t objects = host.objects.live();
  Json node = plain_node("node-0");
  node["metadata"]["labels"]["anything"] = "else";
  put_node(node);
  run();
  EXPECT_EQ(host.objects.live(), objects + 1);
  advance(seconds(6));
  EXPECT_EQ(host.objects.live(), objects);
  edit("s0", [](Json& service) { service["spec"]["ports"][0]["nodePort"] = 32'001; });
  run();
  EXPECT_EQ(members(), "node-0=10.0.0.0 node-1=10.0.0.1 node-2=10.0.0.2");
}

}  // namespace
}  // namespace ccm::service
