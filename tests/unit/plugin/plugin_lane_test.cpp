// maxParallel holds for a plugin with all its components, and for no other plugin.
#include "test_runtime.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace ccm::plugin {
namespace {

class PluginLaneTest : public PluginHostTest {
 protected:
  PluginLaneTest() {
    plugin_.on_create = [this](const ccm_host*, ccm_completion done) {
      plugin_.complete_create(done);
    };
  }
  ~PluginLaneTest() override {
    release();
    poll_until([&] { return ended_ == begun_; });
    for (const auto& component : components_) component->destroy(10s, [](const Status&) {});
    poll_until([&] { return plugin_.destroyed == static_cast<int>(components_.size()); });
    EXPECT_EQ(plugin_.destroyed, static_cast<int>(components_.size()));
  }
  LiveComponent& component(const std::string& plugin, const std::string& name,
                           std::size_t max_parallel) {
    ComponentIdentity identity;
    identity.plugin_id = plugin;
    identity.name = name;
    identity.max_parallel = max_parallel;
    components_.push_back(std::make_shared<LiveComponent>(runtime_, identity));
    components_.back()->create(plugin_.plugin, nullptr, nullptr,
                               [](const Status& status) { EXPECT_TRUE(status.ok()); });
    poll();
    return *components_.back();
  }
  // An operation that blocks until release().
  void block_in(LiveComponent& component) {
    ++begun_;
    auto invoke = [this](ccm_ctx, ccm_completion done) {
      std::unique_lock lock(mutex_);
      most_ = std::max(most_, ++within_);
      changed_.notify_all();
      changed_.wait(lock, [&] { return released_; });
      --within_;
      lock.unlock();
      complete(done);
    };
    component.call<Nothing>("test", nullptr, 60s, {}, std::move(invoke), copy_nothing,
                            [this](const Result<Nothing>& result) {
                              EXPECT_TRUE(result.ok());
                              ++ended_;
                            });
  }
  // How many are within the plugins once nothing moves any more.
  int within(int expected) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 10s, [&] { return within_ >= expected; });
    changed_.wait_for(lock, 50ms, [&] { return within_ > expected; });
    return within_;
  }
  void release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  int most() {
    const std::lock_guard lock(mutex_);
    return most_;
  }

  std::vector<std::shared_ptr<LiveComponent>> components_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = false;
  int within_ = 0;
  int most_ = 0;
  int begun_ = 0;
  int ended_ = 0;
};

TEST_F(PluginLaneTest, R_14_TwoComponentsOfOnePluginShareItsThreads) {
  LiveComponent& provider = component("cloud", "provider", 2);
  LiveComponent& controller = component("cloud", "controller", 2);
  for (int round = 0; round < 3; ++round) {
    block_in(provider);
    block_in(controller);
  }
  EXPECT_EQ(within(2), 2);
  release();
  poll_until([&] { return ended_ == 6; });
  EXPECT_EQ(ended_, 6);
  EXPECT_EQ(most(), 2);
}

TEST_F(PluginLaneTest, R_14_WithOneThreadComponentsTakeTurns) {
  LiveComponent& provider = component("cloud", "provider", 1);
  LiveComponent& controller = component("cloud", "controller", 1);
  block_in(provider);
  block_in(controller);
  EXPECT_EQ(within(1), 1);
  release();
  poll_until([&] { return ended_ == 2; });
  EXPECT_EQ(ended_, 2);
  EXPECT_EQ(most(), 1);
}

TEST_F(PluginLaneTest, R_14_AnotherPluginHasThreadsOfItsOwn) {
  LiveComponent& cloud = component("cloud", "provider", 1);
  LiveComponent& other = component("other", "controller", 1);
  block_in(cloud);
  block_in(cloud);
  block_in(other);
  EXPECT_EQ(within(2), 2) << "one of each, though the first plugin is full";
}

}  // namespace
}  // namespace ccm::plugin
