// Operations of load balancers and routes that the provider completes late or never
// (docs/decisions/0010).
#include "network_broker_fixture.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::cloud {
namespace {

const std::string kNotCompleted = "OperationNotCompleted";

class LostOperationTest : public NetworkBrokerTest {
 protected:
  // Begins `ensure` for the Service and lets its deadline pass.
  void give_one_up(const std::string& uid = "u-1") {
    plugin::Caught lost;
    ask(table().ensure, lost, uid);
    advance(61s);
    ASSERT_EQ(lost.status->code(), Code::deadline_exceeded);
  }
  // As give_one_up(), and its grace passes, too.
  void lose_one(const std::string& uid = "u-1") {
    give_one_up(uid);
    advance(5min);
  }
  std::string open() const {
    std::string text;
    for (const Open& one : open_) text += (text.empty() ? "" : " ") + one.operation;
    return text;
  }
  static kube::ObjectPtr deleted_service() {
    return object(R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}})");
  }
  void ask_removal(plugin::Caught& caught) {
    LoadBalancerService service = service_of("u-1", deleted_service());
    const detail::LoadBalancerServiceC raw(service);
    auto request = sized<ccm_load_balancer_request>();
    request.service = raw.get();
    table().remove(balancers_.get(), {}, &request, caught.completion());
    poll();
  }
  Status apply_status(std::vector<Route> removals, std::vector<Route> additions = {}) {
    auto status = std::make_shared<std::optional<Status>>();  // it may come after the return
    tasks_(
        routes_->apply({"c", std::move(removals), std::move(additions)}, component_->background()),
        [status](const Result<std::vector<Status>>& result) { *status = result.status(); });
    poll();
    return status->value_or(Status(Code::unknown, "it did not end"));
  }
  ccm_cloud_loadbalancers provider_ = full_table();
  ccm_cloud_routes route_provider_ = route_table();
};

TEST_F(LostOperationTest, WhileTheProviderIsNotDoneOthersComeBackLater) {
  start(&provider_);
  give_one_up();
  plugin::Caught second, other;
  ask(table().ensure, second);
  EXPECT_EQ(open(), "ensure");
  EXPECT_EQ(second.status->error_class(), ErrorClass::waiting);
  EXPECT_EQ(second.status->reason(), kNotCompleted);
  EXPECT_EQ(second.status->retry_after(), 1s);
  EXPECT_NE(second.status->message().find("began 1m1s ago"), std::string::npos);
  advance(2min);
  plugin::Caught third;
  ask(table().update_backends, third);
  EXPECT_EQ(third.status->retry_after(), 30s);
  ask(table().ensure, other, "u-2");
  EXPECT_EQ(open(), "ensure ensure");
  answer_active(1);
  EXPECT_TRUE(other.status->ok());
  answer_active(0);  // late
  plugin::Caught fourth;
  ask(table().ensure, fourth);
  EXPECT_EQ(open(), "ensure");
  answer_active(0);
  EXPECT_TRUE(fourth.status->ok());
  EXPECT_EQ(completions_.faults().late, 1u);
}

TEST_F(LostOperationTest, WhoWaitsForATurnIsToldWhenItsHolderIsGivenUp) {
  start(&provider_);
  plugin::Caught first, second;
  const auto context = component_->background()->child(10s);
  const plugin::KnownContext ctx(runtime_.contexts, plugin_number(), context);
  ask(table().ensure, first, "u-1", ctx.get());
  ask(table().ensure, second);
  EXPECT_FALSE(second.status);
  advance(11s);
  EXPECT_EQ(first.status->code(), Code::deadline_exceeded);
  EXPECT_EQ(second.status->reason(), kNotCompleted);
  answer_active(0);
  EXPECT_EQ(second.calls, 1);
}

TEST_F(LostOperationTest, WhoseTimeIsOverDoesNotWaitForATurnThatNeverEnds) {
  start(nullptr, &route_provider_);
  const auto begin = [this](std::optional<Status>& status,
                            const std::shared_ptr<plugin::Context>& context) {
    tasks_(routes_->apply({"c", {}, {route(1)}}, context),
           [&status](const Result<std::vector<Status>>& result) { status = result.status(); });
    poll();
  };
  std::optional<Status> first, second, third;
  begin(first, component_->background());
  begin(second, component_->background()->child(10s));
  advance(11s);
  begin(third, component_->background());
  poll();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->code(), Code::deadline_exceeded);
  EXPECT_FALSE(first || third);
  advance(30min);
  EXPECT_TRUE(first && third) << "each operation has its end, and lets go of the component";
}

