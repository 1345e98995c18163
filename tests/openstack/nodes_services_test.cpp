// Nodes and routes by the real manager, on the services of OpenStack or on their fake.
#include "openstack/services_manager.hpp"

#include <set>
#include <string>
#include <utility>

namespace ccm::openstack_contract {
namespace {

class OpenStackNodesTest : public ServicesManagerTest {
 protected:
  void TearDown() override {
    clear_router();
    ServicesManagerTest::TearDown();
  }
  json node(const std::string& name) { return api_.get("/api/v1/nodes/" + name).body; }
  bool has_taint(const std::string& name, const std::string& key) {
    for (const json& taint : node(name).at("spec").value("taints", json::array())) {
      if (taint.at("key") == key) return true;
    }
    return false;
  }
  bool is_networked(const std::string& name) {
    for (const json& each : node(name).at("status").value("conditions", json::array())) {
      if (each.at("type") == "NetworkUnavailable") return each.at("status") == "False";
    }
    return false;
  }

  // A server of its own, ready.
  std::string make_server(const std::string& name) {
    const json made = demo_.make("compute", "/servers",
                                 {{"server",
                                   {{"name", name},
                                    {"flavorRef", id("m1.tiny")},
                                    {"imageRef", id("debian")},
                                    {"networks", json::array({{{"uuid", id("private")}}})}}}});
    std::string server = made.at("server").at("id");
    EXPECT_TRUE(eventually([&] { return status_of(server) == "ACTIVE"; }));
    return server;
  }
  std::string status_of(const std::string& server) {
    return demo_.get("compute", "/servers/" + server).at("server").at("status");
  }
  void change_state(const std::string& server, const char* action) {
    const auto answer =
        demo_.send("POST", "compute", "/servers/" + server + "/action", {{action, nullptr}});
    EXPECT_EQ(answer.status, 202) << answer.body;
  }

  std::string router() const { return "/v2.0/routers/" + id("router"); }
  // Destination and next hop of each.
  std::set<std::pair<std::string, std::string>> routes() {
    std::set<std::pair<std::string, std::string>> found;
    const json answer = demo_.get("network", router());
    for (const json& route : answer.at("router").at("routes")) {
      found.emplace(route.at("destination").get<std::string>(),
                    route.at("nexthop").get<std::string>());
    }
    return found;
  }
  json pairs_of(const std::string& name) { return port_of(id(name)).at("allowed_address_pairs"); }
  // As if there had been no manager.
  void clear_router() {
    end_manager();
    demo_.send("PUT", "network", router(), {{"router", {{"routes", json::array()}}}});
    demo_.remove("network", router() + "/tags");
    for (int i = 0; i < 3; ++i) {
      const json port = port_of(id("node-" + std::to_string(i)));
      demo_.send("PUT", "network", "/v2.0/ports/" + port.at("id").get<std::string>(),
                 {{"port", {{"allowed_address_pairs", json::array()}}}});
    }
  }
  json port_of(const std::string& server) {
    return networking("ports", "?device_id=" + server).at(0);
  }
  std::string address_of(const std::string& server) {
    return port_of(server).at("fixed_ips").at(0).at("ip_address");
  }
};

TEST_F(OpenStackNodesTest, OS_146_151_161_NodesComeStopAndGoWithTheirServers) {
  start_all("");
  join_all();
  const json first = node("node-0");
  EXPECT_EQ(first.at("spec").at("providerID"), "openstack:///" + id("node-0"));
  EXPECT_EQ(first["metadata"]["labels"]["node.kubernetes.io/instance-type"], "m1.tiny");
  EXPECT_EQ(first["metadata"]["labels"]["topology.kubernetes.io/zone"], "nova");
  EXPECT_EQ(first["metadata"]["labels"]["topology.kubernetes.io/region"], "RegionOne");
  EXPECT_EQ(first["status"]["addresses"][0]["type"], "InternalIP");
  EXPECT_EQ(first["status"]["addresses"][0]["address"], address_of(id("node-0")));

  const std::string server = make_server("short-lived");
  join("short-lived", "");
  ASSERT_TRUE(eventually([&] { return initialised("short-lived") == 1; })) << tail(manager_->log());
  EXPECT_EQ(node("short-lived").at("spec").at("providerID"), "openstack:///" + server);
  change_state(server, "os-stop");
  ASSERT_TRUE(eventually([&] { return status_of(server) == "SHUTOFF"; }));
  make_not_ready("short-lived");
  EXPECT_TRUE(eventually([&] {
    return has_taint("short-lived", "node.cloudprovider.kubernetes.io/shutdown");
  })) << tail(manager_->log());
  demo_.remove("compute", "/servers/" + server);
  EXPECT_TRUE(eventually([&] { return api_.get("/api/v1/nodes/short-lived").status == 404; }))
      << tail(manager_->log());
  EXPECT_EQ(initialised("node-"), 3);
}

TEST_F(OpenStackNodesTest, OS_177_181_186_188_195_RoutesFollowNodesAndForeignOnesStay) {
  const std::pair<std::string, std::string> foreign = {"10.244.200.0/24", address_of(id("node-1"))};
  const json route = {{"destination", foreign.first}, {"nexthop", foreign.second}};
  const json added = {{"router", {{"routes", json::array({route})}}}};
  ASSERT_EQ(demo_.send("PUT", "network", router() + "/add_extraroutes", added).status, 200);
  const json pairs = pairs_of("node-2");
  const std::string conf = "[Route]\nrouter-id = " + id("router") + "\n";
  start_all(conf, {"--cluster-cidr=10.244.0.0/16"});
  join_all();
  std::set<std::pair<std::string, std::string>> due = {foreign};
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i);
    due.insert({"10.244." + number + ".0/24", address_of(id("node-" + number))});
  }
  EXPECT_TRUE(eventually([&] {
    return is_networked("node-0") && is_networked("node-1") && is_networked("node-2");
  })) << tail(manager_->log());
  ASSERT_EQ(routes(), due);
  EXPECT_EQ(pairs_of("node-2").size(), pairs.size() + 1);

  // A new process writes nothing.
  manager_->stop();
  cloud_->forget();
  start_all(conf, {"--cluster-cidr=10.244.0.0/16"});
  EXPECT_TRUE(eventually([&] { return cloud_->requests("GET", "/routers/") >= 3; }));
  EXPECT_EQ(cloud_->writes(), 0);

  // Two of three: the deletion brake would hold the last one.
  for (int i = 2; i >= 1; --i) {
    const std::string name = "node-" + std::to_string(i);
    ASSERT_EQ(api_.remove("/api/v1/nodes/" + name).status, 200);
    due.erase({"10.244." + std::to_string(i) + ".0/24", address_of(id(name))});
    EXPECT_TRUE(eventually([&] { return routes() == due; })) << tail(manager_->log());
  }
  EXPECT_TRUE(eventually([&] { return pairs_of("node-2") == pairs; }));
}

}  // namespace
}  // namespace ccm::openstack_contract
