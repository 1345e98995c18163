#include "app/dry_run/dry_run.hpp"

#include "net/coroutines.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <utility>

namespace ccm::app {

namespace {

using plugin::ObjectRequest;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

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

  void send(ObjectRequest request, Done done) override {
    switch (request.verb) {
      case ObjectRequest::Verb::get:
        return get(std::move(request), std::move(done));
      case ObjectRequest::Verb::list:
        return reads_->send(std::move(request), std::move(done));
      case ObjectRequest::Verb::create:
        return create(std::move(request), std::move(done));
      case ObjectRequest::Verb::update:
        break;  // no service asks for one
      case ObjectRequest::Verb::patch:
        return patch(request, std::move(done));
      case ObjectRequest::Verb::remove:
        note(request, "delete");
        objects_.remove(key_of(request));
        return succeed("{}", std::move(done));
    }
  }

 private:
  static PlannedObjects::Key key_of(const ObjectRequest& request) {
    return {request.resource.id(), request.namespace_name, request.name};
  }
  static std::string place_of(const ObjectRequest& request) {
    const std::string& part = request.write.subresource;
    return request.resource.id() + (part.empty() ? "" : "/" + part);
  }
  static std::string object_of(const ObjectRequest& request) {
    const std::string& space = request.namespace_name;
    return space.empty() ? request.name : space + "/" + request.name;
  }

  void get(ObjectRequest request, Done done) {
    auto answered = [&objects = objects_, key = key_of(request), done = std::move(done)](
                        Result<std::string> body) { done(objects.applied(key, std::move(body))); };
    reads_->send(std::move(request), std::move(answered));
  }
  void create(ObjectRequest request, Done done) {
    if (request.write.subresource.empty()) {
      const auto object = nlohmann::json::parse(request.body, nullptr, false);
      if (object.is_object()) request.name = object.value("/metadata/name"_json_pointer, "");
    }
    note(request, "create");
    succeed(std::move(request.body), std::move(done));
  }
  void patch(const ObjectRequest& request, Done done) {
    PlannedObjects::Texts texts = objects_.patch(key_of(request), request.patch_type, request.body);
    Change change{controller_,
                  object_of(request),
                  "patch " + place_of(request),
                  changed_fields(texts.before, texts.after),
                  {}};
    if (!change.fields.empty()) plan_.note(std::move(change));
    succeed(std::move(texts.after), std::move(done));
  }
  void note(const ObjectRequest& request, const std::string& action) {
    plan_.note(
        {controller_, object_of(request), action + " " + place_of(request), {}, request.body});
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

bool DryRun::busy(const plugin_host::PluginHost& plugins) const {
  for (const plugin_host::ComponentReport& component : plugins.components()) {
    if (component.kind != plugin_files::ComponentKind::controller || !component.skipped.empty())
      continue;
    const auto& queue = component.queue;
    if (!queue || !queue->synced || !queue->started) return true;
    if (queue->ready > 0 || queue->running > 0) return true;
  }
  return !std::ranges::all_of(plugins.unsettled(kAll),
                              [this](const auto& object) { return determined(object); });
}

boost::asio::awaitable<void> DryRun::settle(const plugin_host::PluginHost& plugins) {
  const auto end = steady_clock::now() + options_.timeout;
  auto quiet_since = steady_clock::now();
  while (!settled_ && steady_clock::now() < end) {
    co_await net::pause(loop_.executor(), kQuietCheck);
    if (busy(plugins)) quiet_since = steady_clock::now();
    settled_ = steady_clock::now() - quiet_since >= kQuiet;
  }
}

std::vector<OpenObject> DryRun::open_objects(const plugin_host::PluginHost& plugins) const {
  std::vector<OpenObject> open;
  for (const plugin_host::ComponentReport& component : plugins.components()) {
    if (component.kind != plugin_files::ComponentKind::controller || !component.skipped.empty())
      continue;
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

DryRunResult DryRun::print(const plugin_host::PluginHost& plugins) const {
  const std::vector<OpenObject> open = open_objects(plugins);
  const std::string text =
      options_.json ? plan_json(plan_.changes(), open) : plan_table(plan_.changes(), open);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  if (std::ranges::any_of(open, &OpenObject::undetermined)) return DryRunResult::undetermined;
  return plan_.changes().empty() ? DryRunResult::nothing_to_do : DryRunResult::would_change;
}

}  // namespace ccm::app
