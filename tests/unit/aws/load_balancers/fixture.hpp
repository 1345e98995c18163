// The load balancers of aws.so on the fake of EC2 and Elastic Load Balancing.
#pragma once

#include "aws/credentials/static_keys.hpp"
#include "aws/load_balancers/operations.hpp"
#include "aws_api/load_balancing.hpp"

#include <ccm/load_balancers.hpp>
#include <ccm/provider.hpp>
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/fake_host.hpp>
#include <ccm/testing/owned_calls.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ccm::aws {

using std::chrono::seconds;

// What the tests choose before the component starts.
struct Chosen {
  Cluster cluster{"c1", false, "vpc-1", "us-east-1", "aws"};
  Settings settings;
};
inline Chosen& chosen() {
  static Chosen one;
  return one;
}

// A component with load balancers alone.
class Balancers {
 public:
  explicit Balancers(Host& host)
      : host_(host),
        cluster_(chosen().cluster),
        settings_(chosen().settings),
        credentials_(host),
        client_(host, credentials_, "test"),
        instances_(host, client_, cluster_),
        zones_(host, client_),
        balancers_(host, client_, instances_, zones_, cluster_, settings_) {}

  Task<Status> initialize(Ctx /*ctx*/) {
    Keys keys{"AKIDBED", Secret("bedsecret"), Secret(""), std::chrono::milliseconds::max()};
    credentials_.configure(std::make_unique<StaticKeys>(std::move(keys), "test"));
    Endpoints endpoints;
    for (const Api api : {Api::ec2, Api::elb, Api::elbv2}) {
      endpoints.of(api) = {"http://fake", "us-east-1",
                           api == Api::ec2 ? "ec2" : "elasticloadbalancing"};
    }
    client_.configure(std::move(endpoints), host_.http);
    co_return Status();
  }
  Task<Result<LoadBalancer>> ensure_load_balancer(Ctx ctx, LoadBalancerService s, Backends b) {
    return balancers_.ensure(std::move(ctx), std::move(s), std::move(b));
  }
  Task<Result<LoadBalancer>> observe_load_balancer(Ctx ctx, LoadBalancerService s, Backends b) {
    return balancers_.observe(std::move(ctx), std::move(s), std::move(b));
  }
  Task<Result<LoadBalancer>> update_load_balancer(Ctx ctx, LoadBalancerService s, Backends b) {
    return balancers_.update(std::move(ctx), std::move(s), std::move(b));
  }
  Task<Status> delete_load_balancer(Ctx ctx, LoadBalancerService s) {
    return balancers_.remove(std::move(ctx), std::move(s));
  }
  Task<Result<std::vector<OwnedObject>>> list_owned(Ctx ctx, ClusterNames cluster) {
    return balancers_.list_owned(std::move(ctx), std::move(cluster));
  }
  Task<Status> remove_owned(Ctx ctx, ClusterNames cluster, OwnedObject object) {
    return balancers_.remove_owned(std::move(ctx), std::move(cluster), std::move(object));
  }

 private:
  Host& host_;
  const Cluster cluster_;
  const Settings settings_;
  Credentials credentials_;
  Client client_;
  Ec2Instances instances_;
  Zones zones_;
  LoadBalancers balancers_;
};

inline const std::string kUid = "0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
inline const std::string kName = "a0b1c2d3e4f5061728394a5b6c7d8e9f";

class AwsLoadBalancersTest : public ::testing::Test {
 protected:
  using Annotated = std::map<std::string, std::string>;

  AwsLoadBalancersTest() {
    chosen() = Chosen();
    populate();
    host.kube.watch("v1/services", {"/metadata", "/spec", "/status"}, [](auto&&...) {});
    host.http.handle([this](const HttpRequest& request) {
      expect_permitted(request.body);
      const auto reply = cloud.handle(request.body);
      ccm::testing::FakeHttp::Answer answer;
      answer.outcome = HttpResponse{static_cast<uint32_t>(reply.status), {}, reply.body};
      answer.delay = latency;
      return answer;
    });
    start();
  }
  ~AwsLoadBalancersTest() override {
    EXPECT_TRUE(host.faults().empty());
    EXPECT_FALSE(host.log.contains("bedsecret"));
  }

  void start() {
    component.reset();
    component = std::make_unique<ccm::testing::FakeComponent>(
        host, ccm::testing::plugin_of<Balancers, ccm::testing::Dispatch::loop>(), "test");
    const Status status = component->initialize();
    EXPECT_TRUE(status.ok()) << status.message();
    cloud.clear_log();
  }
  // Another configuration, and a new process.
  void start_with(const Settings& settings) {
    chosen().settings = settings;
    start();
  }