// A controller may end at any moment, and its coroutines with it.
TEST_F(LostOperationTest, WhoIsDestroyedGivesItsTurnBackOrHasAbandonedIt) {
  start(nullptr, &route_provider_);
  const auto begin = [this](Tasks& tasks, int number) {
    tasks(routes_->apply({"c", {}, {route(number)}}, component_->background()),
          [](const Result<std::vector<Status>>&) { FAIL(); });
  };
  std::optional<Tasks> first, second, third;
  begin(first.emplace(), 1);
  begin(second.emplace(), 2);
  begin(third.emplace(), 3);
  ASSERT_EQ(open_.size(), 1u);
  second.reset();  // before its turn
  const std::vector<Status> fine(1);
  const detail::RouteResultsC raw(fine);
  const Open running = open_.front();
  open_.clear();
  plugin::complete(running.done, {}, raw.get());
  first.reset();  // its answer is posted
  poll();
  ASSERT_EQ(open_.size(), 1u);
  EXPECT_EQ(open_[0].seen, "+10.0.3.0/24");
  third.reset();  // while the provider works, which does not complete it
  poll();
  EXPECT_EQ(apply_status({}, {route(4)}).reason(), kNotCompleted);
  answer(0, {}, raw.get());
  EXPECT_EQ(apply({}, {route(4)}), std::vector<std::string>{""});
}

TEST_F(LostOperationTest, WhoIsDestroyedWithATurnThatItHasNotBegunGivesItBack) {
  start(nullptr, &route_provider_);
  KeyLocks locks(loop_, timers_, "test");
  const auto take = [&](Tasks& tasks, std::optional<KeyLocks::Lock>& lock) {
    tasks(locks.take("key", component_->background()),
          [&](Result<KeyLocks::Lock> taken) { lock.emplace(*std::move(taken)); });
  };
  std::optional<Tasks> next;
  std::optional<KeyLocks::Lock> held, never, last;
  take(tasks_, held);
  take(next.emplace(), never);
  take(tasks_, last);
  ASSERT_TRUE(held);
  held.reset();
  next.reset();  // its lock is posted
  EXPECT_FALSE(last);
  poll();
  EXPECT_FALSE(never);
  EXPECT_TRUE(last);
}

TEST_F(LostOperationTest, ADeadlineOfTheProvidersOwnLosesNothing) {
  start(&provider_);
  plugin::Caught first, second;
  ask(table().ensure, first);
  ask(table().ensure, second);
  answer(0, Status(Code::deadline_exceeded, "the cloud did not answer"));
  EXPECT_EQ(first.status->code(), Code::deadline_exceeded);
  EXPECT_EQ(open(), "ensure");
  answer_active(0);
  EXPECT_TRUE(second.status->ok());
}

TEST_F(LostOperationTest, AfterTheGraceTheCloudIsObservedBeforeItIsChanged) {
  start(&provider_);
  lose_one();
  plugin::Caught next;
  ask(table().ensure, next);
  ASSERT_EQ(open(), "ensure observe");
  answer(1, Status(Code::unavailable, "cut"));
  EXPECT_EQ(next.status->code(), Code::unavailable);
  EXPECT_NE(next.status->message().find("not known"), std::string::npos);
  plugin::Caught again;
  ask(table().update_backends, again);
  ASSERT_EQ(open(), "ensure observe");
  answer_active(1);
  ASSERT_EQ(open(), "ensure update");
  answer_active(1);
  EXPECT_TRUE(again.status->ok());
  plugin::Caught known;
  ask(table().ensure, known);
  EXPECT_EQ(open(), "ensure ensure");
  answer_active(1);
  answer_active(0);
}

TEST_F(LostOperationTest, AnObserveThatIsLostTooIsFollowedByAnother) {
  start(&provider_);
  lose_one();
  plugin::Caught looking;
  ask(table().ensure, looking);
  ASSERT_EQ(open(), "ensure observe");
  advance(61s);
  EXPECT_EQ(looking.status->code(), Code::deadline_exceeded);
  plugin::Caught refused, next;
  ask(table().ensure, refused);
  EXPECT_EQ(refused.status->reason(), kNotCompleted);
  advance(5min);
  ask(table().ensure, next);
  EXPECT_EQ(open(), "ensure observe observe");
  while (!open_.empty()) answer_active(0);
  EXPECT_TRUE(next.status->ok());
}

TEST_F(LostOperationTest, ALateCompletionIsIgnoredAndWhatItDidIsObserved) {
  start(&provider_);
  lose_one();
  plugin::Caught next, later;
  ask(table().ensure, next);
  answer_active(1);
  answer_active(1);
  EXPECT_TRUE(next.status->ok());
  answer_active(0);
  EXPECT_EQ(next.calls, 1);
  EXPECT_EQ(open(), "");
  ask(table().ensure, later);
  EXPECT_EQ(open(), "observe");
  answer_active(0);
  answer_active(0);
  EXPECT_TRUE(later.status->ok());
}

TEST_F(LostOperationTest, AProviderWithoutObserveLooksByItself) {
  provider_.observe = nullptr;
  start(&provider_);
  lose_one();
  plugin::Caught next;
  ask(table().ensure, next);
  EXPECT_EQ(open(), "ensure ensure");
  answer_active(1);
  EXPECT_TRUE(next.status->ok());
  answer_active(0);
}

