// Nodes, load balancers and routes with the real manager.
#include "aws_api/manager_fixture.hpp"

#include <chrono>
#include <map>
#include <string>
#include <thread>

namespace ccm::aws_api {
namespace {

TEST_F(AwsManagerTest, AWS_39_45_68_98_NodesGetTheirInstancesAndServicesTheirLoadBalancers) {
  join_nodes(3);
  start("cloud-node-controller,cloud-node-lifecycle-controller,service-lb-controller");
  ASSERT_TRUE(nodes_are_initialised(3)) << log_tail();
  const json node = api_.get("/api/v1/nodes/" + cloud_.names().at("n1-dns")).body;
  EXPECT_EQ(node.at("spec").at("providerID"), "aws:///us-east-1a/" + cloud_.names().at("n1"));
  EXPECT_EQ(node.at("metadata").at("labels").at("topology.k8s.aws/zone-id"), "use1-az6");

  serve("network", 30'080, {{kTypeAnnotation, "nlb"}}, {80, 443});
  serve("classic", 30'090, json::object());
  ASSERT_TRUE(support::eventually(support::patience(), [&] {
    return !hostname("network").empty() && !hostname("classic").empty();
  })) << log_tail();
  cloud_.with([](World& world) {
    // Nodes and load balancers ask for the zones once.
    EXPECT_EQ(world.cloud.calls("DescribeAvailabilityZones") +
                  static_cast<std::size_t>(world.balancing.count("DescribeAvailabilityZones")),
              1U);
    EXPECT_EQ(world.balancing.listeners.size(), 2U);
    for (const auto& [arn, group] : world.balancing.targets) EXPECT_EQ(group.targets.size(), 3U);
    ASSERT_EQ(world.balancing.classics.size(), 1U);
    EXPECT_EQ(world.balancing.classics.begin()->second.instances.size(), 3U);
  });

  // AWS-105: a restart writes nothing.
  end_manager();
  cloud_.with([](World& world) { world.balancing.clear_log(); });
  start("cloud-node-controller,service-lb-controller");
  ASSERT_TRUE(cloud_comes_to([](World& world) {
    return world.balancing.count("DescribeTargetHealth") >= 1 &&
           world.balancing.count("DescribeTags") >= 2;
  })) << log_tail();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  cloud_.with([](World& world) {
    EXPECT_EQ(world.balancing.writes(), 0);
    EXPECT_EQ(world.balancing.count("DescribeTargetHealth"), 1);
    EXPECT_EQ(world.balancing.count("DescribeLoadBalancerAttributes"), 0);
  });

  for (const char* name : {"network", "classic"}) {
    EXPECT_EQ(api_.remove(std::string(kServicesPath) + "/" + name).status, 200);
  }
  EXPECT_TRUE(cloud_comes_to([](World& world) { return parts_of_load_balancers(world) == 0; }))
      << log_tail();
}

// A classic load balancer of the Go manager, field by field (AWS-68, 82, 86 to 92), which sees it
// as its own: nothing is written. One of a change is.
TEST_F(AwsManagerTest, AWS_62_68_89_117_TheGoManagersLoadBalancersAreTakenOverWithoutAWrite) {
  join_nodes(2);
  start("cloud-node-controller");
  ASSERT_TRUE(nodes_are_initialised(2)) << log_tail();
  end_manager();
  const json made = serve("web", 30'080, json::object());
  std::string name = "a" + made.at("metadata").at("uid").get<std::string>();
  std::erase(name, '-');
  name = name.substr(0, 32);
  cloud_.with([&](World& world) {
    const Names& names = cloud_.names();
    const Tags owned{{"kubernetes.io/cluster/c1", "owned"}};
    LoadBalancing& all = world.balancing;
    Group& group = all.groups["sg-0000000000000elb1"];
    group.name = "k8s-elb-" + name;
    group.description = "Security group for Kubernetes ELB " + name + " (default/web)";
    group.tags = owned;
    for (const Permission& rule :
         {Permission{"tcp", 80, 80, "0.0.0.0/0", ""}, Permission{"icmp", 3, 4, "0.0.0.0/0", ""}}) {
      group.rules[rule.key()] = rule;
    }
    const Permission from_it{"-1", -1, -1, "sg-0000000000000elb1", ""};
    all.groups[names.at("sg-nodes")].rules[from_it.key()] = from_it;
    Classic& classic = all.classics[name];
    classic.scheme = "internet-facing";
    classic.subnets = {names.at("pub-a"), names.at("pub-b")};
    classic.groups = {"sg-0000000000000elb1"};
    classic.instances = {names.at("n1"), names.at("n2")};
    classic.listeners[80].fields = {{"Protocol", "TCP"},
                                    {"LoadBalancerPort", "80"},
                                    {"InstanceProtocol", "TCP"},
                                    {"InstancePort", "30080"}};
    classic.health = {{"Target", "TCP:30080"},
                      {"Interval", "10"},
                      {"Timeout", "5"},
                      {"HealthyThreshold", "2"},
                      {"UnhealthyThreshold", "6"}};
    classic.attributes = {{"CrossZoneLoadBalancing.Enabled", "false"},
                          {"AccessLog.Enabled", "false"},
                          {"ConnectionDraining.Enabled", "false"},
                          {"ConnectionDraining.Timeout", "300"},
                          {"ConnectionSettings.IdleTimeout", "60"}};
    classic.tags = owned;
    classic.tags["kubernetes.io/service-name"] = "default/web";
  });
  const json metadata = {{"finalizers", {"service.kubernetes.io/load-balancer-cleanup"}}};
  ASSERT_TRUE(api_.patch(std::string(kServicesPath) + "/web", support::kMergePatch,
                         {{"metadata", metadata}})
                  .ok());
  const json ingress = json::array({{{"hostname", name + "-1.us-east-1.elb.amazonaws.com"}}});
  ASSERT_EQ(api_.patch(std::string(kServicesPath) + "/web/status", support::kMergePatch,
                       {{"status", {{"loadBalancer", {{"ingress", ingress}}}}}})
                .status,
            200);

  start("cloud-node-controller,service-lb-controller", {"--dry-run"});
  const auto ended = manager_->wait(support::patience());
  ASSERT_TRUE(ended) << log_tail();
  // The id, which the Go manager does not record on the Service.
  EXPECT_EQ(ended->code, 2);
  EXPECT_NE(manager_->log().find("\n1 change\n"), std::string::npos) << log_tail();
  EXPECT_NE(manager_->log().find("cloud-controller-manager~1load-balancer-id"), std::string::npos);
  manager_.reset();
  start("cloud-node-controller,service-lb-controller");
  ASSERT_TRUE(cloud_comes_to([](World& world) {
    return world.balancing.count("DescribeLoadBalancerAttributes") >= 2;
  })) << log_tail();
  cloud_.with([](World& world) { EXPECT_EQ(world.balancing.writes(), 0); });
  EXPECT_EQ(api_.remove(std::string(kServicesPath) + "/web").status, 200);
  EXPECT_TRUE(cloud_comes_to([](World& world) { return parts_of_load_balancers(world) == 0; }))
      << log_tail();
}

TEST_F(AwsManagerTest, AWS_118_121_NodesGetRoutes) {
  join_nodes(2);
  start("cloud-node-controller,node-route-controller,node-ipam-controller",
        {"--allocate-node-cidrs", "--cluster-cidr=10.244.0.0/16"});
  const std::string table = cloud_.names().at("rt-cluster");
  EXPECT_TRUE(cloud_comes_to([&](World& world) {
    return world.cloud.table(table)->routes.size() == 2 &&
           !world.cloud.machines[0].cards[0].source_dest_check;
  })) << log_tail();
}

TEST_F(AwsManagerTest, AWS_5_127_InstancesAreTaggedByTheirNodes) {
  const auto has_tag = [&](const char* machine) {
    const std::string id = cloud_.names().at(machine);
    return [id](World& world) {
      const Tags& tags = world.cloud.machine(id)->tags;
      return tags.contains("team") && tags.at("team") == "a=b";
    };
  };
  join_nodes(2);
  start("cloud-node-controller,tagging", {"--tags=team=a=b,owner=me", "--resources=instance"});
  ASSERT_TRUE(cloud_comes_to(has_tag("n1")) && cloud_comes_to(has_tag("n2"))) << log_tail();
  const std::string node = "/api/v1/nodes/" + cloud_.names().at("n1-dns");
  EXPECT_TRUE(support::eventually(support::patience(), [&] {
    const json labels = api_.get(node).body.at("metadata").value("labels", json::object());
    return labels.value("k8s.io/cloud-provider-aws", "") == "a8e88e2271157a3fc9f5a941e80b3eb1";
  })) << log_tail();
  EXPECT_EQ(api_.remove(node).status, 200);
  EXPECT_TRUE(cloud_comes_to([&](World& world) { return !has_tag("n1")(world); })) << log_tail();
  cloud_.with([&](World& world) {
    EXPECT_TRUE(has_tag("n2")(world));
    const Tags& left = world.cloud.machine(cloud_.names().at("n1"))->tags;
    EXPECT_TRUE(left.contains("kubernetes.io/cluster/c1"));
  });
}

}  // namespace
}  // namespace ccm::aws_api
