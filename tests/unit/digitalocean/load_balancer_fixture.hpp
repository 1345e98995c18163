// The provider's load balancers against the stateful fake of the API.
#pragma once

#include "cloud_fixture.hpp"
#include "digitalocean/provider.hpp"

#include <ccm/load_balancers.hpp>
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::digitalocean {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

inline const std::string kUid = "0f3c6a2e-9b1d-4c7e-8a55-1d2e3f4a5b6c";
inline const std::string kDefaultName = "a0f3c6a2e9b1d4c7e8a551d2e3f4a5b6";
inline const std::string kAnnotation = "service.beta.kubernetes.io/do-loadbalancer-";

class LoadBalancerOperationsTest : public CloudTest {
 protected:
  LoadBalancerOperationsTest() {
    host.config.set_flag("digitalocean-region", "nyc3");
    cloud.generate_droplets(101, 4, "node-");
  }

  void log_in() {
    const Status status = provider.initialize();
    ASSERT_TRUE(status.ok()) << status.message();
    cloud.clear_log();
  }

  LoadBalancerService service(const json& annotations = json::object(), const std::string& id = "",
                              const std::string& uid = kUid,
                              const std::string& default_name = kDefaultName) {
    LoadBalancerService made;
    made.name = "web";
    made.namespace_name = "default";
    made.uid = uid;
    made.default_name = default_name;
    made.id = id;
    made.ports = {{"", "TCP", "", 80, 30080}};
    json all = annotations;
    if (!id.empty()) all["kubernetes.digitalocean.com/load-balancer-id"] = id;
    made.object = host.objects.make(
        json{{"metadata",
              {{"name", "web"}, {"namespace", "default"}, {"uid", uid}, {"annotations", all}}}}
            .dump());
    return made;
  }
  // The Service with more of its object: its status, say.
  LoadBalancerService with(LoadBalancerService service, const json& more) {
    json whole = json::parse(service.object.json());
    whole.merge_patch(more);
    service.object = host.objects.make(whole.dump());
    return service;
  }
  // Sets the status as a manager of this cluster writes it.
  LoadBalancerService served(LoadBalancerService service, const json& ingress) {
    return with(std::move(service),
                {{"status", {{"loadBalancer", {{"ingress", json::array({ingress})}}}}}});
  }
  static std::vector<Backend> nodes(int count = 2) {
    std::vector<Backend> made;
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(101 + i);
      made.push_back({"node-" + std::to_string(i),
                      "digitalocean://" + number,
                      {{"InternalIP", "10.0.0." + number}, {"ExternalIP", "203.0.113." + number}},
                      {}});
    }
    return made;
  }

  template <typename Function>
  Result<LoadBalancer> apply(Function function, const char* name, const LoadBalancerService& s,
                             const std::vector<Backend>& b) {
    const auto table = provider.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
    LoadBalancers::Apply call{table, function, name, provider.ctx(), s, b};
    return provider.finish(provider.start(name, std::move(call)));
  }
  Result<LoadBalancer> ensure(const LoadBalancerService& s, const std::vector<Backend>& b) {
    return apply(&ccm_cloud_loadbalancers::ensure, "ensure", s, b);
  }
  Result<LoadBalancer> observe(const LoadBalancerService& s, const std::vector<Backend>& b) {
    return apply(&ccm_cloud_loadbalancers::observe, "observe", s, b);
  }
  Result<LoadBalancer> update(const LoadBalancerService& s, const std::vector<Backend>& b) {
    return apply(&ccm_cloud_loadbalancers::update_backends, "update_backends", s, b);
  }
  Status remove(const LoadBalancerService& s) {
    const auto table = provider.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
    LoadBalancers::Remove call{table, provider.ctx(), s};
    return provider.finish(provider.start("remove", std::move(call)));
  }
  // Adds the load balancer that DigitalOcean's own manager makes for service(), with this name and
  // these members more, and returns its ID.
  std::string left_by_go(const std::string& name, json more = json::object()) {
    json balancer = json::parse(R"({
      "algorithm":"round_robin","region":"nyc3","type":"REGIONAL_NETWORK",
      "forwarding_rules":[{"entry_protocol":"tcp","entry_port":80,
                           "target_protocol":"tcp","target_port":80}],
      "health_check":{"protocol":"http","port":10256,"path":"/healthz","check_interval_seconds":3,
        "response_timeout_seconds":5,"healthy_threshold":5,"unhealthy_threshold":3,
        "proxy_protocol":false},
      "sticky_sessions":{"type":"none"},"droplet_ids":[102,101],
      "disable_lets_encrypt_dns_records":false,"firewall":{},"network":"EXTERNAL",
      "network_stack":"IPV4"})");
    balancer["name"] = name;
    balancer.update(more);
    return cloud.add_load_balancer(balancer)["id"];
  }
  // A new process: nothing of what it knew is left.
  void restart() {
    std::destroy_at(&provider);
    std::construct_at(&provider, host, plugin, "test");
    pass();
    log_in();
  }
  // Later, so that the cloud is read again.
  void pass(milliseconds time = seconds(5)) { host.loop.advance(time); }
  json the_balancer() {
    EXPECT_EQ(cloud.load_balancers().size(), 1U);
    return cloud.load_balancers().begin()->second;
  }
  // Made, active, and nothing left to do.
  std::string made(const LoadBalancerService& s, const std::vector<Backend>& b) {
    const auto created = ensure(s, b);
    EXPECT_TRUE(created.ok()) << created.status().message();
    if (!created.ok()) return "";
    pass();
    LoadBalancerService again = s;
    again.id = created->id;
    (void)observe(again, b);
    pass();
    cloud.clear_log();
    return created->id;
  }

  const ccm_plugin* const plugin = testing::plugin_of<Provider, testing::Dispatch::loop>();
  testing::FakeComponent provider{host, plugin, "test"};
};

inline std::string annotation_of(const LoadBalancer& balancer, const std::string& name) {
  for (const Label& label : balancer.annotations) {
    if (label.key == name) return label.value;
  }
  return "-";
}

}  // namespace ccm::digitalocean
