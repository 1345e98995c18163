// Two tenants of one cluster, each with rights in a namespace of their own, and the real manager.
#include "openstack_api/manager_fixture.hpp"

#include <string>

namespace ccm::openstack_api {
namespace {

constexpr const char* kId = "loadbalancer.openstack.org/load-balancer-id";
constexpr const char* kShare = "cloud-controller-manager/share-load-balancer";

class OpenStackTenantsTest : public OpenStackManagerTest {
 protected:
  OpenStackTenantsTest() {
    const auto ids = add_servers("worker-", 2, "private");
    for (int i = 0; i < 2; ++i) join("worker-" + std::to_string(i), "openstack:///" + ids[i]);
    for (const char* space : {"t1", "t2"}) {
      api_.create("/api/v1/namespaces",
                  {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", space}}}});
    }
    write_conf();
    start("cloud-node-controller,service-lb-controller", {"--cluster-name=kubernetes"});
  }
  static std::string path(const std::string& space) {
    return "/api/v1/namespaces/" + space + "/services";
  }
  void create(const std::string& space, int port, const json& annotations,
              const std::string& address = "") {
    json spec = {{"type", "LoadBalancer"},
                 {"selector", {{"app", "web"}}},
                 {"ports", json::array({{{"port", port}, {"protocol", "TCP"}}})}};
    if (!address.empty()) spec["loadBalancerIP"] = address;
    const auto made =
        api_.create(path(space), {{"apiVersion", "v1"},
                                  {"kind", "Service"},
                                  {"metadata", {{"name", "web"}, {"annotations", annotations}}},
                                  {"spec", spec}});
    ASSERT_EQ(made.status, 201) << made.http.body;
  }
  json get(const std::string& space) { return api_.get(path(space) + "/web").body; }
  void annotate(const std::string& space, const json& annotations) {
    api_.patch(path(space) + "/web", support::kMergePatch,
               {{"metadata", {{"annotations", annotations}}}});
  }
  void remove(const std::string& space) {
    EXPECT_EQ(api_.remove(path(space) + "/web").status, 200);
    EXPECT_TRUE(support::eventually(support::patience(), [&] {
      return api_.get(path(space) + "/web").status == 404;
    })) << tail(manager_->log());
  }
  std::string address_of(const std::string& space) {
    const json ingress = get(space)["status"]["loadBalancer"].value("ingress", json::array());
    return ingress.empty() ? "" : ingress.at(0).value("ip", "");
  }
  std::string served_at(const std::string& space, const std::string& not_at = "") {
    EXPECT_TRUE(support::eventually(support::patience(), [&] {
      const std::string now = address_of(space);
      return !now.empty() && now != not_at;
    })) << tail(manager_->log());
    return address_of(space);
  }
  bool reported(const std::string& space, const std::string& text) {
    return support::eventually(support::patience(), [&] {
      const json events = api_.get("/api/v1/namespaces/" + space + "/events").body;
      for (const json& event : events.at("items")) {
        if (event.value("message", "").find(text) != std::string::npos) return true;
      }
      return false;
    });
  }
  std::size_t count(const std::string& collection) {
    std::size_t found = 0;
    cloud_.with([&](Cloud& cloud) {
      cloud.region().load_balancing.advance();
      found = cloud.region().load_balancing.records(collection).size();
    });
    return found;
  }
  json floating_ip(const std::string& address) {
    json found;
    cloud_.with([&](Cloud& cloud) {
      for (const json& each : cloud.region().network.records("floatingips")) {
        if (each.at("floating_ip_address") == address) found = each;
      }
    });
    return found;
  }
};

TEST_F(OpenStackTenantsTest, OS_298_NobodySharesWhatAnotherNamespaceDoesNotShare) {
  create("t2", 443, {});
  const std::string address = served_at("t2");
  const std::string id = get("t2")["metadata"]["annotations"][kId];
  create("t1", 80, {{kId, id}, {kShare, "*"}});
  EXPECT_TRUE(reported("t1", "does not name the namespace t1")) << tail(manager_->log());
  EXPECT_EQ(count("listeners"), 1U);
  remove("t1");
  EXPECT_EQ(count("loadbalancers"), 1U);
  EXPECT_TRUE(floating_ip(address).is_object());

  annotate("t2", {{kShare, "t1"}});
  create("t1", 80, {{kId, id}});
  EXPECT_EQ(served_at("t1"), address);
  // The address is t2's, and goes with it; t1 gets one of its own soon.
  remove("t2");
  EXPECT_TRUE(floating_ip(address).is_null());
  served_at("t1", address);
  remove("t1");
  EXPECT_EQ(count("loadbalancers"), 0U);
  cloud_.with(
      [](Cloud& cloud) { EXPECT_EQ(cloud.region().network.records("floatingips").size(), 0U); });
}

TEST_F(OpenStackTenantsTest, OS_203_287_AnAddressThatWasKeptIsNotForOthers) {
  create("t2", 443, {{"loadbalancer.openstack.org/keep-floatingip", "true"}});
  const std::string address = served_at("t2");
  remove("t2");
  const json kept = floating_ip(address);
  EXPECT_TRUE(kept.at("port_id").is_null());
  create("t1", 80, {}, address);
  EXPECT_TRUE(reported("t1", "is kept for a Service of another namespace"))
      << tail(manager_->log());
  remove("t1");
  EXPECT_EQ(floating_ip(address), kept);
  create("t2", 443, {}, address);
  EXPECT_EQ(served_at("t2"), address);
}

// Two clusters of one project with the default name, and a tenant who knows an ID.
TEST_F(OpenStackTenantsTest, OS_214_229_AHostNameInTheStatusTakesNothingOver) {
  create("t1", 80, {});
  const std::string address = served_at("t1");
  EXPECT_NE(manager_->log().find("--cluster-name is the default"), std::string::npos)
      << tail(manager_->log());
  // It becomes another cluster's, made by the Go manager there.
  std::string id;
  cloud_.with([&](Cloud& cloud) {
    for (const char* collection : {"loadbalancers", "listeners"}) {
      for (json& record : cloud.region().load_balancing.records(collection)) {
        record["tags"] = json::array({"kube_service_kubernetes_t2_web"});
      }
    }
    json& balancer = *cloud.region().load_balancing.records("loadbalancers").begin();
    balancer["name"] = "kube_service_kubernetes_t2_web";
    id = balancer.at("id");
    for (json& member : cloud.region().load_balancing.records("members")) {
      member["address"] = "10.10.0.250";
    }
    cloud.clear_log();
  });
  create("t2", 80, {{kId, id}, {"loadbalancer.openstack.org/hostname", address + ".example.com"}});
  const json ingress = json::array({{{"hostname", address + ".example.com"}}});
  api_.patch(path("t2") + "/web/status", support::kMergePatch,
             {{"status", {{"loadBalancer", {{"ingress", ingress}}}}}});
  EXPECT_TRUE(reported("t2", "is not this Service's")) << tail(manager_->log());
  remove("t2");
  cloud_.with([&](Cloud& cloud) {
    EXPECT_NE(cloud.region().load_balancing.records("loadbalancers").find(id), nullptr);
    EXPECT_EQ(cloud.calls("DELETE", "/listeners/"), 0);
    EXPECT_EQ(cloud.calls("PUT", "/loadbalancers/" + id), 0);
  });
}

}  // namespace
}  // namespace ccm::openstack_api
