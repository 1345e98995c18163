// The static provider on a fake host, with Services of its Kubernetes API server.
#pragma once

#include "static/provider.hpp"

#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ccm::static_provider {

class ProviderTest : public ::testing::Test {
 protected:
  ProviderTest() {
    host.kube.read("v1/services", {"/metadata/creationTimestamp", "/metadata/uid",
                                   "/spec/ipFamilyPolicy", "/status/loadBalancer/ingress"});
  }
  ~ProviderTest() override { EXPECT_TRUE(host.faults().empty()); }

  void log_in(const std::string& configuration) {
    host.config.set_cloud_config(configuration);
    const Status status = provider.initialize();
    ASSERT_TRUE(status.ok()) << status.message();
  }
  void change(const std::string& configuration) {
    host.config.change_cloud_config(configuration);
    (void)provider.list();  // a reading that is under way is waited for
  }

  // Service `name` of the default namespace, with UID "uid-NAME", as the API server has it.
  // `addresses`: of its status.
  nlohmann::json object(const std::string& name, const std::vector<std::string>& addresses = {},
                        const std::string& created = "2026-01-01T00:00:00Z") {
    nlohmann::json ingress = nlohmann::json::array();
    for (const std::string& address : addresses) ingress.push_back({{"ip", address}});
    return {{"apiVersion", "v1"},
            {"kind", "Service"},
            {"metadata",
             {{"name", name},
              {"namespace", "default"},
              {"uid", "uid-" + name},
              {"creationTimestamp", created},
              {"annotations", nlohmann::json::object()}}},
            {"spec", {{"type", "LoadBalancer"}, {"ipFamilyPolicy", "SingleStack"}}},
            {"status", {{"loadBalancer", {{"ingress", ingress}}}}}};
  }
  // The Service as the controller asks for it.
  LoadBalancerService service_of(const nlohmann::json& object) {
    LoadBalancerService service;
    service.name = object["metadata"]["name"];
    service.namespace_name = "default";
    service.uid = object["metadata"]["uid"];
    service.cluster_name = "kubernetes";
    service.ports = {{"http", "TCP", "", 80, 30080}};
    service.ip_families = {"IPv4"};
    service.object = host.objects.make(object.dump());
    return service;
  }
  LoadBalancerService service(const std::string& name) { return service_of(object(name)); }
  void store(const nlohmann::json& object) { host.kube.put("v1/services", object.dump()); }

  // The addresses of the answer, or why there are none.
  static std::string outcome(const Result<LoadBalancer>& balancer) {
    if (!balancer.ok()) {
      return std::string(name_of(balancer.status().error_class())) + ": " +
             balancer.status().message();
    }
    if (balancer->state == LoadBalancerState::foreign) return "foreign";
    if (balancer->state == LoadBalancerState::absent) return "absent";
    std::string text;
    for (const Ingress& ingress : balancer->ingress) text += (text.empty() ? "" : ",") + ingress.ip;
    return text;
  }
  std::string ensured(const LoadBalancerService& service) {
    return outcome(provider.ensure_load_balancer(service, {}));
  }
  std::string observed(const LoadBalancerService& service) {
    return outcome(provider.observe_load_balancer(service, {}));
  }

  testing::FakeHost host;
  testing::FakeComponent provider{host, testing::plugin_of<Provider, testing::Dispatch::loop>(),
                                  "test"};
};

}  // namespace ccm::static_provider