  // The bed's world, as far as load balancers see it.
  void populate() {
    const aws_api::Tags ours{{"kubernetes.io/cluster/c1", "shared"}};
    const auto subnet = [&](const char* id, const char* zone, const char* cidr, bool is_public,
                            const char* role) {
      aws_api::Tags tags = ours;
      if (*role != '\0') tags[role] = "1";
      tags["Name"] = id + 7;
      const std::string v6 = "2600:1f00::" + std::string(1, zone[9]) + ":0/112";
      cloud.subnets[id] = {zone, cidr, v6, tags, is_public};
    };
    subnet("subnet-pub-a", "us-east-1a", "10.0.0.0/24", true, "kubernetes.io/role/elb");
    subnet("subnet-pub-b", "us-east-1b", "10.0.1.0/24", true, "kubernetes.io/role/elb");
    subnet("subnet-aa-second", "us-east-1a", "10.0.3.0/24", true, "");
    subnet("subnet-priv-a", "us-east-1a", "10.0.10.0/24", false, "kubernetes.io/role/internal-elb");
    subnet("subnet-priv-b", "us-east-1b", "10.0.11.0/24", false, "kubernetes.io/role/internal-elb");
    cloud.groups[kNodes] = {"sg-nodes", "nodes", {{"kubernetes.io/cluster/c1", "owned"}}, {}};
    cloud.groups[kOther] = {"sg-other", "other", {}, {}};
    for (int i = 1; i <= 3; ++i) {
      cloud.instances[instance(i)] = {i % 2 == 1 ? "us-east-1a" : "us-east-1b",
                                      "running",
                                      {kNodes},
                                      {{"kubernetes.io/cluster/c1", "owned"}}};
    }
  }
  static std::string instance(int i) { return "i-0000000000000000" + std::to_string(i); }

