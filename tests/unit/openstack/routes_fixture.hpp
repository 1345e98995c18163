// A provider with routes on the fake of Neutron, and Nodes in the host's cache.
#pragma once

#include "cloud_fixture.hpp"
#include "openstack/provider.hpp"

#include <ccm/routes.hpp>
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <functional>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace ccm::openstack {

using openstack_api::json;

struct TestNode {
  std::string name;
  std::string server;
  std::string port;
  std::vector<NodeAddress> addresses;
  std::vector<std::string> ranges;
};

class RoutesTest : public CloudTest {
 protected:
  RoutesTest();

  [[nodiscard]] static std::string conf(const std::string& router);
  // A new process with the router, or another one; "" = none.
  void start(const std::string& router_id);
  void start() { start(id("router")); }
  // Removes all routes, tags and Nodes.
  void reset();
  // Takes extensions away, before start().
  void without(const std::vector<std::string>& extensions);

  // worker-0 with 10.10.0.50 and 10.244.0.0/24, and so on.
  std::vector<TestNode> add_nodes(int count);
  // On the network with both families when it has ranges of both.
  TestNode add_node(const std::string& name, const std::vector<std::string>& ranges);
  // A further port of the Node's server, whose address is the Node's first one.
  void add_port(TestNode& node, const std::string& network, const std::string& address);
  void put_node(const TestNode& node);
  // The instance and the Node.
  void remove_node(const TestNode& node);
  static std::vector<Route> additions(const std::vector<TestNode>& nodes);

  json& router();
  void add_route(const std::string& destination, const std::string& next_hop);
  void change_port(const TestNode& node, const json& members);
  // "10.244.0.0/24>10.10.0.50 ...", in order.
  std::string routes();
  // The ranges of its port, in order.
  std::string pairs(const TestNode& node);

  Status list_status() { return try_list().status(); }
  std::vector<Route> list();
  std::vector<Route> owned();
  // One word for each change: "ok", "full", or the reason; the reason alone when all failed.
  std::string apply(std::vector<Route> removals, std::vector<Route> additions);

  // Once, before the fake sees the next such request.
  void before_next(const std::string& method, const std::string& path, std::function<void()> fn);
  // The next such request is carried out, and its answer lost.
  void lose_answer(const std::string& path, const std::string& method = "");

  std::unique_ptr<testing::FakeComponent> provider;

 private:
  Result<std::vector<Route>> try_list();

  std::string hook_method_;
  std::string hook_path_;
  std::function<void()> hook_;
  int made_ = 50;
};

}  // namespace ccm::openstack