TEST_F(LostOperationTest, WhatALostCreationMadeIsDeletedThoughItsServiceIsGone) {
  start(&provider_);
  lose_one();
  plugin::Caught removal;
  ask_removal(removal);
  ASSERT_EQ(open(), "ensure remove");
  answer(1);
  EXPECT_TRUE(removal.status->ok());
  answer_active(0);  // the creation, after all
  ASSERT_EQ(open(), "remove");
  answer(0, Status(Code::unavailable, "cut"));
  EXPECT_EQ(open(), "");
  advance(1min);
  ASSERT_EQ(open(), "remove");
  answer(0);
  advance(10min);
  EXPECT_EQ(open(), "");
  EXPECT_EQ(removal.calls, 1);
}

TEST_F(LostOperationTest, OnlyACertainAnswerProvesThatItIsGone) {
  start(&provider_);
  lose_one();
  plugin::Caught removal;
  ask_removal(removal);
  answer(1);
  answer_active(0);  // the creation, after all
  ASSERT_EQ(open(), "remove");
  answer(0, Status(Code::not_found, "404 page not found"));
  advance(1min);
  ASSERT_EQ(open(), "remove");
  answer(0, Status(Code::not_found, ErrorClass::not_found, "it does not exist"));
  advance(10min);
  EXPECT_EQ(open(), "");
}

TEST_F(LostOperationTest, WhatIsWantedAgainIsNotDeletedByALateCompletion) {
  start(&provider_);
  lose_one();
  plugin::Caught removal, wanted;
  ask_removal(removal);
  answer(1);
  ask(table().ensure, wanted);
  EXPECT_EQ(open(), "ensure ensure");  // the removal has shown that nothing is there
  answer_active(1);
  EXPECT_TRUE(wanted.status->ok());
  answer_active(0);
  EXPECT_EQ(open(), "");
}

TEST_F(LostOperationTest, AProviderThatCompletesNothingDoesNotFillTheMemory) {
  start(&provider_);
  std::vector<plugin::Caught> lost(101);
  for (std::size_t i = 0; i < lost.size(); ++i) {
    ask(table().update_backends, lost[i], "u-" + std::to_string(i));  // no limit of changes
  }
  ASSERT_EQ(open_.size(), lost.size());
  advance(61s);
  advance(5min);
  std::size_t free = 0;
  for (std::size_t i = 0; i < lost.size(); ++i) {
    plugin::Caught next;
    ask(table().observe, next, "u-" + std::to_string(i));
    if (open_.size() == lost.size()) continue;
    ++free;
    answer_active(lost.size());
  }
  EXPECT_EQ(free, 100u);
  answer_active(0);
  advance(5min);
  while (!open_.empty()) answer_active(0);
}

TEST_F(LostOperationTest, RoutesAreListedBeforeTheyAreChangedAgain) {
  start(nullptr, &route_provider_);
  list(routes(0, 4));
  Status lost;
  tasks_(routes_->apply({"c", {route(1)}, {}}, component_->background()),
         [&](const Result<std::vector<Status>>& result) { lost = result.status(); });
  advance(121s);
  EXPECT_EQ(lost.code(), Code::deadline_exceeded);
  EXPECT_EQ(apply_status({route(1)}).reason(), kNotCompleted);
  advance(5min);
  const Status unlisted = apply_status({}, {route(7)});
  EXPECT_EQ(unlisted.reason(), kNotCompleted);
  EXPECT_EQ(unlisted.error_class(), ErrorClass::waiting);
  EXPECT_EQ(open(), "apply");
  std::optional<bool> listed;
  tasks_(routes_->list("c", component_->background()),
         [&](const Result<std::vector<Route>>& result) { listed = result.ok(); });
  const std::vector<Route> no_routes;
  const detail::RoutesC none(no_routes);
  answer(1, {}, none.list());
  EXPECT_EQ(listed, true);
  EXPECT_EQ(apply_status({}, {route(7)}).code(), Code::unknown);  // it is on its way
  ASSERT_EQ(open(), "apply apply");
  const std::vector<Status> fine(1);
  const detail::RouteResultsC raw(fine);
  answer(1, {}, raw.get());
  answer(0, {}, raw.get());  // late
  EXPECT_EQ(apply_status({}, {route(8)}).reason(), kNotCompleted);
  list(routes(7, 1));
  EXPECT_EQ(apply({}, {route(8)}), std::vector<std::string>{""});
}

TEST_F(LostOperationTest, AListingThatBeganBeforeProvesNothing) {
  start(nullptr, &route_provider_);
  Status lost;
  tasks_(routes_->apply({"c", {}, {route(1)}}, component_->background()),
         [&](const Result<std::vector<Status>>& result) { lost = result.status(); });
  advance(121s);
  advance(4min + 30s);
  std::optional<bool> listed;
  tasks_(routes_->list("c", component_->background()),
         [&](const Result<std::vector<Route>>& result) { listed = result.ok(); });
  advance(40s);
  ASSERT_EQ(open(), "apply list");
  const std::vector<Route> old = routes(0, 4);
  const detail::RoutesC raw(old);
  answer(1, {}, raw.list());
  EXPECT_EQ(listed, true);
  EXPECT_EQ(apply_status({}, {route(7)}).reason(), kNotCompleted);
  answer(0, Status(Code::unavailable, "at last"));
}

}  // namespace
}  // namespace ccm::cloud
