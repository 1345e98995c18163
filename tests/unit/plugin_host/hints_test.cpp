// A hint of a provider's cloud reaches the right Node or Service, and is read before it counts.
// The objects that a manifest reads are watched.
#include "whole_host_fixture.hpp"

#include <ccm/abi/hint.h>

#include <algorithm>
#include <thread>

namespace ccm::plugin_host {
namespace {

using Keys = std::vector<std::string>;

class HintsTest : public WholeHostTest {
 protected:
  void start() {
    ASSERT_TRUE(create_provider().ok());
    ASSERT_TRUE(create_controller().ok());
    ASSERT_TRUE(wait(host_->start_provider()).ok());
    const auto active = setup("tagger");
    ASSERT_TRUE(active.ok()) << active.status().message();
  }
  void lead() {
    source_.handler.on_synced();
    host_->start_controllers();
  }
  // In the cache, and told of.
  void add(const char* resource, const std::string& json) {
    const auto object = kube::Object::decode(json);
    ASSERT_TRUE(object.ok()) << object.status().message();
    cache_.objects[resource].push_back(*object);
    source_.handler.on_add(*object, true);
  }
  void add_machine(const std::string& name) {
    cloud_.machines[name] = "cloud://" + name;
    add("v1/nodes", R"({"metadata":{"name":")" + name + R"("},"spec":{"providerID":"cloud://)" +
                        name + R"("}})");
  }
  void add_service(const std::string& name, const std::string& id) {
    add("v1/services", R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":"uid-)" +
                           name + R"(","annotations":{"example.com/lb~id":")" + id + R"("}}})");
  }
  // From a thread of the provider's own, as a message bus would.
  void push(const ccm_hint& hint) {
    ccm_interface found{};
    ASSERT_TRUE(cloud_.host->get_interface(cloud_.host->self, CCM_HOST_HINT, &found));
    const auto* table = static_cast<const ccm_host_hint*>(found.table);
    std::thread bus([&] { table->changed(found.self, &hint); });
    bus.join();
  }
  static ccm_hint hint(int32_t kind) {
    auto made = sized<ccm_hint>();
    made.kind = kind;
    return made;
  }
  Keys reconciled_after(const ccm_hint& wanted) {
    timers_.advance(1s);
    tagger_.reconciled.clear();
    push(wanted);
    poll_until([&] { return !tagger_.reconciled.empty(); });
    settle();
    return tagger_.reconciled;
  }
  void settle() {
    for (int round = 0; round < 20; ++round) {
      loop_.run_for(1ms);
      timers_.advance(100ms);
    }
  }
};

TEST_F(HintsTest, R_121_AnInstancesHintReachesItsNodeAlone) {
  start();
  add_machine("n1");
  add_machine("n2");
  lead();
  poll_until([&] { return api_->patched.size() == 2; });
  const int listed = cloud_.listed;
  auto by_id = hint(CCM_HINT_INSTANCE);
  by_id.provider_id = c_str("cloud://n1");
  EXPECT_EQ(reconciled_after(by_id), Keys{"n1"});
  EXPECT_GT(cloud_.listed, listed) << "R-120: the cloud is asked before the host acts";
  auto by_name = hint(CCM_HINT_INSTANCE);
  by_name.name = c_str("n2");
  EXPECT_EQ(reconciled_after(by_name), Keys{"n2"});
  EXPECT_TRUE(wait(host_->stop(10s)).ok());
}

TEST_F(HintsTest, Issue37_AHintReachesANodeThatNamesItsInstanceByAnotherId) {
  start();
  add_machine("n1");
  cloud_.machines["n1"] = "cloud://zone/n1";
  cloud_.other_ids["n1"] = "cloud://n1";
  lead();
  poll_until([&] { return api_->patched.size() == 1; });
  auto by_id = hint(CCM_HINT_INSTANCE);
  by_id.provider_id = c_str("cloud://zone/n1");
  EXPECT_EQ(reconciled_after(by_id), Keys{"n1"});
  EXPECT_TRUE(wait(host_->stop(10s)).ok());
}

TEST_F(HintsTest, R_120_AWrongHintDoesNothing) {
  start();
  add_machine("n1");
  lead();
  poll_until([&] { return api_->patched.size() == 1; });
  tagger_.reconciled.clear();
  auto unknown = hint(CCM_HINT_INSTANCE);
  unknown.provider_id = c_str("cloud://gone");
  push(unknown);
  push(hint(CCM_HINT_INSTANCE));
  push(hint(CCM_HINT_LOAD_BALANCER));
  auto strange = hint(17);
  strange.name = c_str("n1");
  push(strange);
  settle();
  EXPECT_EQ(tagger_.reconciled, Keys{});
  EXPECT_TRUE(wait(host_->stop(10s)).ok());
}

TEST_F(HintsTest, R_121_ALoadBalancersHintReachesItsServiceAlone) {
  tagger_.resource = "v1/services";
  tagger_.idle = true;
  start();
  add_service("web", "lb-1");
  add_service("api", "lb-2");
  lead();
  settle();
  EXPECT_EQ(tagger_.reconciled.size(), 2U);
  auto by_uid = hint(CCM_HINT_LOAD_BALANCER);
  by_uid.uid = c_str("uid-web");
  EXPECT_EQ(reconciled_after(by_uid), Keys{"shop/web"});
  auto by_name = hint(CCM_HINT_LOAD_BALANCER);
  by_name.name = c_str("api");
  by_name.namespace_ = c_str("shop");
  EXPECT_EQ(reconciled_after(by_name), Keys{"shop/api"});
  auto by_id = hint(CCM_HINT_LOAD_BALANCER);
  by_id.id = c_str("lb-1");
  EXPECT_EQ(reconciled_after(by_id), Keys{"shop/web"}) << "by the annotation that it names";
  tagger_.reconciled.clear();
  auto another = by_name;
  another.namespace_ = c_str("other");
  push(another);
  settle();
  EXPECT_EQ(tagger_.reconciled, Keys{});
  EXPECT_TRUE(wait(host_->stop(10s)).ok());
}

TEST_F(HintsTest, R_121_OneForEarlierThanTheLeadWaits) {
  start();
  add_machine("n1");
  auto early = hint(CCM_HINT_INSTANCE);
  early.name = c_str("n1");
  push(early);
  settle();
  EXPECT_EQ(tagger_.reconciled, Keys{}) << "a standby acts on nothing";
  lead();
  poll_until([&] { return !tagger_.reconciled.empty(); });
  settle();
  EXPECT_EQ(tagger_.reconciled, Keys{"n1"});
  EXPECT_TRUE(wait(host_->stop(10s)).ok());
}

TEST_F(HintsTest, R_163_WhatAManifestReadsIsWatched) {
  plugin_files::LoadedPlugin plugin =
      loaded(&cloud_plugin_, plugin_files::ComponentKind::provider, "cloud", false);
  plugin.manifest.reads.push_back({"v1/configmaps", {"/data", "/metadata/labels"}});
  ASSERT_TRUE(wait(host_->create_provider(plugin, "cloud")).ok());
  const auto found = std::find_if(source_.specs.begin(), source_.specs.end(), [](const auto& spec) {
    return spec.resource == "v1/configmaps";
  });
  ASSERT_NE(found, source_.specs.end());
  EXPECT_EQ(found->fields, (std::vector<std::string>{"/data", "/metadata/labels"}));
  EXPECT_TRUE(wait(host_->stop(10s)).ok());
}

}  // namespace
}  // namespace ccm::plugin_host
