// The gate before deletions of Nodes, with a cloud, an API server and a clock that the test plays.
#pragma once

#include "../../support/start_task.hpp"
#include "../plugin/host_doubles.hpp"
#include "../plugin/test_runtime.hpp"
#include "cloud/deletion/node_deletions.hpp"
#include "instances_provider.hpp"

#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::cloud {

using namespace std::chrono_literals;

struct FakeNode {
  std::string uid;
  std::string provider_id;
  std::string ready = "True";
  std::string annotation;
  int version = 1;
  bool cordoned = false;
  std::string taint{};
  std::string created = "2026-01-01T00:00:00Z";
};

// The cluster: its cache and its live objects, which a test can make differ.
struct Cluster final : plugin::ObjectCache {
  [[nodiscard]] plugin::CacheState state(std::string_view) const override {
    return plugin::CacheState::synced;
  }
  static kube::ObjectPtr object(const std::string& name, const FakeNode& node) {
    const std::string text =
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"(","uid":")" +
        node.uid + R"(","resourceVersion":")" + std::to_string(node.version) +
        R"(","creationTimestamp":")" + node.created +
        R"(","annotations":{"cloud-controller-manager/allow-deletion":")" + node.annotation +
        R"("}},"spec":{"providerID":")" + node.provider_id + R"(","unschedulable":)" +
        (node.cordoned ? "true" : "false") + R"(,"taints":[{"key":")" + node.taint +
        R"("}]},"status":{"conditions":[{"type":"Ready","status":")" + node.ready + R"("}]}})";
    return *kube::Object::decode(text);
  }
  [[nodiscard]] kube::ObjectPtr get(std::string_view, std::string_view,
                                    std::string_view name) const override {
    const auto found = nodes.find(std::string(name));
    return found == nodes.end() ? nullptr : object(found->first, found->second);
  }
  [[nodiscard]] std::vector<kube::ObjectPtr> list(std::string_view,
                                                  std::string_view) const override {
    ++lists;
    std::vector<kube::ObjectPtr> all;
    for (const auto& [name, node] : nodes) all.push_back(object(name, node));
    return all;
  }
  std::map<std::string, FakeNode> nodes;
  mutable int lists = 0;
};

struct Api final : plugin::SilentApi {
  Api(Cluster& cached, runtime::Timers& clock) : cluster(cached), timers(clock) {}
  void answer(Result<std::string> result, Done done) {
    timers.after(0ms, [result = std::move(result), done = std::move(done)] { done(result); });
  }
  static Status not_found() { return Status(Code::not_found, ErrorClass::not_found, "404"); }
  void send(plugin::ObjectRequest request, Done done) override {
    if (request.verb == plugin::ObjectRequest::Verb::get) get(request.name, std::move(done));
    if (request.verb == plugin::ObjectRequest::Verb::remove) remove(request, std::move(done));
  }
  void get(const std::string& name, Done done) {
    ++gets;
    const auto other = live.find(name);
    const auto known = cluster.nodes.find(name);
    if (other == live.end() && known == cluster.nodes.end()) return answer(not_found(), done);
    const FakeNode& node = other != live.end() ? other->second : known->second;
    answer(Cluster::object(name, node)->json(), std::move(done));
  }
  void remove(const plugin::ObjectRequest& request, Done done) {
    if (!remove_failures.empty()) {
      Status failure = remove_failures.back();
      remove_failures.pop_back();
      return answer(std::move(failure), std::move(done));
    }
    removed.push_back(request.name + " " + request.remove.uid + " " +
                      request.remove.resource_version);
    cluster.nodes.erase(request.name);
    answer(std::string("{}"), std::move(done));
  }
  Cluster& cluster;
  runtime::Timers& timers;
  std::map<std::string, FakeNode> live;  // where it differs from the cache
  std::vector<std::string> removed;
  std::vector<Status> remove_failures;
  int gets = 0;
};

struct Cloud final : InstancesProvider {
  Cloud(runtime::Timers& clock, runtime::EventLoop& host_loop) : timers(clock), loop(host_loop) {}
  // Its own one, of any.
  [[nodiscard]] std::string own_id(const std::string& id) const {
    for (const auto& [own, other] : other_ids) {
      if (other == id) return own;
    }
    return id;
  }
  void list(ccm_ctx, Call call) override {
    ++listed;
    soon([this, call] {
      if (!list_failure.ok()) return call.end(list_failure);
      call.end(all(listing ? *listing : machines), unknown);
    });
  }
  void get(ccm_ctx, Asked asked, Call call) override {
    ++got;
    soon([this, call, asked = std::move(asked)] {
      if (!get_failure.ok()) return call.end(get_failure);
      const auto found = machines.find(own_id(asked.provider_id));
      if (found == machines.end()) {
        return call.end(Status(Code::not_found, ErrorClass::not_found, "no such machine"));
      }
      call.end(std::vector<Machine>{{"", found->first, found->second}});
    });
  }
  void soon(std::function<void()> fn) {
    timers.after(0ms, [this, fn = std::move(fn)] {
      fn();
      loop.poll();
    });
  }
  using Machines = std::map<std::string, int32_t>;
  using Names = std::map<std::string, std::string>;  // by provider ID
  [[nodiscard]] std::vector<Machine> all(const Machines& which) const {
    std::vector<Machine> list;
    for (const auto& [id, state] : which) {
      const auto name = names.find(id);
      list.push_back({name == names.end() ? "" : name->second, id, state});
      const auto other = other_ids.find(id);
      if (other != other_ids.end()) list.back().other_ids.push_back(other->second);
    }
    return list;
  }
  runtime::Timers& timers;
  runtime::EventLoop& loop;
  Machines machines;
  Names names;
  Names other_ids;
  std::optional<Machines> listing;   // when it differs
  std::vector<std::string> unknown;  // prefixes of instances of which a listing says nothing
  Status list_failure;
  Status get_failure;
  bool lists = true;  // of a gate that starts then
  bool gets = true;
  int listed = 0;
  int got = 0;
};

