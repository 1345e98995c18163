// Fixture of the API-server contract suite. Every test uses names of its own on a shared server.
#pragma once

#include "support/kube_client.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ccm::contract {

using nlohmann::json;
using support::kJsonPatch;
using support::kMergePatch;
using support::kStrategicPatch;
using support::KubeClient;
using support::KubeResponse;
using support::TestServer;
using support::WatchStream;

inline const std::string kNodes = "/api/v1/nodes";

// Starts the server before the first test and shows the end of its log if a test failed.
class ServerEnvironment : public ::testing::Environment {
 public:
  ServerEnvironment();
  ~ServerEnvironment() override;
  void SetUp() override;
  void TearDown() override;

  TestServer& server();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

ServerEnvironment& environment();

class Contract : public ::testing::Test {
 protected:
  Contract();
  ~Contract() override;

  KubeClient& api() { return api_; }
  TestServer& server() { return environment().server(); }

  // A name that no other test uses.
  std::string unique(const std::string& prefix);
  // The body of an answer that must be 2xx.
  json must(const KubeResponse& response);
  // A node object with a label "contract" that selects the nodes of this test.
  json node(const std::string& name) const;
  // Creates it; removed at the end of the test.
  json create_node(const json& object);
  json create_node() { return create_node(node(unique("node"))); }
  static std::string node_path(const json& node);
  // Query labelSelector=... for this test's nodes.
  std::string selector() const { return "labelSelector=contract%3D" + label_; }
  // Creates a namespace and returns its path, /api/v1/namespaces/NAME.
  std::string make_namespace();
  static std::string namespace_of(const std::string& path);
  json create_config_map(const std::string& namespace_path, const std::string& name,
                         const json& data = json::object());
  // The resourceVersion of a consistent list: everything up to now.
  std::string now(const std::string& collection);

 private:
  KubeClient api_;
  std::string label_;
  std::vector<std::string> nodes_;
};

std::vector<std::string> names(const json& list);
std::string version(const json& object);

}  // namespace ccm::contract
