// From setup to destroy: ccm/abi/controller.h and ccm/abi/plugin.h.
#include "stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr const char* kHeader = "ccm/abi/controller.h";

void sets_up(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  const Status status = stage.set_up();
  stage.run_now([&] { return !stage.host.faults().empty(); });
  const auto faults = stage.host.faults();
  Trial::expect(faults.empty(), faults.empty() ? "" : faults.front());
  const bool nothing_to_do = status.code() == Code::unimplemented &&
                             status.reason() != CCM_REASON_UNKNOWN_REQUEST &&
                             !status.message().empty();
  Trial::expect(status.ok() || nothing_to_do, "setup ended with " + conformance::describe(status));
}

void has_its_functions(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  const auto table = stage.created().component.interface<ccm_controller>(CCM_CONTROLLER);
  Trial::expect(static_cast<bool>(table), "the component has no " CCM_CONTROLLER);
  Trial::expect(table.get(&ccm_controller::setup) != nullptr, "the controller has no setup");
  Trial::expect(table.get(&ccm_controller::reconcile) != nullptr,
                "the controller has no reconcile");
}

void declares_soundly(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  if (!stage.set_up().ok()) Trial::skip("setup does not succeed; see CONTROLLER-01");
  const auto notes = stage.tap.notes("malformed");
  Trial::expect(notes.empty(), notes.empty() ? "" : notes.front());
}

void does_without_cloud(Trial& trial, const std::string& component) {
  const std::vector<std::vector<const char*>> kLacks = {
      {CCM_CLOUD_INSTANCES},
      {CCM_CLOUD_LOADBALANCERS},
      {CCM_CLOUD_ROUTES},
      {CCM_CLOUD_INSTANCES, CCM_CLOUD_LOADBALANCERS, CCM_CLOUD_ROUTES}};
  Stage::make(trial, component).run();
  for (const auto& lacks : kLacks) {
    Stage& stage = Stage::make(trial, component);
    for (const char* id : lacks) stage.host.hide(id);
    const std::string without = lacks.size() > 1 ? "interfaces of a cloud" : lacks.front();
    const Status status = stage.set_up();
    Trial::expect(status.ok() || !status.message().empty(),
                  fmt::format("without {}, setup fails and does not say why", without));
    if (status.ok()) stage.run_due();
    const auto faults = stage.host.faults();
    Trial::expect(faults.empty(),
                  fmt::format("without {}: {}", without, faults.empty() ? "" : faults.front()));
  }
}

// Lives from setup to destroy, with failures in the middle.
Stage& live(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  stage.ready();
  stage.tap.judge([](const HostCall&, std::size_t index) -> std::optional<Fault> {
    if (index % 3 != 1) return std::nullopt;
    return Fault{Fault::Kind::fail, Status(Code::unavailable, ErrorClass::unavailable, "no")};
  });
  stage.run();
  stage.tap.judge(nullptr);
  stage.settle();
  stage.stop_and_destroy();
  return stage;
}

void expect_none(Stage& stage, const char* kind, const std::string& sentence) {
  const auto notes = stage.tap.notes(kind);
  Trial::expect(notes.empty(), sentence + (notes.empty() ? "" : notes.front()));
}

void declares_in_time(Trial& trial, const std::string& component) {
  expect_none(live(trial, component), "late-declaration", "");
}

void reads_what_is_watched(Trial& trial, const std::string& component) {
  expect_none(live(trial, component), "not-watched",
              "the cache is asked for what is neither watched nor in the manifest's \"reads\": ");
}

void reads_declared_fields(Trial& trial, const std::string& component) {
  expect_none(live(trial, component), "undeclared",
              "a cached object is asked for a field that is not declared: ");
}

void calls_little_in_destroy(Trial& trial, const std::string& component) {
  expect_none(live(trial, component), "destroy", "");
}

void gives_objects_back(Trial& trial, const std::string& component) {
  Stage& stage = live(trial, component);
  const auto left = stage.tap.references();
  Trial::expect(left == 0, left > 0
                               ? fmt::format("{} references to objects are not given back", left)
                               : "more references to objects are given back than were taken");
}

void ends_its_contexts(Trial& trial, const std::string& component) {
  constexpr int kRounds = 30;
  Stage& stage = Stage::make(trial, component);
  auto& controller = stage.ready();
  stage.settle();
  std::set<std::string> keys;
  for (const auto& each : controller.take_reconciled()) keys.insert(each.key);
  if (keys.empty()) Trial::skip("no event leads to a key");
  const auto before = stage.host.contexts.live();
  for (int round = 0; round < kRounds; ++round) (void)stage.reconcile(*keys.begin());
  const auto after = stage.host.contexts.live();
  Trial::expect(after < before + kRounds,
                fmt::format("{} reconciles leave {} contexts that nobody cancelled", kRounds,
                            after - before));
}

void stops(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  auto& controller = stage.ready();
  const auto table = controller.component.interface<ccm_controller>(CCM_CONTROLLER);
  if (table.get(&ccm_controller::stop) == nullptr) Trial::skip("the controller has no stop");
  stage.settle();
  const auto before = stage.host.loop.now();
  const Status status = controller.stop();
  const auto took = stage.host.loop.now() - before;
  stage.run_now([&] { return !stage.host.faults().empty(); });
  const auto faults = stage.host.faults();
  Trial::expect(faults.empty(), faults.empty() ? "" : faults.front());
  Trial::expect(status.code() != Code::deadline_exceeded && took <= 5s,
                fmt::format("stop did not complete within 5 s: {}", conformance::describe(status)));
}

