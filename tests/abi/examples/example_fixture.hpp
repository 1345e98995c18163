// A plugin of examples/ under the real host, with an API server of its own.
#pragma once

#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ccm::test {

class Example : public testing::Test {
 protected:
  explicit Example(std::string plugin) : plugin_(std::move(plugin)) {}

  // The environment that ctest sets.
  static std::string variable(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) throw std::runtime_error(std::string(name) + " is not set");
    return value;
  }
  static nlohmann::json tainted_node(const std::string& name) {
    const nlohmann::json taint = {{"key", "node.cloudprovider.kubernetes.io/uninitialized"},
                                  {"value", "true"},
                                  {"effect", "NoSchedule"}};
    return {{"apiVersion", "v1"},
            {"kind", "Node"},
            {"metadata", {{"name", name}}},
            {"spec", {{"taints", nlohmann::json::array({taint})}}}};
  }

  [[nodiscard]] const std::string& example() const { return plugin_; }
  [[nodiscard]] std::string machines_file(const std::string& machines) const {
    support::write_file(folder_.path() / "machines.txt", machines);
    return (folder_.path() / "machines.txt").string();
  }
  void run(const std::vector<std::string>& flags) {
    std::vector<std::string> command{support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                     "--kubeconfig=" + server_.manager_kubeconfig().string(),
                                     "--leader-elect=false", "--secure-port=0", "-v=2"};
    command.insert(command.end(), flags.begin(), flags.end());
    support::ProcessOptions options{folder_.path() / "manager.log",
                                    {{"KUBECONFIG", ""}, {"HOME", ""}}};
    manager_ = std::make_unique<support::Process>(command, options);
  }
  bool logs(const std::string& text) {
    return support::eventually(support::patience(),
                               [&] { return manager_->log().find(text) != std::string::npos; });
  }
  // The node once its taint is gone; what there is of it when that takes too long.
  nlohmann::json initialised(const std::string& name) {
    nlohmann::json node;
    support::eventually(support::patience(), [&] {
      node = api_.get("/api/v1/nodes/" + name).body;
      return !node["spec"].contains("taints");
    });
    return node;
  }
  void passes_the_check() const {
    support::Process check({CCM_TEST_CCMCTL, "plugin", "check", example()},
                           {folder_.path() / "check.log", {}});
    const auto ended = check.wait(support::patience());
    ASSERT_TRUE(ended.has_value());
    EXPECT_EQ(ended->code, 0) << check.log();
    EXPECT_EQ(check.log().find("warning"), std::string::npos) << check.log();
  }

  support::TemporaryFolder folder_{"example"};
  support::TestServer server_{folder_.path()};
  support::KubeClient api_ = server_.client();
  std::unique_ptr<support::Process> manager_;

 private:
  std::string plugin_;
};

}  // namespace ccm::test
