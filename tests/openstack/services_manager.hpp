// The real manager with openstack.so, on the services of OpenStack or on the fake of their APIs.
#pragma once

#include "openstack/client.hpp"
#include "openstack/running_cloud.hpp"
#include "openstack_api/manager.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ccm::openstack_contract {

inline constexpr const char* kAllControllers =
    "cloud-node-controller,cloud-node-lifecycle-controller,service-lb-controller,"
    "node-route-controller";

// Each test leaves the cloud as it found it: what of a project's load balancers, addresses, ports
// and groups is one too many in the end, is a failure.
class ServicesManagerTest : public openstack_api::ManagerTest {
 protected:
  ServicesManagerTest() { before_ = contents(); }
  ~ServicesManagerTest() override { end_manager(); }

  void TearDown() override {
    std::string left;
    EXPECT_TRUE(eventually([&] {
      left = one_too_many();
      return left.empty();
    })) << left;
    if (!HasFailure()) return;
    end_manager();
    clean();
  }

  static bool eventually(const std::function<bool()>& condition) {
    return support::eventually(support::patience(), condition);
  }

  // `sections`: all but [Global].
  void start_all(const std::string& sections, const std::vector<std::string>& flags = {}) {
    write_cloud_conf(cloud_->facts().at("auth_url"), "secret", "region = RegionOne\n", sections);
    std::vector<std::string> all = {"--cluster-name=kubernetes", "--node-monitor-period=1s",
                                    "--route-reconciliation-period=1s"};
    all.insert(all.end(), flags.begin(), flags.end());
    start(kAllControllers, all);
  }
  [[nodiscard]] std::string id(const std::string& name) const {
    return cloud_->facts().at("ids").at(name);
  }
  // Makes Nodes of the cloud's three servers, each with a Pod range.
  void join_all() {
    for (int i = 0; i < 3; ++i) {
      const std::string name = "node-" + std::to_string(i);
      join(name, "openstack:///" + id(name), "10.244." + std::to_string(i) + ".0/24");
    }
    ASSERT_TRUE(eventually([&] { return initialised("node-") == 3; })) << tail(manager_->log());
  }

  // Objects of Octavia, as it lists them.
  json balancing(const std::string& collection, const std::string& query = "") const {
    return demo_.get("load-balancer", "/v2.0/lbaas/" + collection + query).begin().value();
  }
  // The load balancer of a Service.
  json balancer_of(const std::string& service_name) {
    const json all =
        balancing("loadbalancers", "?name=kube_service_kubernetes_default_" + service_name);
    return all.size() == 1 ? all.at(0) : json();
  }
  json members_of(const json& pool) const {
    return balancing("pools/" + pool.at("id").get<std::string>() + "/members");
  }
  // How many members each pool has.
  std::multiset<std::size_t> members() const {
    std::multiset<std::size_t> counts;
    for (const json& pool : balancing("pools")) counts.insert(pool.at("members").size());
    return counts;
  }
  // Objects of Neutron; its lists are called as their paths, but for the dash.
  json networking(const std::string& collection, const std::string& query = "") const {
    return demo_.get("network", "/v2.0/" + collection + query).begin().value();
  }

  std::unique_ptr<RunningCloud> cloud_ = running_cloud();
  Client demo_{cloud_->facts(), "demo", "demo"};

 private:
  using Contents = std::map<std::string, std::set<std::string>>;

  Contents contents() const {
    Contents found;
    for (const char* name : {"loadbalancers", "listeners", "pools", "healthmonitors"}) {
      for (const json& each : balancing(name)) found[name].insert(each.at("id"));
    }
    for (const char* name : {"floatingips", "security-groups", "ports"}) {
      for (const json& each : networking(name)) found[name].insert(each.at("id"));
    }
    return found;
  }
  std::string one_too_many() {
    for (const auto& [name, ids] : contents()) {
      for (const std::string& each : ids) {
        if (!before_[name].contains(each)) return "left behind of the " + name + ": " + each;
      }
    }
    return "";
  }
  // So that other tests do not fail for it.
  void clean() {
    Contents all = contents();
    for (const std::string& each : all["loadbalancers"]) {
      if (before_["loadbalancers"].contains(each)) continue;
      demo_.send("DELETE", "load-balancer", "/v2.0/lbaas/loadbalancers/" + each + "?cascade=true");
    }
    eventually([&] { return contents()["loadbalancers"] == before_["loadbalancers"]; });
    all = contents();
    for (const char* name : {"floatingips", "security-groups", "ports"}) {
      for (const std::string& each : all[name]) {
        if (before_[name].contains(each)) continue;
        demo_.send("DELETE", "network", "/v2.0/" + std::string(name) + "/" + each);
      }
    }
    eventually([&] { return one_too_many().empty(); });
  }

  Contents before_;
};

}  // namespace ccm::openstack_contract
