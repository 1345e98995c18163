// The fake host itself: a test double that breaks the rules would let broken plugins pass.
#include <ccm/kube.hpp>
#include <ccm/scope.hpp>
#include <ccm/testing/fake_component.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm::testing {
namespace {

// A completion that a test can look at.
struct Seen {
  int count = 0;
  Status status;
  std::string text;
  static void fn(void* owner, uint64_t, const ccm_status* status, const void* result) {
    auto& seen = *static_cast<Seen*>(owner);
    ++seen.count;
    seen.status = Status::from_c(status);
    if (result != nullptr) seen.text = view(static_cast<const ccm_http_response*>(result)->body);
  }
  ccm_completion completion() { return {&Seen::fn, this, 9}; }
};

void send(FakeHost& host, Seen& seen, const Ctx& ctx, const std::string& url) {
  ccm_http_request request{};
  request.size = sizeof(request);
  request.method = c_str("GET");
  request.url = c_str(url);
  host.http.table()->send(host.http.shared(), ctx.get(), &request, seen.completion());
}

TEST(FakeHttp, NeverCompletesInsideTheCall) {
  FakeHost host;
  Seen seen;
  host.http.expect("GET", "u").answer(200, "body");
  send(host, seen, host.contexts.make(), "u");
  EXPECT_EQ(seen.count, 0);
  host.loop.run();
  EXPECT_EQ(seen.count, 1);
  EXPECT_EQ(seen.text, "body");
  host.loop.advance(std::chrono::minutes(5));
  EXPECT_EQ(seen.count, 1);
}

TEST(FakeHttp, ADelayTakesFakeTime) {
  FakeHost host;
  Seen seen;
  host.http.expect("GET", "u").answer(200, "").after(std::chrono::seconds(2));
  send(host, seen, host.contexts.make(), "u");
  host.loop.advance(std::chrono::milliseconds(1'999));
  EXPECT_EQ(seen.count, 0);
  host.loop.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(seen.count, 1);
}

TEST(FakeHttp, HangingEndsAtTheTimeLimitOrWithTheCtx) {
  FakeHost host;
  host.http.expect("GET", "u").hang().times(2);
  Seen limited;
  send(host, limited, host.contexts.make(), "u");
  Seen bounded;
  const Ctx ctx = host.contexts.make(std::chrono::seconds(5));
  send(host, bounded, ctx, "u");
  host.loop.advance(std::chrono::seconds(5));
  EXPECT_EQ(bounded.status.code(), Code::deadline_exceeded);
  EXPECT_EQ(limited.count, 0);
  host.loop.advance(std::chrono::seconds(25));
  EXPECT_EQ(limited.status.code(), Code::deadline_exceeded);
  EXPECT_EQ(bounded.count, 1);
}

TEST(FakeHttp, ListsWhatWasNotExpectedAndWhatDidNotCome) {
  FakeHost host;
  host.http.expect("GET", "wanted").answer(200, "");
  Seen seen;
  send(host, seen, host.contexts.make(), "other");
  host.loop.run();
  EXPECT_EQ(seen.status.code(), Code::unavailable);
  EXPECT_EQ(host.http.unexpected(), std::vector<std::string>{"GET other"});
  EXPECT_EQ(host.http.unmet(), std::vector<std::string>{"GET wanted"});
}

TEST(FakeContexts, ChildrenEndWithTheirParent) {
  FakeHost host;
  const Ctx parent = host.contexts.make();
  const Ctx child = parent.with_timeout(std::chrono::seconds(10));
  EXPECT_EQ(child.remaining(), std::chrono::seconds(10));
  EXPECT_EQ(parent.remaining(), std::chrono::milliseconds(INT64_MAX));
  int called = 0;
  EXPECT_NE(child.on_end({[](void* owner) { ++*static_cast<int*>(owner); }, nullptr, &called}), 0U);
  host.contexts.cancel(parent);
  EXPECT_TRUE(child.cancelled());
  host.loop.run();
  EXPECT_EQ(called, 1);
  EXPECT_EQ(child.status().code(), Code::cancelled);
}

TEST(FakeContexts, CallsBackForOneThatHasEnded) {
  FakeHost host;
  const Ctx ctx = host.contexts.make(std::chrono::seconds(1));
  host.loop.advance(std::chrono::seconds(2));
  EXPECT_EQ(ctx.status().code(), Code::deadline_exceeded);
  int called = 0;
  const auto add = [](void* owner) { ++*static_cast<int*>(owner); };
  EXPECT_NE(ctx.on_end({add, nullptr, &called}), 0U);
  const uint64_t removed = ctx.on_end({add, nullptr, &called});
  ctx.remove_on_end(removed);
  host.loop.run();
  EXPECT_EQ(called, 1);
}

// Drives the fake API server as a plugin would.
class FakeKubeTest : public ::testing::Test {
 protected:
  Result<Object> patch(const std::string& body, const std::string& subresource = {}) {
    return finish(kube.patch(host.contexts.make(),
                             {{"v1/nodes", "n1", "", subresource}, PatchType::merge, body}));
  }
  template <typename Call>
  typename Call::Output finish(Operation<Call> operation) {
    Scope scope;
    std::optional<typename Call::Output> outcome;
    scope.start(wait(&operation), [&](auto value) { outcome.emplace(std::move(value)); });
    EXPECT_FALSE(outcome.has_value());
    host.loop.run();
    return std::move(*outcome);
  }
  template <typename Call>
  static Task<typename Call::Output> wait(Operation<Call>* operation) {
    auto outcome = co_await *operation;
    co_return outcome;
  }

  FakeHost host;
  Kube kube{Service<ccm_host_kube>::find(host.abi(), CCM_HOST_KUBE), host.objects.service()};
};

TEST_F(FakeKubeTest, PatchesMergeAndRaiseTheVersion) {
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}, "spec": {"a": 1, "b": 2}})");
  const auto before = finish(kube.get(host.contexts.make(), {"v1/nodes", "n1", "", ""}));
  const auto after = patch(R"({"spec": {"a": null, "c": 3}})");
  ASSERT_TRUE(after.ok());
  EXPECT_FALSE(after->at("/spec/a").exists());
  EXPECT_EQ(after->text("/spec/b"), "2");
  EXPECT_EQ(after->text("/spec/c"), "3");
  EXPECT_NE(after->resource_version(), before->resource_version());
  EXPECT_EQ(patch(R"({"spec": {"c": 3}})")->resource_version(), after->resource_version());
}

