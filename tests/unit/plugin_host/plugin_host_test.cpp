// The life of plugins in the whole host, from creation to stop.
#include "plugin_host/plugin_host.hpp"

#include "../runtime/manual_timers.hpp"
#include "base/log.hpp"
#include "plugin_files/manifest.hpp"
#include "whole_host_fixture.hpp"

#include <ccm/abi/controller.h>
#include <ccm/abi/kube.h>
#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/log.h>
#include <ccm/abi/metrics.h>
#include <ccm/abi/provider.h>
#include <ccm/abi/queue.h>
#include <ccm/abi/routes.h>
#include <ccm/sized.hpp>

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ccm::plugin_host {
namespace {

using namespace std::chrono_literals;

TEST_F(WholeHostTest, NodesAreFoundAndPatchedWithOneListing) {
  for (int number = 0; number < 50; ++number) {
    cloud_.machines["n" + std::to_string(number)] = "cloud://" + std::to_string(number);
  }
  ASSERT_TRUE(create_provider().ok());
  EXPECT_FALSE(create_provider().ok()) << "one provider only";
  ASSERT_TRUE(create_controller().ok());
  ASSERT_TRUE(wait(host_->start_provider()).ok());
  const auto active = setup("tagger");
  ASSERT_TRUE(active.ok()) << active.status().message();
  EXPECT_TRUE(*active);
  for (const std::string_view id : plugin_files::host_interfaces()) {
    ccm_interface found{};
    const std::string text(id);
    const bool served = tagger_.host->get_interface(tagger_.host->self, text.c_str(), &found);
    EXPECT_TRUE(served) << text;
  }
  ASSERT_EQ(source_.specs.size(), 2u) << "the gate in front of deletions watches Nodes, too";
  EXPECT_EQ(source_.specs.back().resource, "v1/nodes");
  EXPECT_EQ(source_.specs.back().resync, 12h);
  for (int number = 0; number < 50; ++number) add_node("n" + std::to_string(number));
  loop_.poll();
  EXPECT_TRUE(api_->patched.empty()) << "a standby writes nothing";
  EXPECT_FALSE(host_->components().back().queue->synced);
  source_.handler.on_synced();
  EXPECT_TRUE(host_->components().back().queue->synced);
  host_->start_controllers();
  poll_until([&] { return api_->patched.size() == 50; });
  ASSERT_EQ(api_->patched.size(), 50u);
  EXPECT_EQ(api_->patched["n7"], "cloud://7 by test.tagger");
  EXPECT_EQ(cloud_.listed, 1);
  EXPECT_TRUE(wait(host_->stop(10s)).ok());
  EXPECT_EQ(tagger_.stopped, 1);
  EXPECT_EQ(tagger_.destroyed, 1);
  EXPECT_EQ(cloud_.destroyed, 1);
  EXPECT_EQ(cloud_.limits_asked, 1);
  EXPECT_EQ(cloud_.shut_down, 1);
  EXPECT_EQ(cloud_.shared, &g_shared);
  EXPECT_EQ(tagger_.shared, nullptr) << "of a plugin without open";
  EXPECT_EQ(g_shared.opened, 1);
  EXPECT_EQ(g_shared.closed, 1);
  EXPECT_EQ(g_shared.destroyed_before_close, 1);
  const std::string text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_NE(text.find("workqueue_adds_total{name=\"Tags\"} 50"), std::string::npos);
  EXPECT_NE(text.find("operation=\"instances.list\""), std::string::npos);
}

TEST_F(WholeHostTest, WhatIsNotSettledTellsItsStepAndWhenItComesAgain) {
  cloud_.machines["other"] = "cloud://1";
  ASSERT_TRUE(create_provider().ok());
  ASSERT_TRUE(create_controller().ok());
  ASSERT_TRUE(wait(host_->start_provider()).ok());
  ASSERT_TRUE(setup("tagger").ok());
  add_node("lost");
  add_node("other");
  source_.handler.on_synced();
  ASSERT_EQ(host_->object("lost").size(), 1u);
  EXPECT_EQ(host_->object("lost").front().state, plugin::ObjectState::queued) << "before it leads";
  host_->start_controllers();
  const auto lost = [&] { return host_->object("lost").front(); };
  poll_until(
      [&] { return lost().state == plugin::ObjectState::retrying && !api_->patched.empty(); });
  const plugin::ObjectReport object = lost();
  EXPECT_EQ(object.controller, "tagger");
  EXPECT_EQ(object.state, plugin::ObjectState::retrying);
  EXPECT_EQ(object.step, "instances.get");
  EXPECT_EQ(object.error_class, ErrorClass::not_found);
  EXPECT_EQ(object.reason, "InstanceNotFound");
  EXPECT_TRUE(object.next_try);
  poll_until([&] { return host_->unsettled(10).size() == 1; });
  EXPECT_EQ(host_->unsettled(10).front().key, "lost");
  EXPECT_EQ(host_->object("other").front().state, plugin::ObjectState::settled);
  EXPECT_EQ(host_->object("third").front().state, plugin::ObjectState::unknown);
  for (const ComponentReport& report : host_->components()) {
    if (report.name != "tagger") continue;
    EXPECT_EQ(report.queue->unsettled, 1u);
    EXPECT_EQ(report.watches, std::vector<std::string>{"v1/nodes"});
  }
  EXPECT_TRUE(wait(host_->stop(10s)).ok());
}

TEST_F(WholeHostTest, InitializeIsRetriedUntilItSucceeds) {
  cloud_.initialize_results = {Status(Code::unavailable, "down"),
                               Status(Code::unavailable, "down")};
  ASSERT_TRUE(create_provider().ok());
  std::optional<Status> started;
  begin(host_->start_provider(), started);
  poll_until([&] { return cloud_.initialized == 1 && timers_.waiting() > 0; });
  EXPECT_FALSE(host_->provider_ready());
  for (int pause = 0; pause < 2; ++pause) {
    const int before = cloud_.initialized;
    poll_until([&] {
      timers_.advance(500ms);
      return cloud_.initialized > before;
    });
  }
  poll_until([&] { return started.has_value(); });
  ASSERT_TRUE(started);
  EXPECT_TRUE(started->ok());
  EXPECT_TRUE(host_->provider_ready());
  EXPECT_EQ(cloud_.initialized, 3);
  EXPECT_TRUE(wait(host_->stop(10s)).ok());
}

TEST_F(WholeHostTest, AnInterfaceThatTheManifestDoesNotListIsWarnedOf) {
  std::string log;
  log::redirect([&log](std::string_view line) { log.append(line); });
  plugin_files::LoadedPlugin plugin =
      loaded(&cloud_plugin_, plugin_files::ComponentKind::provider, "cloud", false);
  plugin.manifest.components[0].interfaces = {CCM_PROVIDER, CCM_CLOUD_INSTANCES, CCM_CLOUD_ROUTES};
  ASSERT_TRUE(wait(host_->create_provider(plugin, "cloud")).ok());
  EXPECT_TRUE(wait(host_->start_provider()).ok());
  log::redirect({});
  EXPECT_NE(log.find("offers an interface that its manifest does not list"), std::string::npos);
  EXPECT_NE(log.find(CCM_CLOUD_LOADBALANCERS), std::string::npos) << log;
  EXPECT_EQ(log.find(CCM_CLOUD_ROUTES), std::string::npos) << log;
  EXPECT_TRUE(wait(host_->stop(10s)).ok());
}

TEST_F(WholeHostTest, AnInvalidConfigurationIsFatal) {
  cloud_.initialize_results = {Status(Code::invalid_argument, "set CLOUD_TOKEN")};
  ASSERT_TRUE(create_provider().ok());
  const Status status = wait(host_->start_provider());
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_EQ(status.message(), "set CLOUD_TOKEN");
  EXPECT_TRUE(wait(host_->stop(10s)).ok());
  EXPECT_EQ(cloud_.shut_down, 0) << "it never logged in";
}

TEST_F(WholeHostTest, HOST_86_AControllerWithNothingToDoIsSkipped) {
  ASSERT_TRUE(create_controller().ok());
  ASSERT_TRUE(wait(host_->start_provider()).ok()) << "no provider, nothing to initialise";
  const auto active = setup("tagger");
  ASSERT_TRUE(active.ok());
  EXPECT_FALSE(*active);
  host_->start_controllers();
  ASSERT_EQ(host_->components().size(), 1u);
  EXPECT_FALSE(host_->components()[0].skipped.empty());
  EXPECT_FALSE(setup("other").ok());
  EXPECT_TRUE(wait(host_->stop(10s)).ok());
  EXPECT_EQ(tagger_.destroyed, 1);
}

TEST_F(WholeHostTest, AnUnknownComponentIsNamed) {
  const Status status = wait(host_->create_provider(
      loaded(&cloud_plugin_, plugin_files::ComponentKind::provider, "cloud", false), "other"));
  EXPECT_EQ(status.code(), Code::not_found);
  EXPECT_NE(status.message().find("other"), std::string::npos);
}

TEST_F(WholeHostTest, AReconcileThatNeverEndsDoesNotHoldUpTheStop) {
  cloud_.machines["n1"] = "cloud://1";
  tagger_.never_complete = true;
  ASSERT_TRUE(create_provider().ok());
  ASSERT_TRUE(create_controller().ok());
  ASSERT_TRUE(wait(host_->start_provider()).ok());
  ASSERT_TRUE(setup("tagger").ok());
  add_node("n1");
  source_.handler.on_synced();
  host_->start_controllers();
  poll_until([&] { return host_->components()[1].operations == 1; });
  std::optional<Status> stopped;
  begin(host_->stop(5s), stopped);
  poll_until([&] {
    timers_.advance(1s);
    return stopped.has_value();
  });
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->code(), Code::failed_precondition);
  EXPECT_EQ(tagger_.destroyed, 0) << "never freed under its feet";
  EXPECT_EQ(cloud_.destroyed, 1);
}

}  // namespace
}  // namespace ccm::plugin_host
