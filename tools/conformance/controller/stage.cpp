#include "stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

std::string text_of(const json& object, const char* pointer) {
  const json::json_pointer place(pointer);
  return object.contains(place) && object.at(place).is_string()
             ? object.at(place).get<std::string>()
             : std::string();
}

// A text such as 2026-01-01T00:00:00Z.
bool is_time(const std::string& text) {
  return text.size() >= 20 && text[4] == '-' && text[10] == 'T' && text.back() == 'Z';
}

// Without what differs each time.
void strip(json& value) {
  if (value.is_string() && is_time(value.get_ref<const std::string&>())) value = "time";
  if (!value.is_structured()) return;
  if (value.is_object()) value.erase("resourceVersion");
  for (json& member : value) strip(member);
  if (value.is_array()) {
    std::sort(value.begin(), value.end(),
              [](const json& left, const json& right) { return left.dump() < right.dump(); });
  }
}

}  // namespace

Stage::Stage(Trial& the_trial, std::string component)
    : trial(the_trial), component_(std::move(component)) {
  host.loop.expect_other_threads([this] { return count_threads() > 1 + host.loop.busy(); });
  host.offer(CCM_CLOUD_INSTANCES, {&machines, machines.table()});
  plugin_ = tap.wrap(trial.subject().plugin);
  configure();
}

Stage& Stage::make(Trial& trial, const std::string& component) {
  return *new Stage(trial, component);  // NOLINT: see the head of the class
}

void Stage::configure() {
  const Subject& subject = trial.subject();
  for (const auto& [name, value] : subject.flags) host.config.set_flag(name, value, false);
  set_host_flags(host);
  if (trial.settings.cloud_config) host.config.set_cloud_config(*trial.settings.cloud_config);
  const json& started = trial.started();
  const json flags = started.value("flags", json::object());
  for (const auto& [name, value] : flags.items()) host.config.set_flag(name, value);
  for (const auto& [name, value] : trial.settings.flags) host.config.set_flag(name, value);
  for (const auto& [resource, fields] : subject.reads) {
    host.kube.read(resource, fields);
    tap.read(resource, fields);
  }
  host.kube.put(
      "v1/namespaces",
      R"({"metadata":{"name":"kube-system","uid":"5eed0000-0000-4000-8000-000000000000"}})");
  for (const WorldObject& object : usual_objects()) put(object);
  const json objects = started.value("objects", json::array());
  for (const json& object : objects) put({object.at("resource"), object.at("object")});
  fill_cloud(host, machines);
}

void Stage::put(const WorldObject& object) {
  const Place place{object.resource, text_of(object.json, "/metadata/namespace"),
                    text_of(object.json, "/metadata/name")};
  if (std::find(places_.begin(), places_.end(), place) == places_.end()) places_.push_back(place);
  host.kube.put(object.resource, object.json.dump());
}

void Stage::remove(const std::string& resource, const std::string& name,
                   const std::string& namespace_name) {
  host.kube.remove(resource, name, namespace_name);
}

testing::FakeController& Stage::created() {
  if (!controller_) {
    try {
      controller_ = std::make_unique<testing::FakeController>(host, plugin_, component_);
    } catch (...) {
      Trial::skip("`create` throws; see PLUGIN-01");
    }
    run_now([this] { return controller_->component.created().ok(); });
  }
  if (!controller_->component.created().ok()) {
    Trial::skip("the component cannot be made; see PLUGIN-01");
  }
  return *controller_;
}

Status Stage::set_up() {
  auto& controller = created();
  const auto table = controller.component.interface<ccm_controller>(CCM_CONTROLLER);
  if (!table || table.get(&ccm_controller::setup) == nullptr ||
      table.get(&ccm_controller::reconcile) == nullptr) {
    Trial::skip("the controller lacks a mandatory function; see CONTROLLER-02");
  }
  set_up_ = true;
  Status status = controller.setup();
  host.loop.run();
  return status;
}

testing::FakeController& Stage::ready() {
  auto& controller = created();
  if (set_up_) return controller;
  const Status status = set_up();
  if (status.code() == Code::unimplemented) {
    Trial::skip("setup says that there is nothing to do: " + std::string(status.message()));
  }
  if (!status.ok()) {
    Trial::skip("setup fails; see CONTROLLER-01 (" + conformance::describe(status) + ")");
  }
  if (!tap.notes("malformed").empty()) {
    Trial::skip("setup declares what is malformed; see CONTROLLER-03");
  }
  for (const TappedWatch& watch : tap.watches()) {
    const bool there = std::any_of(places_.begin(), places_.end(), [&](const Place& place) {
      return place.resource == watch.resource;
    });
    if (!there) put(object_of(watch.resource, "conformance"));
  }
  host.loop.run();
  if (!tap.notes("map").empty()) Trial::skip("a map function throws; see CONTROLLER-05");
  return controller;
}

