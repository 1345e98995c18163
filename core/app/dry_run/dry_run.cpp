#include "app/dry_run/dry_run.hpp"

#include "app/dry_run/plan.hpp"
#include "app/dry_run/planned_objects.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <utility>

namespace ccm::app {

namespace {

using kube::CallOptions;
using kube::Resource;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::string object_name(const std::string& namespace_name, const std::string& name) {
  return namespace_name.empty() ? name : namespace_name + "/" + name;
}

std::string place_of(const Resource& resource, const std::string& subresource) {
  return subresource.empty() ? resource.id() : resource.id() + "/" + subresource;
}

// A component's Kubernetes calls in a dry run: reads go to the API server, writes into the plan.
// `controller`: the component's name. A write succeeds with the object as it would be, so that the
// reconcile goes on. Lists show the cluster as it is.
class WithholdingObjectApi final : public plugin::ObjectApi {
 public:
  WithholdingObjectApi(std::shared_ptr<ObjectApi> reads, std::string controller,
                       PlannedObjects& objects, Plan& plan, runtime::EventLoop& loop)
      : reads_(std::move(reads)),
        controller_(std::move(controller)),
        objects_(objects),
        plan_(plan),
        loop_(loop) {}

  void get(Resource resource, std::string namespace_name, std::string name, CallOptions call,
           Done done) override {
    auto answered = [&objects = objects_,
                     key = PlannedObjects::Key(resource.id(), namespace_name, name),
                     done = std::move(done)](Result<std::string> body) {
      done(objects.applied(key, std::move(body)));
    };
    reads_->get(std::move(resource), std::move(namespace_name), std::move(name), std::move(call),
                std::move(answered));
  }
  void list(Resource resource, std::string namespace_name, kube::ListOptions options,
            CallOptions call, Done done) override {
    reads_->list(std::move(resource), std::move(namespace_name), std::move(options),
                 std::move(call), std::move(done));
  }

  void create(Resource resource, std::string namespace_name, std::string body, kube::WriteOptions,
              CallOptions, Done done) override {
    const auto object = nlohmann::json::parse(body, nullptr, false);
    std::string name;
    if (object.is_object()) name = object.value("/metadata/name"_json_pointer, "");
    note("create " + resource.id(), object_name(namespace_name, name), body);
    succeed(std::move(body), std::move(done));
  }
  void create_sub(Resource resource, std::string namespace_name, std::string name,
                  std::string subresource, std::string body, CallOptions, Done done) override {
    note("create " + place_of(resource, subresource), object_name(namespace_name, name), body);
    succeed(std::move(body), std::move(done));
  }
  void patch(Resource resource, std::string namespace_name, std::string name, kube::PatchType type,
             std::string body, kube::WriteOptions options, CallOptions, Done done) override {
    PlannedObjects::Texts texts = objects_.patch({resource.id(), namespace_name, name}, type, body);
    Change change{controller_,
                  object_name(namespace_name, name),
                  "patch " + place_of(resource, options.subresource),
                  changed_fields(texts.before, texts.after),
                  {}};
    if (!change.fields.empty()) plan_.note(std::move(change));
    succeed(std::move(texts.after), std::move(done));
  }
  void remove(Resource resource, std::string namespace_name, std::string name, kube::DeleteOptions,
              CallOptions, Done done) override {
    note("delete " + resource.id(), object_name(namespace_name, name), {});
    objects_.remove({resource.id(), namespace_name, name});
    succeed("{}", std::move(done));
  }

 private:
  void note(std::string action, std::string object, std::string body) {
    plan_.note({controller_, std::move(object), std::move(action), {}, std::move(body)});
  }
  void succeed(std::string body, Done done) {
    loop_.post([body = std::move(body), done = std::move(done)] { done(body); });
  }