class NodeDeletionsTest : public plugin::PluginHostTest {
 protected:
  NodeDeletionsTest() {
    EXPECT_TRUE(create(true).ok());
    start();
  }
  void start(bool watched = true) {
    deletions_.emplace(
        NodeDeletions::Dependencies{cluster_, timers_, [this] { return leading_; }, telemetry_},
        BrakeOptions{});
    BrokerOptions options;
    options.provider_id_prefixes = {"cloud://"};
    broker_ = std::make_shared<InstancesBroker>(
        component_, cloud_.interface(cloud_.lists, cloud_.gets), ProviderTimeouts(), options);
    deletions_->connect(broker_);
    deletions_->begin();
    if (watched) timers_.advance(11min);
  }
  // Nodes n0, n1, ... with instances; the first `dead` of them not Ready and without one.
  void cluster(int count, int dead) {
    for (int i = 0; i < count; ++i) {
      const std::string name = "n" + std::to_string(i);
      cluster_.nodes[name] = {"uid-" + name, "cloud://" + name, i < dead ? "Unknown" : "True", ""};
      if (i >= dead) cloud_.machines["cloud://" + name] = CCM_INSTANCE_RUNNING;
    }
  }
  std::shared_ptr<Status> ask(const std::string& name, std::chrono::milliseconds limit = 60s) {
    return ask_as(name, "uid-" + name, limit);
  }
  std::shared_ptr<Status> ask_as(const std::string& name, const std::string& uid,
                                 std::chrono::milliseconds limit = 60s) {
    auto outcome = std::make_shared<Status>(Code::unknown, "still waits");
    plugin::ObjectRequest request{.verb = plugin::ObjectRequest::Verb::remove,
                                  .resource = kube::resources::nodes(),
                                  .name = name};
    request.remove.uid = uid;
    request.call.timeout = limit;
    auto done = [outcome](const Result<std::string>& ended) { *outcome = ended.status(); };
    guarded()->send(std::move(request), done);
    return outcome;
  }
  std::shared_ptr<plugin::ObjectApi> guarded() { return guard_nodes(api_, *deletions_); }
  std::string remove(const std::string& name) {
    const auto outcome = ask(name);
    timers_.advance(100ms);
    return outcome->ok() ? "deleted" : outcome->reason();
  }
  // Anybody's listing.
  void look() {
    tasks_(broker_->refresh(), [](const auto&) {});
    timers_.advance(1s);
  }
  // Instances n<from> to n<to - 1> vanish.
  void vanish(int from, int to) {
    for (int i = from; i < to; ++i) {
      const std::string name = "n" + std::to_string(i);
      cloud_.machines.erase("cloud://" + name);
      cluster_.nodes[name].ready = "Unknown";
    }
  }
  void terminate(int from, int to) {
    for (int i = from; i < to; ++i) {
      const std::string name = "n" + std::to_string(i);
      cloud_.machines["cloud://" + name] = CCM_INSTANCE_TERMINATED;
      cluster_.nodes[name].ready = "Unknown";
    }
  }
  std::size_t remove_all(int count, const std::string& prefix = "n") {
    std::vector<std::shared_ptr<Status>> outcomes;
    for (int i = 0; i < count; ++i) outcomes.push_back(ask(prefix + std::to_string(i)));
    timers_.advance(100ms);
    return static_cast<std::size_t>(
        std::count_if(outcomes.begin(), outcomes.end(), [](const auto& end) { return end->ok(); }));
  }
  std::string metrics() const {
    return prometheus::TextSerializer().Serialize(registry_.Collect());
  }

  Cluster cluster_;
  std::shared_ptr<Api> api_ = std::make_shared<Api>(cluster_, timers_);
  Cloud cloud_{timers_, loop_};
  prometheus::Registry registry_;
  std::vector<std::string> events_;
  DeletionTelemetry telemetry_{
      registry_,
      [this](const std::string&, const kube::ObjectReference& about, kube::EventType type,
             const std::string& reason, const std::string&) {
        events_.push_back((type == kube::EventType::warning ? "Warning " : "Normal ") + reason +
                          " " + about.name);
      },
      "nodes"};
  std::shared_ptr<InstancesBroker> broker_;
  std::optional<NodeDeletions> deletions_;
  bool leading_ = true;
  Tasks tasks_;
};

}  // namespace ccm::cloud
