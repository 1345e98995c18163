// The whole provider on AWS's APIs, for tests that hold whichever these are (apis.hpp). Each test
// leaves nothing behind.
#pragma once

#include "apis.hpp"
#include "aws/provider.hpp"

#include <ccm/load_balancers.hpp>
#include <ccm/routes.hpp>
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/fake_host.hpp>
#include <ccm/testing/owned_calls.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ccm::aws {

// The provider with variables of the test's own.
struct ContractProvider : Provider {
  ContractProvider(Host& host, Session& session)
      : Provider(host, session, Environment(variables())) {}
  static Environment::Variables& variables() {
    static Environment::Variables all;
    return all;
  }
};

class AwsContractTest : public ::testing::Test {
 protected:
  using Annotated = std::map<std::string, std::string>;

  void SetUp() override {
    if (apis_->real()) {
      host.wall_clock_begin = std::chrono::duration_cast<std::chrono::milliseconds>(
                                  std::chrono::system_clock::now().time_since_epoch()) -
                              host.loop.now();
    }
    ContractProvider::variables() = {{"AWS_ACCESS_KEY_ID", apis_->access_key_id},
                                     {"AWS_SECRET_ACCESS_KEY", apis_->secret_access_key},
                                     {"AWS_ENDPOINT_URL", apis_->url},
                                     {"AWS_EC2_METADATA_DISABLED", "true"}};
    configure("");
    host.config.set_flag("cluster-cidr", "10.244.0.0/16");
    host.kube.watch("v1/services", {"/metadata", "/spec", "/status"}, [](auto&&...) {});
    host.kube.read("v1/nodes", {"/spec/providerID"});
    host.http.handle([this](const HttpRequest& request) { return answer(request); });
    start();
  }
  void TearDown() override {
    for (const std::string& violation : apis_->violations()) ADD_FAILURE() << violation;
    EXPECT_TRUE(host.faults().empty());
  }

  void configure(const std::string& more) {
    host.config.set_cloud_config(
        "[Global]\nRegion = us-east-1\nKubernetesClusterID = c1\nVPC = " + id("vpc") + "\n" + more);
  }
  void start() {
    component_.reset();
    component_ = std::make_unique<testing::FakeComponent>(
        host, testing::plugin_of<ContractProvider, testing::Dispatch::loop, Session>(), "test");
    const Status status = component_->initialize();
    ASSERT_TRUE(status.ok()) << status.message();
    writes.clear();
    reads.clear();
  }
  [[nodiscard]] std::string id(const std::string& name) const { return apis_->names.at(name); }
  [[nodiscard]] std::string provider_id(const std::string& name, const char* zone = "us-east-1a") {
    return std::string("aws:///") + zone + "/" + id(name);
  }