  const std::shared_ptr<ObjectApi> reads_;
  const std::string controller_;
  PlannedObjects& objects_;
  Plan& plan_;
  runtime::EventLoop& loop_;
};

constexpr milliseconds kQuietCheck{100};
// Nothing was queued for this long: longer than any controller gathers changes.
constexpr milliseconds kQuiet{2'000};
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
constexpr uint32_t kTries = 2;  // the second one tells a lasting failure from a brief one

// A real run would change nothing here soon: it is refused, or waits for another program.
bool stays_as_it_is(const plugin::ObjectReport& object) {
  constexpr std::chrono::minutes kNotSoon{5};
  if (object.state == plugin::ObjectState::refused) return true;
  return object.state == plugin::ObjectState::waiting &&
         object.next_try.value_or(std::chrono::nanoseconds(0)) >= kNotSoon;
}

}  // namespace

std::shared_ptr<plugin::ObjectApi> DryRun::object_api(std::shared_ptr<plugin::ObjectApi> reads,
                                                      const std::string& component) {
  return std::make_shared<WithholdingObjectApi>(std::move(reads), component, objects_, plan_,
                                                loop_);
}

// Its result is known: it was reconciled, and another try would bring nothing new.
bool DryRun::determined(const plugin::ObjectReport& object) const {
  switch (object.state) {
    case plugin::ObjectState::refused:
    case plugin::ObjectState::held:
      return true;
    case plugin::ObjectState::waiting:
    case plugin::ObjectState::retrying:
      return object.attempts >= kTries || stays_as_it_is(object) ||
             plan_.cloud_changes(object.controller, object.key);
    default:
      return false;
  }
}

bool DryRun::busy(const plugin::PluginHost& plugins) const {
  for (const plugin::ComponentReport& component : plugins.components()) {
    if (component.kind != plugin::ComponentKind::controller || !component.skipped.empty()) continue;
    const auto& queue = component.queue;
    if (!queue || !queue->synced || !queue->started) return true;
    if (queue->ready > 0 || queue->running > 0) return true;
  }
  const auto unsettled = plugins.unsettled(kAll);
  return !std::all_of(unsettled.begin(), unsettled.end(),
                      [this](const plugin::ObjectReport& object) { return determined(object); });
}

boost::asio::awaitable<void> DryRun::settle(const plugin::PluginHost& plugins) {
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
  const auto end = steady_clock::now() + options_.timeout;
  auto quiet_since = steady_clock::now();
  while (!settled_ && steady_clock::now() < end) {
    timer.expires_after(kQuietCheck);
    co_await timer.async_wait(boost::asio::use_awaitable);
    if (busy(plugins)) quiet_since = steady_clock::now();
    settled_ = steady_clock::now() - quiet_since >= kQuiet;
  }
}

std::vector<OpenObject> DryRun::open_objects(const plugin::PluginHost& plugins) const {
  std::vector<OpenObject> open;
  for (const plugin::ComponentReport& component : plugins.components()) {
    if (component.kind != plugin::ComponentKind::controller || !component.skipped.empty()) continue;
    const auto& queue = component.queue;
    std::string message;
    if (!queue) {
      message = "the provider is not ready";
    } else if (!queue->synced) {
      message = "its caches are not complete";
    } else if (!queue->started) {
      message = "it was not started";
    } else if (queue->ready > 0) {
      message = std::to_string(queue->ready) + " objects were not looked at";
    }
    if (!message.empty()) open.push_back({component.name, {}, "not done", message});
  }
  for (const plugin::ObjectReport& object : plugins.unsettled(kAll)) {
    if (plan_.cloud_changes(object.controller, object.key)) continue;
    open.push_back({object.controller, object.key, std::string(to_string(object.state)),
                    object.message, !stays_as_it_is(object)});
  }
  for (const auto& [call, status] : plan_.failing_calls()) {
    open.push_back(
        {call.first,
         {},
         "without the cloud's answer",
         call.second + (status == 0 ? ": none came" : ": HTTP status " + std::to_string(status))});
  }
  if (!settled_ && open.empty()) {
    open.push_back({"the dry run", {}, "not done", "--dry-run-timeout is over"});
  }
  return open;
}

DryRunResult DryRun::print(const plugin::PluginHost& plugins) const {
  const std::vector<OpenObject> open = open_objects(plugins);
  const std::string text =
      options_.json ? plan_json(plan_.changes(), open) : plan_table(plan_.changes(), open);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  const bool unknown = std::any_of(open.begin(), open.end(),
                                   [](const OpenObject& object) { return object.undetermined; });
  if (unknown) return DryRunResult::undetermined;
  return plan_.changes().empty() ? DryRunResult::nothing_to_do : DryRunResult::would_change;
}

}  // namespace ccm::app