TEST_F(FakeKubeTest, SubresourcesWriteOnlyTheirPart) {
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}, "spec": {"a": 1}})");
  const auto status = patch(R"({"spec": {"a": 2}, "status": {"s": 1}})", "status");
  EXPECT_EQ(status->text("/spec/a"), "1");
  EXPECT_EQ(status->text("/status/s"), "1");
  EXPECT_EQ(patch(R"({"status": {"s": 2}})")->text("/status/s"), "1");
}

TEST_F(FakeKubeTest, StrategicPatchesMergeFinalizersAndConditions) {
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1", "finalizers": ["a"]},
      "status": {"conditions": [{"type": "A", "status": "True"}, {"type": "B", "x": "1"}]}})");
  const auto strategic = [this](const std::string& body) {
    return finish(kube.patch(host.contexts.make(),
                             {{"v1/nodes", "n1", "", "status"}, PatchType::strategic, body}));
  };
  const auto added = strategic(R"({"metadata": {"finalizers": ["b"]},
      "status": {"conditions": [{"type": "B", "y": "2"}, {"type": "A", "$patch": "delete"}]}})");
  EXPECT_EQ(added->text("/metadata/finalizers/0"), "a");
  EXPECT_EQ(added->text("/metadata/finalizers/1"), "b");
  EXPECT_EQ(added->text("/status/conditions/0/type"), "B");
  EXPECT_EQ(added->text("/status/conditions/0/x"), "1");
  EXPECT_EQ(added->text("/status/conditions/0/y"), "2");
  EXPECT_FALSE(added->at("/status/conditions/1").exists());
  const auto removed = strategic(R"({"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}})");
  EXPECT_EQ(removed->text("/metadata/finalizers/0"), "b");
  EXPECT_FALSE(removed->at("/metadata/finalizers/1").exists());
}

TEST_F(FakeKubeTest, TheLastFinalizerHoldsADeletedObject) {
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1", "finalizers": ["a"],
      "deletionTimestamp": "2026-01-01T00:00:00Z"}})");
  const auto added = patch(R"({"metadata": {"finalizers": ["a", "b"]}})");
  EXPECT_EQ(added.status().error_class(), ErrorClass::invalid_spec);
  EXPECT_TRUE(patch(R"({"metadata": {"finalizers": null}})").ok());
  EXPECT_EQ(host.kube.stored("v1/nodes", "n1"), "");
}