void Stage::run() {
  auto& controller = ready();
  controller.run();
  skip_when_broken();
}

void Stage::settle() {
  auto& controller = ready();
  for (int round = 0; round < 2; ++round) {
    controller.run();
    for (const auto pause : {1s, 1s, 5s, 10s, 30s, 60s, 300s, 400s}) {
      controller.advance(pause);
      skip_when_broken();
    }
    host.kube.resync();
  }
  controller.run();
  skip_when_broken();
}

std::vector<std::string> Stage::keys() {
  ready();
  host.loop.run();
  return controller_->waiting();
}

Reconciling Stage::begin(const std::string& key, const Ctx& ctx) {
  return ready().start_reconcile(ctx, Request{key, Priority::changed, 0});
}

Result<ReconcileResult> Stage::finish(const Reconciling& pending) {
  host.loop.run_until([&] { return pending.done(); });
  if (!pending.done()) Trial::skip("a reconcile does not complete; see CONTROLLER-20");
  skip_when_broken();
  return pending.outcome();
}

Result<ReconcileResult> Stage::reconcile(const std::string& key) {
  return finish(begin(key, host.contexts.make(30s)));
}

void Stage::skip_when_broken() {
  const auto faults = host.faults();
  if (!faults.empty()) Trial::skip(faults.front() + "; see CONTROLLER-20");
  if (!tap.notes("endless").empty()) Trial::skip("its writes wake it for ever; see CONTROLLER-23");
}

void Stage::stop_and_destroy() {
  (void)created().stop();
  destroy();
}

void Stage::destroy() {
  if (!controller_) return;
  try {
    controller_->component.destroy();
  } catch (...) {
    Trial::skip("`destroy` throws; see PLUGIN-10");
  }
}

void Stage::restart() {
  if (controller_) destroy();
  controller_.reset();
  set_up_ = false;
}

WorldJson Stage::world() {
  json all = json::object();
  std::vector<Place> places = places_;
  for (const testing::KubeCall& call : host.kube.calls("create")) {
    const json body = json::parse(call.body, nullptr, false);
    const Place place{call.resource, call.namespace_name, text_of(body, "/metadata/name")};
    if (call.subresource.empty()) places.push_back(place);
  }
  for (const Place& place : places) {
    const std::string text = host.kube.stored(place.resource, place.name, place.namespace_name);
    if (text.empty()) continue;
    all["objects"][fmt::format("{}/{}/{}", place.resource, place.namespace_name, place.name)] =
        json::parse(text);
  }
  for (const auto& [uid, balancer] : host.load_balancers.balancers) {
    json& shown = all["balancers"][uid];
    for (const Backend& backend : balancer.backends) shown["backends"].push_back(backend.name);
  }
  for (const Route& route : host.routes.table_of_cloud) {
    all["routes"].push_back({{"to", route.destination_cidr}, {"node", route.target_node}});
  }
  return all;
}

std::string Stage::form() { return form_of(world()); }

std::string Stage::content() {
  json all = world();
  strip(all);
  return all.dump(1, ' ', false, json::error_handler_t::replace);
}

void add_case(Cases& cases, std::string id, std::string title, std::string header, std::string rule,
              ControllerCase run) {
  const auto each = [run](Trial& trial) {
    const auto& names = trial.subject().controllers;
    if (names.empty()) Trial::skip("the plugin has no controller");
    std::string skipped;
    std::size_t skips = 0;
    for (const std::string& name : names) {
      try {
        run(trial, name);
      } catch (const Failure& failure) {
        throw Failure(names.size() > 1 ? name + ": " + failure.what() : failure.what());
      } catch (const Skip& skip) {
        ++skips;
        skipped = names.size() > 1 ? name + ": " + skip.what() : skip.what();
      }
    }
    if (skips == names.size()) throw Skip(skipped);
  };
  cases.push_back({std::move(id), std::move(title), std::move(header), std::move(rule), each,
                   About::controller});
}

}  // namespace ccm::conformance