  LoadBalancerService service(const std::string& name, const std::vector<int>& ports,
                              const Annotated& annotations,
                              const std::string& namespace_name = "default") const {
    LoadBalancerService made;
    made.name = name;
    made.namespace_name = namespace_name;
    made.uid = (name == "guest" ? "7" : "6") + std::string("b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0");
    made.cluster_name = "kubernetes";
    for (const int port : ports) {
      made.ports.push_back({"p" + std::to_string(port), "TCP", "", port, 30'000 + port});
    }
    nlohmann::json object = {
        {"metadata", {{"name", name}, {"namespace", namespace_name}, {"uid", made.uid}}}};
    for (const auto& [key, value] : annotations) {
      const bool whole = key.find('/') != std::string::npos;
      object["metadata"]["annotations"][whole ? key : std::string(kAnnotationPrefix) + key] = value;
    }
    made.object = host.objects.make(object.dump());
    return made;
  }
  LoadBalancerService classic(const std::vector<int>& ports, const Annotated& more = {}) const {
    return service("web", ports, more);
  }
  LoadBalancerService nlb(const std::vector<int>& ports, Annotated more = {}) const {
    more.emplace("type", "nlb");
    return service("web", ports, more);
  }
  Backends nodes(const std::vector<std::string>& names = {"n1", "n2"}) {
    std::vector<Backend> list;
    for (const std::string& name : names) list.push_back({name, provider_id(name), {}, {}});
    return Backends(std::move(list));
  }

  using Function = decltype(ccm_cloud_loadbalancers::ensure);
  Result<LoadBalancer> call(Function ccm_cloud_loadbalancers::*function,
                            const LoadBalancerService& of, Backends backends) {
    const auto table = component_->interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
    return component_->finish(component_->start(
        "call",
        ccm::LoadBalancers::Apply{table, function, "call", component_->ctx(), of, backends}));
  }
  Result<LoadBalancer> ensure(const LoadBalancerService& of) {
    return call(&ccm_cloud_loadbalancers::ensure, of, nodes());
  }
  // Has to do, and then nothing differs, also for another process.
  LoadBalancer settled(const LoadBalancerService& of) {
    const auto made = ensure(of);
    EXPECT_TRUE(made.ok()) << made.status().message();
    if (!made.ok()) return {};
    start();
    const auto seen = call(&ccm_cloud_loadbalancers::observe, of, nodes());
    EXPECT_TRUE(seen.ok()) << seen.status().message();
    EXPECT_EQ(seen.ok() ? seen->difference : "", "");
    EXPECT_TRUE(ensure(of).ok());
    EXPECT_EQ(writes, std::vector<std::string>());
    return *made;
  }
  Status remove(const LoadBalancerService& of) {
    const auto table = component_->interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
    return component_->finish(
        component_->start("remove", ccm::LoadBalancers::Remove{table, component_->ctx(), of}));
  }
  // A deletion leaves nothing: no object, and no rule, which a second one would take away.
  void expect_removed(const LoadBalancerService& of) {
    Status gone;
    for (int i = 0; i < 20; ++i) {
      gone = remove(of);
      if (gone.ok()) break;
      host.loop.advance(std::chrono::seconds(5));
    }
    EXPECT_TRUE(gone.ok()) << gone.message();
    start();
    EXPECT_TRUE(remove(of).ok());
    EXPECT_EQ(writes, std::vector<std::string>());
    const auto table = component_->interface<ccm_cloud_owned>(CCM_CLOUD_OWNED);
    const auto left = component_->finish(component_->start(
        "list", testing::ListOwned{table, component_->ctx(), ClusterNames{{"c1"}, true, false}}));
    ASSERT_TRUE(left.ok()) << left.status().message();
    const std::string user = of.namespace_name + "/" + of.name;
    for (const OwnedObject& object : *left) {
      for (const Label& label : object.services) EXPECT_NE(label.key, user) << object.name;
    }
  }

  std::vector<Route> routes() {
    const auto table = component_->interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES);
    auto listed = component_->finish(component_->start(
        "list_routes", ccm::Routes::List{table, component_->ctx(), "kubernetes"}));
    EXPECT_TRUE(listed.ok()) << listed.status().message();
    return listed.ok() ? *listed : std::vector<Route>();
  }
  Status apply_routes(std::vector<Route> removals, std::vector<Route> additions) {
    const auto table = component_->interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES);
    const auto statuses = component_->finish(component_->start(
        "apply_routes", ccm::Routes::Apply{table, component_->ctx(), "kubernetes",
                                           std::move(removals), std::move(additions)}));
    if (!statuses.ok()) return statuses.status();
    for (const Status& status : *statuses) {
      if (!status.ok()) return status;
    }
    return {};
  }
  Route route_to(const std::string& node, const std::string& destination) {
    Route route;
    route.destination_cidr = destination;
    route.target_node = node;
    route.target_provider_id = provider_id(node);
    return route;
  }

  testing::FakeComponent& component() { return *component_; }

  mutable testing::FakeHost host;
  // Actions since start().
  std::vector<std::string> writes;
  std::vector<std::string> reads;

 private:
  // The permissions in the manifest, which `ccmctl permissions` prints (AWS-131).
  static const std::set<std::string>& permissions() {
    static const std::set<std::string> all = [] {
      std::ifstream file(CCM_AWS_MANIFEST);
      const nlohmann::json manifest = nlohmann::json::parse(file);
      std::set<std::string> names;
      for (const auto& entry : manifest.at("cloudPermissions").at("needed")) {
        for (const auto& name : entry.at("names")) names.insert(name.get<std::string>());
      }
      return names;
    }();
    return all;
  }
  testing::FakeHttp::Answer answer(const HttpRequest& request) {
    const std::size_t begin = request.body.find("Action=") + 7;
    const std::string action = request.body.substr(begin, request.body.find('&', begin) - begin);
    (action.starts_with("Describe") ? reads : writes).push_back(action);
    const bool of_ec2 = request.body.find("Version=2016-11-15") != std::string::npos;
    const std::string permission = (of_ec2 ? "ec2:" : "elasticloadbalancing:") + action;
    EXPECT_TRUE(permissions().contains(permission)) << "not in the manifest: " << permission;
    return apis_->answer(request);
  }

  const std::unique_ptr<Apis> apis_ = apis_of_the_environment([this] { return host.loop.now(); });
  std::unique_ptr<testing::FakeComponent> component_;
};

}  // namespace ccm::aws