// Reconciles are cancelled, complete, and then the component is stopped and destroyed.
void ends_with_calls_in_flight(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  auto& controller = stage.ready();
  stage.tap.judge([](const HostCall&, std::size_t) { return Fault{Fault::Kind::hang, {}}; });
  const Ctx ctx = stage.host.contexts.make(60s);
  std::vector<Reconciling> open;
  for (const std::string& key : stage.keys()) {
    if (open.size() < controller.workers()) open.push_back(stage.begin(key, ctx));
  }
  const auto all_done = [&] {
    return std::all_of(open.begin(), open.end(), [](const auto& each) { return each.done(); });
  };
  stage.host.loop.run_until([&] { return stage.tap.hanging() > 0 || all_done(); });
  if (stage.tap.hanging() == 0) Trial::skip("it asks the host for nothing");
  stage.host.contexts.cancel(ctx);
  if (!stage.run_now(all_done)) {
    Trial::skip("a reconcile that is cancelled does not complete; see CONTROLLER-70");
  }
  stage.stop_and_destroy();
  const auto faults = stage.host.faults();
  Trial::expect(faults.empty(), faults.empty() ? "" : faults.front());
}

bool lists(const json& values, const std::string& wanted) {
  return std::any_of(values.begin(), values.end(),
                     [&](const json& value) { return value == "*" || value == wanted; });
}

// Throws when the manifest has no such right.
void expect_right(const Subject& subject, const std::string& resource,
                  const std::string& subresource, const std::string& verb) {
  const auto slash = resource.rfind('/');
  const auto first = resource.find('/');
  const std::string group = first == slash ? "" : resource.substr(0, first);
  std::string name = resource.substr(slash + 1);
  if (!subresource.empty()) name += "/" + subresource;
  const bool granted = std::any_of(subject.rbac.begin(), subject.rbac.end(), [&](const json& rule) {
    return lists(rule.value("apiGroups", json::array()), group) &&
           lists(rule.value("resources", json::array()), name) &&
           lists(rule.value("verbs", json::array()), verb);
  });
  // The host watches these itself and `ccmctl rbac` grants it.
  const bool read = subject.reads.contains(resource) && (verb == "list" || verb == "watch");
  Trial::expect(granted || read,
                fmt::format("it needs the right to {} {}, which the manifest's \"rbac\" lacks",
                            verb, group.empty() ? name : name + "." + group));
}

void has_its_rights(Trial& trial, const std::string& component) {
  Stage& stage = live(trial, component);
  for (const TappedWatch& watch : stage.tap.watches()) {
    for (const char* verb : {"list", "watch"}) {
      expect_right(trial.subject(), watch.resource, "", verb);
    }
  }
  for (const HostCall& call : stage.tap.calls()) {
    if (call.service != "kube") continue;
    expect_right(trial.subject(), call.resource, call.subresource, call.operation);
  }
}

}  // namespace

void add_controller_life_cases(Cases& cases) {
  add_case(cases, "CONTROLLER-01",
           "setup completes once, and succeeds or says why there is nothing to do", kHeader,
           "ccm_controller.setup", &sets_up);
  add_case(cases, "CONTROLLER-02", "a controller has setup and reconcile", kHeader,
           "ccm_controller", &has_its_functions);
  add_case(cases, "CONTROLLER-03", "watches, queue and periods are declared without a fault",
           kHeader, "ccm_host_setup", &declares_soundly);
  add_case(cases, "CONTROLLER-04",
           "setup does without each interface of the cloud, or says what it misses", kHeader,
           "ccm_controller.setup", &does_without_cloud);
  add_case(cases, "CONTROLLER-06", "what only setup may declare is declared while it runs",
           "ccm/abi/base.h", "R-14, R-15", &declares_in_time);
  add_case(cases, "CONTROLLER-07", "the cache is asked only for what is watched", "ccm/abi/kube.h",
           "R-163", &reads_what_is_watched);
  add_case(cases, "CONTROLLER-08", "only declared fields of a cached object are read", kHeader,
           "ccm_watch.fields, R-150", &reads_declared_fields);
  add_case(cases, "CONTROLLER-09", "stop completes once, within 5 s", kHeader,
           "ccm_controller.stop", &stops);
  add_case(cases, "CONTROLLER-10", "the component ends while nothing is answered",
           "ccm/abi/plugin.h", "R-51", &ends_with_calls_in_flight);
  add_case(cases, "CONTROLLER-11", "`destroy` calls only what it may", "ccm/abi/plugin.h", "R-52",
           &calls_little_in_destroy);
  add_case(cases, "CONTROLLER-12",
           "every reference to an object is given back before `destroy` returns",
           "ccm/abi/object.h", "R-151", &gives_objects_back);
  add_case(cases, "CONTROLLER-13", "a ctx is cancelled when it has served", "ccm/abi/ctx.h", "R-42",
           &ends_its_contexts);
  add_case(cases, "CONTROLLER-14", "the manifest declares each right that is used",
           "ccm/abi/plugin.h", "ccm_plugin.manifest", &has_its_rights);
}

}  // namespace ccm::conformance
