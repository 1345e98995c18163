// The broker of instances on a provider and a clock that the test plays.
#pragma once

#include "../../support/start_task.hpp"
#include "../runtime/manual_timers.hpp"
#include "cloud/broker/instances_broker.hpp"
#include "plugin/waiting.hpp"
#include "test_machines.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::cloud {

using namespace std::chrono_literals;

// Keeps each call open until the test ends it.
class ScriptedSource final : public InstanceSource {
 public:
  [[nodiscard]] bool can_list() const override { return listing; }
  [[nodiscard]] bool can_describe() const override { return describing; }
  [[nodiscard]] bool can_get() const override { return getting; }
  void set_origin(const std::shared_ptr<plugin::Origin>& of) override { origin = of; }
  Task<Listing> list() override {
    ++listed;
    return opened(lists);
  }
  Task<Listing> describe(std::vector<InstanceQuery> queries) override {
    described.push_back(queries.size());
    return opened(describes);
  }
  Task<Listing> get(InstanceQuery query) override {
    got.push_back(query.name);
    return opened(gets);
  }
  using Done = std::function<void(Listing)>;
  static Task<Listing> opened(std::deque<Done>& calls) {
    const plugin::CallbackAwaiter<Listing>::Start start = [&](Done done) {
      calls.push_back(std::move(done));
    };
    plugin::CallbackAwaiter<Listing> answer(start);
    co_return co_await answer;
  }

  static void end(std::deque<Done>& calls, Result<InstanceSnapshot::Ptr> result) {
    ASSERT_FALSE(calls.empty()) << "no such call runs";
    auto done = std::move(calls.front());
    calls.pop_front();
    done(std::move(result));
  }
  void end_list(const std::vector<Machine>& machines) { end(lists, snapshot_of(machines)); }
  void end_get(const Machine& machine) { end(gets, snapshot_of({machine})); }

  bool listing = true, describing = false, getting = true;
  std::deque<Done> lists, describes, gets;
  std::size_t listed = 0;
  std::vector<std::size_t> described;
  std::vector<std::string> got;
  std::shared_ptr<plugin::Origin> origin;  // of the last call
};

inline Status not_found() {
  return Status(Code::not_found, ErrorClass::not_found, "no such machine");
}
inline Status down() { return Status(Code::unavailable, ErrorClass::unavailable, "cloud is down"); }

class BrokerTest : public testing::Test {
 protected:
  void make(BrokerOptions options = {}) { broker_.emplace(source_, timers_, std::move(options)); }
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

  runtime::ManualTimers timers_;
  ScriptedSource source_;
  std::optional<InstancesBroker> broker_;
  Tasks tasks_;
  std::vector<std::optional<InstanceAnswer>> answers_;
};

}  // namespace ccm::cloud
