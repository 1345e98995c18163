// The broker of instances on a provider and a clock that the test plays.
#pragma once

#include "../../support/start_task.hpp"
#include "../plugin/test_runtime.hpp"
#include "cloud/broker/instances_broker.hpp"
#include "instances_provider.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::cloud {

using namespace std::chrono_literals;

// Keeps each call open until the test ends it.
class ScriptedSource final : public InstancesProvider {
 public:
  void list(ccm_ctx ctx, Call call) override {
    ++listed;
    note(ctx);
    lists.push_back(call);
  }
  void describe(ccm_ctx ctx, std::size_t count, Call call) override {
    described.push_back(count);
    note(ctx);
    describes.push_back(call);
  }
  void get(ccm_ctx ctx, Asked asked, Call call) override {
    got.push_back(asked.name);
    note(ctx);
    gets.push_back(call);
  }

  // `result`: the machines, or a failure.
  template <typename Result>
  void end(std::deque<Call>& calls, const Result& result) {
    ASSERT_FALSE(calls.empty()) << "no such call runs";
    const Call call = calls.front();
    calls.pop_front();
    call.end(result);
    component->runtime().loop.poll();
  }
  void end_list(const std::vector<Machine>& machines) { end(lists, machines); }
  void end_get(const Machine& machine) { end(gets, std::vector<Machine>{machine}); }

  std::shared_ptr<InstancesBroker> broker(const std::shared_ptr<plugin::LiveComponent>& live,
                                          BrokerOptions options) {
    component = live;
    ProviderTimeouts never;
    never.call = never.list = 48h;
    return std::make_shared<InstancesBroker>(live, interface(listing, getting, describing), never,
                                             std::move(options));
  }

  bool listing = true, describing = false, getting = true;  // of a broker that begins then
  std::deque<Call> lists, describes, gets;
  std::size_t listed = 0;
  std::vector<std::size_t> described;
  std::vector<std::string> got;
  std::shared_ptr<plugin::Origin> origin;  // of the last call
  std::shared_ptr<plugin::LiveComponent> component;

 private:
  void note(ccm_ctx ctx) { origin = component->find_context(ctx)->origin(); }
};

inline Status not_found() {
  return Status(Code::not_found, ErrorClass::not_found, "no such machine");
}
inline Status down() { return Status(Code::unavailable, ErrorClass::unavailable, "cloud is down"); }

class BrokerTest : public plugin::PluginHostTest {
 protected:
  BrokerTest() { EXPECT_TRUE(create(true).ok()); }
  void make(BrokerOptions options = {}) {
    broker_ = source_.broker(component_, std::move(options));
  }
  std::size_t ask(InstanceQuery query) {
    const std::size_t number = answers_.size();
    answers_.emplace_back();
    tasks_(broker_->find(std::move(query)),
           [this, number](const InstanceAnswer& answer) { answers_[number] = answer; });
    return number;
  }
  std::size_t ask(std::string name, std::string provider_id = {}) {
    return ask(InstanceQuery{std::move(name), std::move(provider_id), nullptr});
  }
  // For a Node that the host has seen since then.
  std::size_t ask_since(runtime::TimePoint seen, std::string name, std::string provider_id = {}) {
    InstanceQuery query{std::move(name), std::move(provider_id), nullptr};
    query.not_before = seen;
    return ask(std::move(query));
  }
  // For a Node that the host sees now for the first time.
  std::size_t ask_new(std::string name, std::string provider_id = {}) {
    return ask_since(timers_.now(), std::move(name), std::move(provider_id));
  }
  std::string provider_id(std::size_t number) const {
    const auto& given = answers_[number];
    if (!given || !given->snapshot) return answer(number);
    return std::string(given->snapshot->provider_id(given->index));
  }
  std::string answer(std::size_t number) const {
    const auto& given = answers_[number];
    if (!given) return "waits";
    if (!given->status.ok()) {
      return given->status.reason().empty() ? "failed" : given->status.reason();
    }
    switch (given->state()) {
      case CCM_INSTANCE_RUNNING:
        return "running";
      case CCM_INSTANCE_SHUTDOWN:
        return "shutdown";
      case CCM_INSTANCE_TERMINATED:
        return "terminated";
      case CCM_INSTANCE_ABSENT:
        return "absent";
      default:
        return "unknown";
    }
  }
  void tick() { timers_.advance(0ms); }
  // A first listing, long enough ago for a second one.
  void listed(const std::vector<Machine>& machines) {
    ask("first");
    source_.end_list(machines);
    timers_.advance(10s);
  }

  ScriptedSource source_;
  std::shared_ptr<InstancesBroker> broker_;
  Tasks tasks_;
  std::vector<std::optional<InstanceAnswer>> answers_;
};

}  // namespace ccm::cloud
