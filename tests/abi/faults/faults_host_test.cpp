// The real process with a faulty plugin beside node.so: it lives, it says what is wrong, Nodes that
// the fault does not concern are initialised, and SIGTERM ends it.
#include "../plugin_folder.hpp"
#include "fault_name.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ccm::test {
namespace {

using nlohmann::json;

class FaultyHost : public testing::Test {
 protected:
  void create_node(const std::string& name) {
    const json taint = {{"key", "node.cloudprovider.kubernetes.io/uninitialized"},
                        {"value", "true"},
                        {"effect", "NoSchedule"}};
    const json node = {{"apiVersion", "v1"},
                       {"kind", "Node"},
                       {"metadata", {{"name", name}}},
                       {"spec", {{"taints", json::array({taint})}}}};
    ASSERT_EQ(api_.create("/api/v1/nodes", node).status, 201);
  }
  // Where the plugin is, for start(). Faults of several plugins add up.
  std::string add(const std::string& name) {
    const auto [file, fault] = split_fault(name);
    note(fault);
    return plugins_.add(file).string();
  }
  // `controllers` beside node.so, as FILE or FILE/FAULT.
  void start(const std::string& provider, const std::vector<std::string>& controllers = {},
             const std::vector<std::string>& flags = {}) {
    std::filesystem::copy_file(std::filesystem::path(CCM_CONTROLLERS) / "node.so",
                               plugins_.path() / "controllers" / "node.so",
                               std::filesystem::copy_options::overwrite_existing);
    std::string names = "cloud-node-controller";
    for (const std::string& name : controllers) {
      const auto [file, fault] = split_fault(name);
      note(fault);
      plugins_.add(file, "controllers/" + file + ".so");
      names += "," + file;
    }
    for (char& letter : names) letter = letter == '_' ? '-' : letter;
    support::write_file(folder_.path() / "cloud.txt", "A1 node-1 192.0.2.1 large 1 on\n");
    std::vector<std::string> command = {support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                        "--kubeconfig=" + server_.manager_kubeconfig().string(),
                                        "--plugin-path=" + plugins_.path().string(),
                                        "--cloud-provider=" + provider,
                                        "--controllers=" + names,
                                        "--cloud-config=" + (folder_.path() / "cloud.txt").string(),
                                        "--leader-elect=false",
                                        "--secure-port=0",
                                        "-v=2"};
    command.insert(command.end(), flags.begin(), flags.end());
    manager_ = std::make_unique<support::Process>(
        command, support::ProcessOptions{folder_.path() / "manager.log",
                                         {{"KUBECONFIG", ""}, {"HOME", ""}, {"FAULT", faults_}}});
  }
  void note(const std::string& fault) {
    if (!fault.empty()) faults_ += (faults_.empty() ? "" : ",") + fault;
  }
  bool logs(const std::string& text) {
    return support::eventually(support::patience(),
                               [&] { return manager_->log().find(text) != std::string::npos; });
  }
  // The node when its taint is gone.
  json initialised(const std::string& name) {
    json node;
    const bool done = support::eventually(support::patience(), [&] {
      node = api_.get("/api/v1/nodes/" + name).body;
      return !node["spec"].contains("taints");
    });
    EXPECT_TRUE(done) << name << " keeps its taint\n" << manager_->log();
    return node;
  }
  void expect_orderly_end() {
    EXPECT_TRUE(manager_->running()) << manager_->log();
    const auto ended = manager_->stop();
    EXPECT_EQ(ended.signal, 0) << manager_->log();
    EXPECT_EQ(ended.code, 0) << manager_->log();
  }

