// openstack.so's load balancers on the fake of Octavia, Neutron and Barbican.
#pragma once

#include "cloud_fixture.hpp"
#include "openstack/provider.hpp"

#include <ccm/load_balancers.hpp>
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ccm::openstack {

using openstack_api::Fault;
using openstack_api::json;
using openstack_api::Outcome;
using std::chrono::minutes;
using std::chrono::seconds;

class OpenStackLoadBalancersTest : public CloudTest {
 protected:
  OpenStackLoadBalancersTest() {
    host.kube.watch("v1/nodes", {"/spec/providerID", "/status/addresses"}, [](auto&&...) {});
    host.kube.watch("v1/services", {"/metadata", "/spec", "/status"}, [](auto&&...) {});
    join(nodes());
    start();
  }

  // They are Nodes of the cluster from now on.
  void join(const std::vector<Backend>& backends) {
    for (const Backend& backend : backends) {
      json addresses = json::array();
      for (const NodeAddress& address : backend.addresses) {
        addresses.push_back({{"type", address.type}, {"address", address.address}});
      }
      host.kube.put("v1/nodes", json{{"metadata", {{"name", backend.name}}},
                                     {"spec", {{"providerID", backend.provider_id}}},
                                     {"status", {{"addresses", addresses}}}}
                                    .dump());
    }
  }

  void start(const std::string& settings = "lb-method = ROUND_ROBIN\n") {
    host.config.set_cloud_config(cloud_conf("region = RegionOne\n[LoadBalancer]\n" + settings));
    provider = std::make_unique<testing::FakeComponent>(
        host, testing::plugin_of<Provider, testing::Dispatch::loop>(), "test");
    const Status status = provider->initialize();
    EXPECT_TRUE(status.ok()) << status.message();
    cloud.clear_log();
  }
  static LoadBalancerService web(int ports = 1) {
    LoadBalancerService service;
    service.name = "web";
    service.namespace_name = "default";
    service.uid = "0b1c";
    service.cluster_name = "kubernetes";
    for (int i = 0; i < ports; ++i) {
      service.ports.push_back({"p" + std::to_string(i), "TCP", "", 80 + i, 30'080 + i});
    }
    return service;
  }
  std::vector<Backend> nodes(int count = 3) {
    std::vector<Backend> list;
    for (int i = 0; i < count; ++i) {
      const std::string name = "node-" + std::to_string(i);
      std::string address = "10.10." + std::to_string(9 + i / 250) + "." + std::to_string(i % 250);
      std::string server = "00000000-0000-4000-8000-000000000000";
      if (facts.at("ids").contains(name)) {
        server = id(name);
        for (const json& port : cloud.region().network.records("ports")) {
          if (port.at("device_id") == server) address = port["fixed_ips"][0]["ip_address"];
        }
      }
      list.push_back({name, "openstack:///" + server, {{"InternalIP", address}}, {}});
    }
    return list;
  }

  Result<LoadBalancer> call(
      decltype(ccm_cloud_loadbalancers::ensure) ccm_cloud_loadbalancers::*function,
      LoadBalancerService service, std::vector<Backend> backends) {
    const auto table = provider->interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
    const Object object = service.object ? service.object : annotated(service, {}).object;
    host.kube.put("v1/services", object.json());
    auto outcome = provider->finish(provider->start(
        "call", ccm::LoadBalancers::Apply{table, function, "call", provider->ctx(),
                                          std::move(service), Backends(std::move(backends))}));
    if (outcome.ok()) known_id = outcome->id;
    return outcome;
  }
  Result<LoadBalancer> ensure(LoadBalancerService service, std::vector<Backend> backends) {
    return call(&ccm_cloud_loadbalancers::ensure, std::move(service), std::move(backends));
  }
  Result<LoadBalancer> observe(LoadBalancerService service, std::vector<Backend> backends) {
    return call(&ccm_cloud_loadbalancers::observe, std::move(service), std::move(backends));
  }
  Result<LoadBalancer> update(LoadBalancerService service, std::vector<Backend> backends) {
    return call(&ccm_cloud_loadbalancers::update_backends, std::move(service), std::move(backends));
  }
  // Why it does not serve.
  Status failure(const LoadBalancerService& service) {
    for (int i = 0; i < 10; ++i) {
      const auto outcome = ensure(service, nodes());
      if (!outcome.ok()) return outcome.status();
      host.loop.advance(seconds(1));
    }
    return {};
  }
  bool removed(const LoadBalancerService& service) {
    for (int i = 0; i < 60; ++i) {
      if (remove(service).ok()) return true;
      host.loop.advance(seconds(1));
    }
    return false;
  }
  Status remove(LoadBalancerService service) {
    const auto table = provider->interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
    return provider->finish(provider->start(
        "remove", ccm::LoadBalancers::Remove{table, provider->ctx(), std::move(service)}));
  }
  // As the host does: again after each pause, with the id that was recorded.
  LoadBalancer ensured(LoadBalancerService service, const std::vector<Backend>& backends) {
    std::string last;
    for (int i = 0; i < 60; ++i) {
      if (service.id.empty()) service.id = known_id;
      auto outcome = ensure(service, backends);
      const bool served = outcome.ok() && (outcome->state == LoadBalancerState::active ||
                                           outcome->state == LoadBalancerState::shared);
      if (served) return *outcome;
      last = outcome.ok() ? "its state is " + std::to_string(static_cast<int>(outcome->state))
                          : outcome.status().message();
      host.loop.advance(seconds(1));
    }
    ADD_FAILURE() << "it never served: " << last;
    LoadBalancer none;
    none.ingress.emplace_back();
    return none;
  }
  size_t count(const std::string& collection) {
    auto& octavia = cloud.region().load_balancing;
    octavia.advance();
    auto& records = octavia.records(collection);
    return static_cast<size_t>(std::distance(records.begin(), records.end()));
  }
  size_t floating_ips() {
    auto& records = cloud.region().network.records("floatingips");
    return static_cast<size_t>(std::distance(records.begin(), records.end()));
  }
  int ports_of_octavia() {
    int found = 0;
    for (const json& port : cloud.region().network.records("ports")) {
      found += port.at("device_owner") == "Octavia" ? 1 : 0;
    }
    return found;
  }
  // The Service with annotations, those without a prefix are Octavia's, and with the address that
  // its status has.
  LoadBalancerService annotated(LoadBalancerService service,
                                const std::map<std::string, std::string>& annotations,
                                const std::string& address = "") {
    json object = {{"metadata",
                    {{"name", service.name},
                     {"namespace", service.namespace_name},
                     {"uid", service.uid},
                     {"annotations", json::object()}}}};
    for (const auto& [name, value] : annotations) {
      const bool whole = name.find('/') != std::string::npos;
      object["metadata"]["annotations"][whole ? name : "loadbalancer.openstack.org/" + name] =
          value;
    }
    if (!address.empty()) {
      object["status"]["loadBalancer"]["ingress"] = json::array({{{"ip", address}}});
    }
    service.object = host.objects.make(object.dump());
    return service;
  }
  // As if the Go manager had made it all: its tags, and none of ours.
  void leave_no_marks() {
    for (const char* collection : {"loadbalancers", "listeners"}) {
      for (json& record : octavia().records(collection)) {
        json tags = json::array();
        for (const json& tag : record.at("tags")) {
          if (!tag.get<std::string>().starts_with("ccm-")) tags.push_back(tag);
        }
        record["tags"] = tags;
      }
    }
  }
  const json& only(const std::string& collection) {
    EXPECT_EQ(count(collection), 1U) << collection;
    return *octavia().records(collection).begin();
  }
  std::vector<std::string> events(const std::string& reason) {
    std::vector<std::string> messages;
    for (const auto& event : host.events.with_reason(reason)) messages.push_back(event.message);
    return messages;
  }
  openstack_api::LoadBalancing& octavia() { return cloud.region().load_balancing; }

  std::unique_ptr<testing::FakeComponent> provider;
  std::string known_id;
};

}  // namespace ccm::openstack
