// Two plugins whose components share state by open and close, in the real host: the order of their
// lives, and what becomes of the state when a component cannot be destroyed.
#include "whole_host_fixture.hpp"

#include <algorithm>

namespace ccm::plugin_host {
namespace {

using Steps = std::vector<std::string>;

// One plugin of two: its functions have no owner that would tell them apart.
template <int Number>
struct Family {
  struct Member {
    std::string name;
  };
  static inline Steps* steps = nullptr;
  static inline int state = 0;
  static inline std::string never;  // the component, or "open", that does not complete
  static inline std::string fails;  // that completes with a failure

  static void note(const std::string& step) {
    steps->push_back(step + " " + std::to_string(Number));
  }
  static Status outcome(const std::string& name) {
    return name == fails ? Status(Code::unavailable, "not today") : Status();
  }
  static void open(void* self, ccm_ctx, const ccm_open_request* request, ccm_completion done) {
    EXPECT_EQ(self, nullptr);
    EXPECT_NE(request->host, nullptr);
    note("open");
    auto opened = sized<ccm_opened>();
    opened.self = &state;
    if (never != "open") complete(done, outcome("open"), &opened);
  }
  static void close(void* self) {
    EXPECT_EQ(self, &state);
    note("close");
  }
  static void create(void* self, ccm_ctx, const ccm_create_request* request, ccm_completion done) {
    EXPECT_EQ(self, &state) << "what open of the same plugin gave";
    const std::string name(view(request->component));
    note("create " + name);
    if (name == never) return;
    if (name == fails) return complete(done, outcome(name));
    auto component = sized<ccm_component>();
    component.self = new Member{name};
    component.get_interface = &get_interface;
    component.destroy = [](void* given) {
      const std::unique_ptr<Member> member(static_cast<Member*>(given));
      note("destroy " + member->name);
    };
    complete(done, {}, &component);
  }
  static ccm_bool get_interface(void*, const char* id, ccm_interface* out) {
    static const ccm_provider provider = [] {
      auto table = sized<ccm_provider>();
      table.initialize = [](void*, ccm_ctx, const ccm_initialize_request*, ccm_completion done) {
        if (never != "initialize") complete(done);
      };
      return table;
    }();
    if (std::string_view(id) != CCM_PROVIDER) return 0;
    *out = {nullptr, &provider};
    return 1;
  }
  static plugin_files::LoadedPlugin plugin() {
    static const ccm_plugin entry{sizeof(ccm_plugin), 0, {}, &open, &create, &close};
    plugin_files::LoadedPlugin made =
        loaded(&entry, plugin_files::ComponentKind::provider, "cloud", true);
    made.manifest.id = "test.family" + std::to_string(Number);
    for (const char* name : {"one", "two"}) {
      plugin_files::Component controller;
      controller.kind = plugin_files::ComponentKind::controller;
      controller.name = controller.client_name = name + std::to_string(Number);
      made.manifest.components.push_back(controller);
    }
    return made;
  }
};

class SharedStateTest : public WholeHostTest {
 protected:
  SharedStateTest() {
    Family<1>::steps = Family<2>::steps = &steps_;
    for (std::string* fault : {&Family<1>::never, &Family<2>::never, &Family<1>::fails}) {
      fault->clear();
    }
  }
  Status passing(awaitable<Status> call) {
    std::optional<Status> out;
    begin(std::move(call), out);
    const auto limit = std::chrono::steady_clock::now() + 10s;
    while (!out && std::chrono::steady_clock::now() < limit) {
      loop_.run_for(1ms);
      timers_.advance(100ms);
    }
    return out.value_or(Status(Code::unknown, "did not end"));
  }
  Status create(const plugin_files::LoadedPlugin& plugin, const std::string& name) {
    if (name == "cloud") return passing(host_->create_provider(plugin, name));
    return passing(host_->create_controller(plugin, name));
  }
  std::ptrdiff_t place(const std::string& step) {
    EXPECT_EQ(std::count(steps_.begin(), steps_.end(), step), 1) << step;
    return std::find(steps_.begin(), steps_.end(), step) - steps_.begin();
  }
  bool happened(const std::string& step) {
    return std::find(steps_.begin(), steps_.end(), step) != steps_.end();
  }
  Steps steps_;
};

TEST_F(SharedStateTest, R_50_EachPluginIsOpenedOnceBeforeAndClosedAfterAllItsComponents) {
  ASSERT_TRUE(create(Family<1>::plugin(), "cloud").ok());
  ASSERT_TRUE(create(Family<2>::plugin(), "one2").ok());
  ASSERT_TRUE(create(Family<1>::plugin(), "one1").ok());
  ASSERT_TRUE(create(Family<1>::plugin(), "two1").ok());
  EXPECT_EQ(steps_, (Steps{"open 1", "create cloud 1", "open 2", "create one2 2", "create one1 1",
                           "create two1 1"}));
  ASSERT_TRUE(passing(host_->start_provider()).ok());
  EXPECT_TRUE(passing(host_->stop(1s)).ok());
  EXPECT_EQ(steps_.size(), 12U);
  for (const char* controller : {"destroy one1 1", "destroy two1 1", "destroy one2 2"}) {
    EXPECT_LT(place(controller), place("destroy cloud 1")) << controller;
  }
  EXPECT_LT(place("destroy cloud 1"), place("close 1"));
  EXPECT_LT(place("destroy one2 2"), place("close 2"));
}

TEST_F(SharedStateTest, R_54_APluginWithAComponentThatIsNotDestroyedStaysOpenAndOthersDoNot) {
  Family<1>::never = "initialize";
  ASSERT_TRUE(create(Family<1>::plugin(), "cloud").ok());
  ASSERT_TRUE(create(Family<1>::plugin(), "one1").ok());
  ASSERT_TRUE(create(Family<2>::plugin(), "one2").ok());
  std::optional<Status> started;
  begin(host_->start_provider(), started);
  loop_.run_for(10ms);
  EXPECT_FALSE(started);
  EXPECT_EQ(passing(host_->stop(1s)).code(), Code::failed_precondition);
  EXPECT_TRUE(happened("destroy one1 1"));
  EXPECT_FALSE(happened("destroy cloud 1"));
  EXPECT_FALSE(happened("close 1"));
  EXPECT_TRUE(happened("close 2"));
  poll_until([&] { return started.has_value(); });
  EXPECT_FALSE(started.value_or(Status()).ok());
}

TEST_F(SharedStateTest, R_54_APluginWhoseCreateNeverCompletedStaysOpen) {
  Family<1>::never = "two1";
  ASSERT_TRUE(create(Family<1>::plugin(), "one1").ok());
  EXPECT_EQ(create(Family<1>::plugin(), "two1").code(), Code::deadline_exceeded);
  EXPECT_TRUE(passing(host_->stop(1s)).ok());
  EXPECT_TRUE(happened("destroy one1 1"));
  EXPECT_FALSE(happened("close 1")) << "its create may still use what open made";
}

TEST_F(SharedStateTest, APluginWhoseCreateFailedIsClosed) {
  Family<1>::fails = "two1";
  ASSERT_TRUE(create(Family<1>::plugin(), "one1").ok());
  EXPECT_EQ(create(Family<1>::plugin(), "two1").message(), "not today");
  EXPECT_TRUE(passing(host_->stop(1s)).ok());
  EXPECT_LT(place("destroy one1 1"), place("close 1"));
}

TEST_F(SharedStateTest, R_50_WithoutOpenThereIsNoComponentAndNothingToClose) {
  Family<1>::fails = "open";
  EXPECT_EQ(create(Family<1>::plugin(), "one1").message(), "not today");
  Family<2>::never = "open";
  EXPECT_EQ(create(Family<2>::plugin(), "one2").code(), Code::deadline_exceeded);
  EXPECT_TRUE(passing(host_->stop(1s)).ok());
  EXPECT_EQ(steps_, (Steps{"open 1", "open 2"}));
}

}  // namespace
}  // namespace ccm::plugin_host