  PluginFolder plugins_;
  std::string faults_;
  support::TemporaryFolder folder_{"faults"};
  support::TestServer server_{folder_.path()};
  support::KubeClient api_ = server_.client();
  std::unique_ptr<support::Process> manager_;
};

TEST_F(FaultyHost, TextsThatAreNoUtf8) {
  create_node("node-1");
  create_node("sound");
  start(add("listings/garbage_texts"));
  EXPECT_EQ(initialised("sound")["spec"].value("providerID", ""), "faulty://sound");
  const json node = initialised("node-1");
  EXPECT_EQ(node["spec"].value("providerID", ""), "faulty://1");
  EXPECT_FALSE(node["metadata"].value("labels", json::object()).contains("rack"));
  expect_orderly_end();
}

// It would stay on the Node for ever, and the Node would then be left alone as another provider's.
TEST_F(FaultyHost, AProviderIDThatTheManifestDoesNotDeclare) {
  create_node("node-1");
  start(plugins_.add("undeclared_provider_id").string());
  EXPECT_TRUE(
      logs("the provider ID \\\"other://1\\\", which begins with none of the prefixes that its "
           "manifest declares (faulty://)"))
      << manager_->log();
  const json node = api_.get("/api/v1/nodes/node-1").body;
  EXPECT_TRUE(node["spec"].contains("taints"));
  EXPECT_FALSE(node["spec"].contains("providerID"));
  expect_orderly_end();
}

TEST_F(FaultyHost, HOST_9_AnUntaggedCloudHasToBeAllowed) {
  const std::string provider = plugins_.add("no_cluster_id").string();
  start(provider);
  EXPECT_TRUE(
      logs("marks its resources with no cluster id; set one in its configuration, or allow "
           "this with --allow-untagged-cloud"))
      << manager_->log();
  const auto ended = manager_->wait(support::patience());
  ASSERT_TRUE(ended.has_value()) << manager_->log();
  EXPECT_EQ(ended->code, 255) << manager_->log();
  start(provider, {}, {"--allow-untagged-cloud"});
  EXPECT_TRUE(logs("\"The provider marks its resources with no cluster id\"")) << manager_->log();
  EXPECT_TRUE(logs("\"Caches are synced\"")) << manager_->log();
  expect_orderly_end();
}

TEST_F(FaultyHost, AnInstanceWithoutReadableName) {
  create_node("sound");
  start(add("listings/garbage_name"));
  EXPECT_EQ(initialised("sound")["spec"].value("providerID", ""), "faulty://sound");
  expect_orderly_end();
}

TEST_F(FaultyHost, AListingThatThrows) {
  create_node("node-1");
  start(add("blocking_listings/throws_on_worker"));
  EXPECT_TRUE(logs("Plugin threw an exception")) << manager_->log();
  EXPECT_TRUE(api_.get("/api/v1/nodes/node-1").body["spec"].contains("taints"));
  expect_orderly_end();
}

TEST_F(FaultyHost, ControllersThatThrowOrSleep) {
  start(add("listings/instance_of_the_future"),
        {"throwing_controllers/throws_in_reconcile", "controllers/sleeps_in_reconcile"});
  create_node("node-1");
  EXPECT_EQ(initialised("node-1")["spec"].value("providerID", ""), "faulty://1");
  EXPECT_TRUE(logs("Plugin threw an exception")) << manager_->log();
  EXPECT_TRUE(logs("\"Plugin blocked the event loop\" component=\"controllers\""))
      << manager_->log();
  expect_orderly_end();
}

TEST_F(FaultyHost, AControllerThatThrowsAtAnEvent) {
  start(add("listings/instance_of_the_future"), {"throwing_controllers/throws_in_map"});
  create_node("node-1");
  EXPECT_EQ(initialised("node-1")["spec"].value("providerID", ""), "faulty://1");
  EXPECT_TRUE(logs("Plugin threw an exception")) << manager_->log();
  expect_orderly_end();
}

TEST_F(FaultyHost, CompletionsAfterDestroy) {
  create_node("node-1");
  start(add("listings/completes_after_destroy"));
  initialised("node-1");
  expect_orderly_end();
}

// what a provider reads is watched for it, and nothing else is.
TEST_F(FaultyHost, WhatAManifestReadsIsInTheCache) {
  const json rack = {{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata", {{"name", "rack"}, {"labels", {{"a", "b"}}}}},
                     {"data", {{"row", "2"}}}};
  ASSERT_EQ(api_.create("/api/v1/namespaces/default/configmaps", rack).status, 201);
  create_node("node-1");
  const std::string provider = plugins_.add("reads_cache").string();
  start(provider);
  EXPECT_EQ(initialised("node-1")["spec"].value("providerID", ""), "faulty://1");
  EXPECT_TRUE(logs("\"Read the cache\"")) << manager_->log();
  EXPECT_TRUE(logs("row=\"2\" labels=\"not kept\"")) << manager_->log();
  expect_orderly_end();
  support::Process rbac(
      {CCM_TEST_CCMCTL, "rbac", "--plugin-path=" + plugins_.path().string(),
       "--cloud-provider=" + provider, "--controllers=cloud-node-controller", "-o", "json"},
      {folder_.path() / "rbac.log", {}});
  const auto ended = rbac.wait(support::patience());
  ASSERT_TRUE(ended && ended->code == 0) << rbac.log();
  const json rules = json::parse(rbac.log())["items"][1]["rules"];
  const json wanted = {
      {"apiGroups", {""}}, {"resources", {"configmaps"}}, {"verbs", {"list", "watch"}}};
  EXPECT_NE(std::find(rules.begin(), rules.end(), wanted), rules.end()) << rules.dump(1);
}

TEST_F(FaultyHost, AMetricThatTheHostReadsAtEachScrape) {
  start(add("listings/instance_of_the_future"), {"controllers/takes_a_metric_of_the_host"});
  EXPECT_TRUE(
      logs("\"Plugin's metric was refused\" plugin=\"faulty.controllers\" "
           "metric=\"ccm_plugin_degraded\" "
           "reason=\"the name is taken by a metric of the host\""))
      << manager_->log();
  EXPECT_TRUE(logs("\"Leading\"")) << manager_->log();
  expect_orderly_end();
}

// Without a word from the host, SIGTERM would have no effect any more.
class FaultySignals : public FaultyHost {
 protected:
  void expect_taken_back(const std::string& since) {
    const std::string line =
        "A plugin replaced the handler of a stop signal; the host has restored it";
    EXPECT_TRUE(logs(line)) << manager_->log();
    EXPECT_TRUE(logs("signal=\"SIGTERM\" plugin=\"faulty.signals\"")) << manager_->log();
    EXPECT_TRUE(logs("since=\"" + since + "\"")) << manager_->log();
  }
};

TEST_F(FaultySignals, APluginThatTakesSigtermWhenItIsLoadedIsNamed) {
  start(add("listings/instance_of_the_future"), {"signals/takes_sigterm_when_loaded"});
  expect_taken_back("load");
  EXPECT_TRUE(logs("\"Leading\"")) << manager_->log();
  expect_orderly_end();
}

TEST_F(FaultySignals, APluginThatIgnoresSigtermSinceItsCreationIsNamed) {
  start(add("listings/instance_of_the_future"), {"signals/takes_sigterm_in_create"});
  expect_taken_back("create");
  EXPECT_TRUE(logs("\"Leading\"")) << manager_->log();
  expect_orderly_end();
}

TEST_F(FaultySignals, APluginThatTakesSigtermLaterIsNamedAndLosesItAgain) {
  create_node("sound");
  start(add("listings/instance_of_the_future"), {"signals/takes_sigterm_in_reconcile"});
  EXPECT_TRUE(logs("the plugin takes SIGTERM")) << manager_->log();
  expect_taken_back("the last look");
  expect_orderly_end();
  EXPECT_EQ(manager_->log().find("the plugin has the signal"), std::string::npos);
}

// Code in Go runs on stacks of a few KiB: a handler that needs more room than is left there writes
// into somebody else's memory.
TEST_F(FaultySignals, ASignalThatMeetsPluginCodeOnASmallStackDoesNoHarm) {
  create_node("sound");
  start(add("listings/instance_of_the_future"), {"signals/small_stack"});
  EXPECT_TRUE(logs("on the small stack")) << manager_->log();
  expect_orderly_end();
}

}  // namespace
}  // namespace ccm::test
