#include "contract.hpp"

#include "support/file.hpp"

#include <iostream>

namespace ccm::contract {

struct ServerEnvironment::State {
  support::TemporaryFolder folder{"ccm-contract"};
  TestServer server{folder.path()};
};

ServerEnvironment::ServerEnvironment() = default;
ServerEnvironment::~ServerEnvironment() = default;

void ServerEnvironment::SetUp() { state_ = std::make_unique<State>(); }

void ServerEnvironment::TearDown() {
  if (state_ && ::testing::UnitTest::GetInstance()->Failed()) {
    state_->folder.keep();
    std::cerr << "The server's folder is kept: " << state_->folder.path().string() << "\n";
  }
  state_.reset();
}

TestServer& ServerEnvironment::server() { return state_->server; }

ServerEnvironment& environment() {
  // Owned by GoogleTest.
  static auto* const instance =
      static_cast<ServerEnvironment*>(::testing::AddGlobalTestEnvironment(new ServerEnvironment));
  return *instance;
}

Contract::Contract() : api_(environment().server().client()), label_(unique("of")) {}

Contract::~Contract() {
  for (const std::string& name : nodes_) {
    api_.remove(kNodes + "/" + name);
  }
}

std::string Contract::unique(const std::string& prefix) {
  static int count = 0;
  return prefix + "-" + std::to_string(++count);
}

json Contract::must(const KubeResponse& response) {
  EXPECT_TRUE(response.ok()) << response.status << " " << response.http.body;
  return response.body;
}

json Contract::node(const std::string& name) const {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", name}, {"labels", {{"contract", label_}}}}}};
}

json Contract::create_node(const json& object) {
  nodes_.push_back(object.at("metadata").at("name"));
  return must(api_.create(kNodes, object));
}

std::string Contract::node_path(const json& node) {
  return kNodes + "/" + node.at("metadata").at("name").get<std::string>();
}

std::string Contract::make_namespace() {
  const std::string name = unique("contract");
  must(api_.create("/api/v1/namespaces",
                   {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}}));
  return "/api/v1/namespaces/" + name;
}

std::string Contract::namespace_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

json Contract::create_config_map(const std::string& namespace_path, const std::string& name,
                                 const json& data) {
  return must(api_.create(namespace_path + "/configmaps", {{"apiVersion", "v1"},
                                                           {"kind", "ConfigMap"},
                                                           {"metadata", {{"name", name}}},
                                                           {"data", data}}));
}

std::string Contract::now(const std::string& collection) {
  return must(api_.get(collection + "?limit=1")).at("metadata").at("resourceVersion");
}

std::vector<std::string> names(const json& list) {
  std::vector<std::string> result;
  for (const json& item : list.at("items")) result.push_back(item.at("metadata").at("name"));
  return result;
}

std::string version(const json& object) { return object.at("metadata").at("resourceVersion"); }

}  // namespace ccm::contract