TEST_F(FakeKubeTest, PreconditionsConflict) {
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}})");
  const auto stale = patch(R"({"metadata": {"resourceVersion": "1"}, "spec": {"a": 1}})");
  EXPECT_EQ(stale.status().error_class(), ErrorClass::conflict);
  EXPECT_EQ(finish(kube.remove(host.contexts.make(), {{"v1/nodes", "n1", "", ""}, "other", ""}))
                .error_class(),
            ErrorClass::conflict);
  EXPECT_TRUE(finish(kube.remove(host.contexts.make(), {{"v1/nodes", "n1", "", ""}, "", ""})).ok());
  EXPECT_EQ(patch("{}").status().error_class(), ErrorClass::not_found);
}

TEST_F(FakeKubeTest, FaultsMayOrMayNotHappen) {
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}})");
  const Status down(Code::unavailable, ErrorClass::unavailable, "down");
  host.kube.fail_next("patch", "v1/nodes", down);
  EXPECT_FALSE(patch(R"({"spec": {"a": 1}})").ok());
  EXPECT_EQ(host.kube.stored("v1/nodes", "n1").find("spec"), std::string::npos);
  host.kube.lose_answer("patch", "v1/nodes", down);
  EXPECT_FALSE(patch(R"({"spec": {"a": 1}})").ok());
  EXPECT_NE(host.kube.stored("v1/nodes", "n1").find("spec"), std::string::npos);
  EXPECT_EQ(host.kube.calls("patch").size(), 2U);
}

TEST_F(FakeKubeTest, TheCacheKeepsDeclaredFieldsAndTellsOfChanges) {
  std::vector<std::string> events;
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}, "spec": {"a": 1, "b": 1}})");
  host.kube.watch("v1/nodes", {"/spec/a"}, [&](int32_t kind, const Object& old, const Object& now) {
    events.push_back(std::to_string(kind) + (old.same(now) ? "=" : "") +
                     std::string(now.text("/spec/a")));
    EXPECT_FALSE(now.at("/spec/b").exists());
  });
  host.loop.run();
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}, "spec": {"a": 1, "b": 2}})");
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}, "spec": {"a": 2, "b": 2}})");
  host.kube.set_cache_follows(false);
  host.kube.remove("v1/nodes", "n1");
  host.loop.run();
  EXPECT_EQ(events, (std::vector<std::string>{"11", "2=1", "22"}));
  EXPECT_TRUE(kube.cached("v1/nodes", "n1"));
  host.kube.catch_up();
  host.loop.run();
  EXPECT_EQ(events.back(), "32");
  EXPECT_FALSE(kube.cached("v1/nodes", "n1"));
}

// Components that break the rules of the ABI, in plain C style.
struct Rogue {
  static ccm_completion kept;
  static void complete_twice(void*, ccm_ctx, const ccm_initialize_request*, ccm_completion done) {
    const ccm_status ok = Status().to_c();
    done.fn(done.owner, done.operation, &ok, nullptr);
    done.fn(done.owner, done.operation, &ok, nullptr);
  }
  static void complete_never(void*, ccm_ctx, const ccm_shutdown_request*, ccm_completion) {}
  static ccm_bool get_interface(void*, const char* id, ccm_interface* out) {
    static const ccm_provider table = [] {
      auto slots = sized<ccm_provider>();
      slots.initialize = &complete_twice;
      slots.shutdown = &complete_never;
      return slots;
    }();
    if (std::string_view(id) != CCM_PROVIDER) return 0;
    *out = {nullptr, &table};
    return 1;
  }
  static void create(void*, ccm_ctx, const ccm_create_request*, ccm_completion done) {
    auto component = sized<ccm_component>();
    component.get_interface = &get_interface;
    component.destroy = [](void*) {};
    const ccm_status ok = Status().to_c();
    done.fn(done.owner, done.operation, &ok, &component);
  }
  static const ccm_plugin* plugin() {
    static const ccm_plugin plugin = [] {
      auto made = sized<ccm_plugin>();
      made.manifest = c_str(R"({"nonblocking": true})");
      made.create = &create;
      return made;
    }();
    return &plugin;
  }
};

TEST(FakeComponent, ADoubleCompletionIsAFault) {
  FakeHost host;
  FakeComponent component(host, Rogue::plugin(), "x");
  EXPECT_TRUE(component.initialize().ok());
  EXPECT_EQ(host.faults(), std::vector<std::string>{"initialize completed more than once"});
}

TEST(FakeComponent, AMissingCompletionIsNoticed) {
  FakeHost host;
  FakeComponent component(host, Rogue::plugin(), "x");
  EXPECT_EQ(component.shutdown().message(), "the operation never completed");
}

}  // namespace
}  // namespace ccm::testing
