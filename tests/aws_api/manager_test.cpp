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

// Load balancers of the Go manager, field by field: the dry run names the id alone, nothing is
// written, and with the Service all of it goes.
class AwsTakeOverTest : public AwsManagerTest {
 protected:
  // Makes the Service, and returns the name that the Go manager gives its load balancer (AWS-62).
  std::string serve_web(const json& annotations, const std::vector<int>& ports) {
    join_nodes(2);
    start("cloud-node-controller");
    EXPECT_TRUE(nodes_are_initialised(2)) << log_tail();
    end_manager();
    const json made = serve("web", 30'080, annotations, ports);
    std::string name = "a" + made.at("metadata").at("uid").get<std::string>();
    std::erase(name, '-');
    return name.substr(0, 32);
  }
  // What the Go manager leaves on the Service.
  void publish(const std::string& dns_name) {
    const json metadata = {{"finalizers", {"service.kubernetes.io/load-balancer-cleanup"}}};
    ASSERT_TRUE(api_.patch(kWeb, support::kMergePatch, {{"metadata", metadata}}).ok());
    const json ingress = json::array({{{"hostname", dns_name}}});
    ASSERT_EQ(api_.patch(std::string(kWeb) + "/status", support::kMergePatch,
                         {{"status", {{"loadBalancer", {{"ingress", ingress}}}}}})
                  .status,
              200);
  }
  void expect_no_write() {
    start("cloud-node-controller,service-lb-controller", {"--dry-run"});
    const auto ended = manager_->wait(support::patience());
    ASSERT_TRUE(ended) << log_tail();
    EXPECT_EQ(ended->code, 2);
    EXPECT_NE(manager_->log().find("\n1 change\n"), std::string::npos) << log_tail();
    EXPECT_NE(manager_->log().find("cloud-controller-manager~1load-balancer-id"),
              std::string::npos);
    manager_.reset();
    start("cloud-node-controller,service-lb-controller");
    ASSERT_TRUE(cloud_comes_to([](World& world) {
      return world.balancing.count("DescribeLoadBalancerAttributes") >= 2;
    })) << log_tail();
    // The end of the sync.
    ASSERT_TRUE(support::eventually(support::patience(), [&] {
      const json annotations =
          api_.get(kWeb).body.at("metadata").value("annotations", json::object());
      return annotations.contains("cloud-controller-manager/load-balancer-id");
    })) << log_tail();
    cloud_.with([](World& world) { EXPECT_EQ(world.balancing.writes(), 0); });
  }
  void expect_removal() {
    EXPECT_EQ(api_.remove(kWeb).status, 200);
    EXPECT_TRUE(cloud_comes_to([](World& world) { return parts_of_load_balancers(world) == 0; }))
        << log_tail();
  }

  static constexpr const char* kWeb = "/api/v1/namespaces/default/services/web";
};

// A classic one (AWS-68, 82, 86 to 92).
TEST_F(AwsTakeOverTest, AWS_62_68_89_117_AClassicLoadBalancerIsTakenOverWithoutAWrite) {
  const std::string name = serve_web(json::object(), {80});
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
  publish(name + "-1.us-east-1.elb.amazonaws.com");
  expect_no_write();
  expect_removal();
}

// A Network Load Balancer with a port of TCP and one that ends TLS (AWS-68, 96 to 101, 109). The
// names of the target groups are those of AWS-99 for these ports.
TEST_F(AwsTakeOverTest, AWS_62_68_99_105_ANetworkLoadBalancerIsTakenOverWithoutAWrite) {
  const std::string prefix = "service.beta.kubernetes.io/aws-load-balancer-";
  const std::string certificate = cloud_.names().at("cert-1");
  const std::string name = serve_web(
      {{kTypeAnnotation, "nlb"}, {prefix + "ssl-cert", certificate}, {prefix + "ssl-ports", "443"}},
      {80, 443});
  cloud_.with([&](World& world) {
    const Names& names = cloud_.names();
    LoadBalancing& all = world.balancing;
    const Tags tags{{"kubernetes.io/cluster/c1", "owned"},
                    {"kubernetes.io/service-name", "default/web"}};
    const std::string arns = "arn:aws:elasticloadbalancing:us-east-1:123456789012:";
    const std::string arn = arns + "loadbalancer/net/" + name + "/0123456789abcdef";
    Network& network = all.networks[arn];
    network.name = name;
    network.scheme = "internet-facing";
    network.address_type = "ipv4";
    network.subnets = {names.at("pub-a"), names.at("pub-b")};
    network.tags = tags;
    network.attributes = {{"load_balancing.cross_zone.enabled", "false"},
                          {"access_logs.s3.enabled", "false"},
                          {"access_logs.s3.bucket", ""},
                          {"access_logs.s3.prefix", ""},
                          {"deletion_protection.enabled", "false"}};
    std::map<std::string, Permission>& rules = all.groups[names.at("sg-nodes")].rules;
    const Permission mtu{"icmp", 3, 4, "0.0.0.0/0", "kubernetes.io/rule/nlb/mtu"};
    rules[mtu.key()] = mtu;
    const struct {
      int port;
      int node_port;
      const char* protocol;
      const char* group;
    } kPorts[] = {{80, 30'080, "TCP", "k8s-default-web-2e7f1b24e2"},
                  {443, 30'081, "TLS", "k8s-default-web-3886a57be3"}};
    for (const auto& one : kPorts) {
      const std::string group_arn = arns + "targetgroup/" + one.group + "/0123456789abcdef";
      TargetGroup& group = all.targets[group_arn];
      group.name = one.group;
      group.fields = {{"TargetGroupName", one.group},          {"Protocol", "TCP"},
                      {"Port", std::to_string(one.node_port)}, {"HealthCheckProtocol", "TCP"},
                      {"HealthCheckPort", "traffic-port"},     {"HealthCheckIntervalSeconds", "30"},
                      {"HealthCheckTimeoutSeconds", "10"},     {"HealthyThresholdCount", "3"},
                      {"UnhealthyThresholdCount", "3"}};
      group.targets = {names.at("n1"), names.at("n2")};
      group.tags = tags;
      group.attributes = {{"preserve_client_ip.enabled", "true"},
                          {"proxy_protocol_v2.enabled", "false"},
                          {"deregistration_delay.timeout_seconds", "300"}};
      Listener& listener = all.listeners[arns + "listener/net/" + name + "/0123456789abcdef/" +
                                         std::to_string(one.port)];
      listener.balancer = arn;
      listener.port = one.port;
      listener.protocol = one.protocol;
      listener.group = group_arn;
      listener.tags = tags;
      if (listener.protocol == "TLS") {
        listener.policy = "ELBSecurityPolicy-2016-08";
        listener.certificates = {certificate};
      }
      const Permission client{"tcp", one.node_port, one.node_port, "0.0.0.0/0",
                              "kubernetes.io/rule/nlb/client=" + name};
      rules[client.key()] = client;
    }
  });
  publish(name + "-1.elb.us-east-1.amazonaws.com");
  expect_no_write();
  cloud_.with([](World& world) {
    EXPECT_EQ(world.balancing.networks.size() + world.balancing.classics.size(), 1U);
    EXPECT_EQ(world.balancing.targets.size(), 2U);
    EXPECT_EQ(world.balancing.listeners.size(), 2U);
  });
  expect_removal();
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