  static LoadBalancerService web(const std::vector<int>& ports = {80}) {
    LoadBalancerService service;
    service.name = "web";
    service.namespace_name = "default";
    service.uid = kUid;
    service.cluster_name = "kubernetes";
    service.default_name = kName;
    for (const int port : ports) {
      service.ports.push_back({"p" + std::to_string(port), "TCP", "", port, 30'000 + port});
    }
    return service;
  }
  // With the annotations, those without a prefix are AWS's, and the host name of its status.
  LoadBalancerService with(LoadBalancerService service, const Annotated& annotations,
                           const std::string& hostname = "") {
    nlohmann::json object = {{"metadata",
                              {{"name", service.name},
                               {"namespace", service.namespace_name},
                               {"uid", service.uid},
                               {"annotations", nlohmann::json::object()}}}};
    for (const auto& [name, value] : annotations) {
      const bool whole = name.find('/') != std::string::npos;
      const std::string key = whole ? name : std::string(kAnnotationPrefix) + name;
      object["metadata"]["annotations"][key] = value;
    }
    if (!hostname.empty()) {
      object["status"]["loadBalancer"]["ingress"] =
          nlohmann::json::array({{{"hostname", hostname}}});
    }
    service.object = host.objects.make(object.dump());
    return service;
  }
  LoadBalancerService nlb(const std::vector<int>& ports = {80}, Annotated annotations = {}) {
    annotations.emplace("type", "nlb");
    return with(web(ports), annotations);
  }
  std::vector<Backend> nodes(int count = 3) {
    std::vector<Backend> list;
    for (int i = 1; i <= count; ++i) {
      const auto node = nlohmann::json{
          {"metadata",
           {{"name", "n" + std::to_string(i)}, {"labels", {{"n", std::to_string(i)}}}}}};
      list.push_back({"n" + std::to_string(i),
                      "aws:///us-east-1a/" + instance(i),
                      {},
                      host.objects.make(node.dump())});
    }
    return list;
  }

  using Function = decltype(ccm_cloud_loadbalancers::ensure);
  Result<LoadBalancer> call(Function ccm_cloud_loadbalancers::*function,
                            LoadBalancerService service, std::vector<Backend> backends) {
    const auto table = component->interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
    return component->finish(component->start(
        "call", ccm::LoadBalancers::Apply{table, function, "call", component->ctx(),
                                          std::move(service), Backends(std::move(backends))}));
  }
  Result<LoadBalancer> ensure(const LoadBalancerService& service, std::vector<Backend> backends) {
    return call(&ccm_cloud_loadbalancers::ensure, service, std::move(backends));
  }
  Result<LoadBalancer> ensure(const LoadBalancerService& service) {
    return ensure(service, nodes());
  }
  // Has to do.
  LoadBalancer ensured(const LoadBalancerService& service) {
    auto made = ensure(service);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.ok() ? *made : LoadBalancer();
  }
  Status refused(const LoadBalancerService& service) {
    const int before = cloud.writes();
    auto made = ensure(service);
    EXPECT_FALSE(made.ok());
    EXPECT_EQ(cloud.writes(), before) << "something was written before the check";
    return made.status();
  }
  Result<LoadBalancer> observe(const LoadBalancerService& service) {
    return call(&ccm_cloud_loadbalancers::observe, service, nodes());
  }
  std::string difference(const LoadBalancerService& service) {
    auto seen = observe(service);
    EXPECT_TRUE(seen.ok()) << seen.status().message();
    return seen.ok() ? seen->difference : "";
  }
  Result<LoadBalancer> update(const LoadBalancerService& service, std::vector<Backend> backends) {
    return call(&ccm_cloud_loadbalancers::update_backends, service, std::move(backends));
  }
  Status remove(LoadBalancerService service) {
    const auto table = component->interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
    return component->finish(component->start(
        "remove", ccm::LoadBalancers::Remove{table, component->ctx(), std::move(service)}));
  }
  Result<std::vector<OwnedObject>> list_owned(ClusterNames cluster) {
    const auto table = component->interface<ccm_cloud_owned>(CCM_CLOUD_OWNED);
    return component->finish(component->start(
        "list", ccm::testing::ListOwned{table, component->ctx(), std::move(cluster)}));
  }
  Status remove_owned(ClusterNames cluster, OwnedObject object) {
    const auto table = component->interface<ccm_cloud_owned>(CCM_CLOUD_OWNED);
    return component->finish(component->start(
        "remove",
        ccm::testing::RemoveOwned{table, component->ctx(), std::move(cluster), std::move(object)}));
  }
  void advance(seconds time) { host.loop.advance(time); }

  std::vector<std::string> events(const std::string& reason) {
    std::vector<std::string> messages;
    for (const auto& event : host.events.with_reason(reason)) messages.push_back(event.message);
    return messages;
  }
  // Whether the policy of the manifest has the action of that call (AWS-131).
  static void expect_permitted(const std::string& body) {
    static const std::string manifest = [] {
      std::ifstream file(CCM_AWS_MANIFEST);
      return std::string(std::istreambuf_iterator<char>(file), {});
    }();
    const std::size_t begin = body.find("Action=") + 7;
    const std::string action = body.substr(begin, body.find('&', begin) - begin);
    const bool of_ec2 = body.find("Version=2016-11-15") != std::string::npos;
    const std::string permission = (of_ec2 ? "\"ec2:" : "\"elasticloadbalancing:") + action + "\"";
    EXPECT_NE(manifest.find(permission), std::string::npos)
        << permission << " is not in the policy";
  }
  // The only one of its kind.
  aws_api::Network& network() {
    EXPECT_EQ(cloud.networks.size(), 1U);
    return cloud.networks.begin()->second;
  }
  aws_api::Classic& classic() {
    EXPECT_EQ(cloud.classics.size(), 1U);
    return cloud.classics.begin()->second;
  }
  // "tcp 30080-30080 0.0.0.0/0 (description)", one a line.
  std::string rules(const std::string& group) {
    std::string all;
    for (const auto& [key, rule] : cloud.groups[group].rules) {
      all += key + (rule.description.empty() ? "" : " (" + rule.description + ")") + "\n";
    }
    return all;
  }
  // The Nodes' rules for a group that Service web names, with a port and a NodePort.
  static std::string rules_from(const std::string& group) {
    const std::string marked = group + " (kubernetes.io/rule/nlb/client=" + kName + ")\n";
    return "icmp 3-4 " + marked + "tcp 30080-30080 " + marked;
  }
  // Whether nothing of the Service is left.
  void expect_nothing_left() {
    EXPECT_TRUE(cloud.networks.empty());
    EXPECT_TRUE(cloud.classics.empty());
    EXPECT_TRUE(cloud.targets.empty());
    EXPECT_TRUE(cloud.listeners.empty());
    EXPECT_EQ(cloud.groups.size(), 2U);
    EXPECT_EQ(rules(kNodes), "");
    EXPECT_EQ(rules(kOther), "");
  }
  void fail(const std::string& action, const std::string& code, int status = 400,
            bool after_effect = false) {
    cloud.faults.push_back({action, {status, code, code}, 1, after_effect});
  }

  static inline const std::string kNodes = "sg-00000000000000aaa";
  static inline const std::string kOther = "sg-00000000000000bbb";

  ccm::testing::FakeHost host;
  aws_api::LoadBalancing cloud;
  std::chrono::milliseconds latency{0};  // of each answer
  std::unique_ptr<ccm::testing::FakeComponent> component;
};

}  // namespace ccm::aws
