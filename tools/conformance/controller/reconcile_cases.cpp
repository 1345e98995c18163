// One reconcile, and what many of them come to: ccm/abi/controller.h.
#include "stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr const char* kHeader = "ccm/abi/controller.h";
constexpr std::size_t kMostSteps = 10;
constexpr const char* kOther = "example.com/somebody-else";

void need_keys(const std::vector<std::string>& keys) {
  if (keys.empty()) Trial::skip("no event leads to a key");
}

// The keys of a world that has come to rest.
std::vector<std::string> settled_keys(Stage& stage) {
  auto& controller = stage.ready();
  stage.settle();
  std::set<std::string> keys;
  for (const auto& each : controller.take_reconciled()) keys.insert(each.key);
  need_keys({keys.begin(), keys.end()});
  return {keys.begin(), keys.end()};
}

void completes_once(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  auto& controller = stage.ready();
  need_keys(stage.keys());
  controller.run();
  for (int i = 0; i < 4; ++i) controller.advance(5s);
  stage.host.kube.resync();
  controller.run();
  stage.run_now([&] { return !stage.host.faults().empty(); });
  const auto faults = stage.host.faults();
  Trial::expect(faults.empty(), faults.empty() ? "" : faults.front());
}

void gives_sound_results(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  stage.settle();
  Stage& failing = Stage::make(trial, component);
  failing.tap.judge([](const HostCall&, std::size_t) {
    return Fault{Fault::Kind::fail, Status(Code::unavailable, ErrorClass::unavailable, "no")};
  });
  failing.run();
  auto ends = stage.tap.reconciled();
  const auto failed = failing.tap.reconciled();
  ends.insert(ends.end(), failed.begin(), failed.end());
  if (ends.empty()) Trial::skip("no event leads to a key");
  for (const TappedEnd& end : ends) {
    if (!end.has_result) continue;
    Trial::expect(end.code == CCM_CODE_OK,
                  fmt::format("a reconcile that failed with code {} has a result", end.code));
    Trial::expect(
        end.result_size >= 8 && end.result_size % 8 == 0 && end.result_size <= CCM_SIZE_LIMIT,
        fmt::format("the result of a reconcile has the size {}", end.result_size));
  }
}

void lives_with_least_fields(Trial& trial, const std::string& component) {
  Stage::make(trial, component).run();  // skips when reconciles do not complete at all
  Stage& stage = Stage::make(trial, component);
  stage.ready();
  const auto places = stage.places();
  for (const Stage::Place& place : places) {
    json metadata = {{"name", place.name}, {"uid", "uid-of-" + place.name}};
    if (!place.namespace_name.empty()) metadata["namespace"] = place.namespace_name;
    stage.put({place.resource, {{"metadata", metadata}}});
  }
  need_keys(stage.keys());
  stage.ready().run();
  stage.ready().advance(10s);
  const auto faults = stage.host.faults();
  Trial::expect(faults.empty() && stage.tap.notes("map").empty(),
                faults.empty() ? "a map function throws" : faults.front());
}

void comes_to_rest(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  stage.ready().run();
  const auto endless = stage.tap.notes("endless");
  Trial::expect(endless.empty(), "each write leads to an event, a reconcile and the next write: " +
                                     (endless.empty() ? std::string() : endless.front()));
  const auto keys = settled_keys(stage);
  const std::string before = stage.content();
  stage.tap.restart();
  for (const std::string& key : keys) (void)stage.reconcile(key);
  const auto writes = stage.tap.writes();
  Trial::expect(stage.content() == before,
                "nothing has changed, and a further reconcile changes something: " +
                    (writes.empty() ? std::string("?") : writes.front().text()));
}

void changes_nothing_after_restart(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  settled_keys(stage);
  const std::string before = stage.content();
  (void)stage.ready().stop();
  stage.restart();
  stage.tap.restart();
  stage.run();
  const auto writes = stage.tap.writes();
  Trial::expect(stage.content() == before,
                "nothing has changed, and a new start changes something: " +
                    (writes.empty() ? std::string("?") : writes.front().text()));
}

// The first line in which two forms differ.
std::string difference(const std::string& wanted, const std::string& found) {
  std::set<std::string> lines;
  const auto each_line = [](const std::string& text, const auto& fn) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      fn(text.substr(at, end - at));
      at = end + 1;
    }
  };
  each_line(found, [&](const std::string& line) { lines.insert(line); });
  std::string missing;
  each_line(wanted, [&](const std::string& line) {
    if (missing.empty() && lines.erase(line) == 0) missing = "lacks " + line;
  });
  if (missing.empty() && !lines.empty()) missing = "has " + *lines.begin();
  return missing;
}

void survives_an_end_after_each_write(Trial& trial, const std::string& component) {
  Stage& whole = Stage::make(trial, component);
  whole.settle();
  const auto count = whole.tap.writes().size();
  if (count == 0) Trial::skip("it writes nothing");
  for (std::size_t step = 0; step < std::min(count, kMostSteps); ++step) {
    Stage& stage = Stage::make(trial, component);
    std::size_t writes = 0;
    std::string last;
    // As a process that is killed: nothing goes out any more.
    stage.tap.judge([&](const HostCall& call, std::size_t) -> std::optional<Fault> {
      if (writes > step) return Fault{Fault::Kind::hang, {}};
      if (call.writes) ++writes;
      if (writes > step) last = call.text();
      return std::nullopt;
    });
    stage.run();
    if (writes <= step) return;
    stage.restart();
    stage.tap.restart();
    stage.settle();
    Trial::expect(stage.form() == whole.form(),
                  fmt::format("when the process ends after the {}, a new one does not make the "
                              "world fit: it {}",
                              last, difference(whole.form(), stage.form())));
  }
}

void reconciles_several_at_once(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  auto& controller = stage.ready();
  const auto keys = stage.keys();
  const std::size_t count = std::min<std::size_t>(keys.size(), controller.workers());
  if (count < 2) Trial::skip("it has one worker, or one key");
  std::vector<Reconciling> open;
  for (std::size_t i = 0; i < count; ++i) {
    open.push_back(stage.begin(keys[i], stage.host.contexts.make(30s)));
  }
  const auto all_done = [&] {
    return std::all_of(open.begin(), open.end(), [](const auto& each) { return each.done(); });
  };
  stage.host.loop.run_until(all_done);
  const auto faults = stage.host.faults();
  Trial::expect(faults.empty(), faults.empty() ? "" : faults.front());
  Trial::expect(all_done(), fmt::format("of {} reconciles at once, one does not complete", count));
}

void returns_soon(Trial& trial, const std::string& component) {
  constexpr auto kLong = 50ms;  // five times what the rule allows, for slow machines
  Stage& stage = Stage::make(trial, component);
  if (!stage.created().component.nonblocking()) {
    Trial::skip("the manifest says \"nonblocking\": false");
  }
  const auto keys = settled_keys(stage);
  for (std::size_t i = 0; i < std::min<std::size_t>(keys.size(), 3); ++i) {
    auto shortest = std::chrono::steady_clock::duration::max();
    for (int round = 0; round < 5; ++round) {
      const auto began = std::chrono::steady_clock::now();
      const auto pending = stage.begin(keys[i], stage.host.contexts.make(30s));
      const auto took = std::chrono::steady_clock::now() - began;
      if (round > 0) shortest = std::min(shortest, took);  // the first may fill caches
      (void)stage.finish(pending);
    }
    Trial::expect(shortest < kLong,
                  fmt::format("reconcile of \"{}\" holds the host's loop for {} ms", keys[i],
                              shortest / 1ms));
  }
}

// Somebody writes an object right before the controller's patch of it arrives.
void change_as_other(Stage& stage, const Stage::Place& place) {
  json object =
      json::parse(stage.host.kube.stored(place.resource, place.name, place.namespace_name));
  json& metadata = object["metadata"];
  metadata["annotations"][kOther] = "kept";
  metadata["labels"][kOther] = "kept";
  if (!metadata.contains("deletionTimestamp")) metadata["finalizers"].push_back(kOther);
  if (place.resource == "v1/nodes") {
    object["spec"]["taints"].push_back({{"key", kOther}, {"effect", "NoSchedule"}});
    object["status"]["conditions"].push_back({{"type", kOther}, {"status", "True"}});
  }
  stage.host.kube.put(place.resource, object.dump());
}

void expect_kept(Stage& stage, const Stage::Place& place) {
  const std::string text = stage.host.kube.stored(place.resource, place.name, place.namespace_name);
  if (text.empty()) return;
  const json object = json::parse(text);
  const json& metadata = object["metadata"];
  const auto lost = [&](const char* what) {
    Trial::fail(fmt::format("the {} that somebody gave {} {} meanwhile is lost", what,
                            place.resource, place.name));
  };
  const auto has = [](const json& list, const char* field) {
    return std::any_of(list.begin(), list.end(), [field](const json& element) {
      return (field == nullptr ? element : element.value(field, json())) == kOther;
    });
  };
  if (!metadata["annotations"].contains(kOther)) lost("annotation");
  if (!metadata["labels"].contains(kOther)) lost("label");
  if (!metadata.contains("deletionTimestamp") && !has(metadata["finalizers"], nullptr)) {
    lost("finalizer");
  }
  if (place.resource != "v1/nodes") return;
  if (!has(object["spec"]["taints"], "key")) lost("taint");
  if (!has(object["status"]["conditions"], "type")) lost("condition");
}

void keeps_changes_of_others(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  stage.ready();
  std::vector<Stage::Place> changed;
  stage.tap.judge([&](const HostCall& call, std::size_t) -> std::optional<Fault> {
    const Stage::Place place{call.resource, call.namespace_name, call.name};
    const auto& all = stage.places();
    const bool known_place = std::find(all.begin(), all.end(), place) != all.end();
    const bool first = std::find(changed.begin(), changed.end(), place) == changed.end();
    if (call.operation != "patch" || !known_place || !first) return std::nullopt;
    if (stage.host.kube.stored(place.resource, place.name, place.namespace_name).empty()) {
      return std::nullopt;
    }
    changed.push_back(place);
    change_as_other(stage, place);
    return std::nullopt;
  });
  stage.settle();
  if (changed.empty()) Trial::skip("it patches no object");
  for (const Stage::Place& place : changed) expect_kept(stage, place);
}

}  // namespace

void add_controller_reconcile_cases(Cases& cases) {
  add_case(cases, "CONTROLLER-20",
           "each reconcile completes once, with a code and a class that exist", "ccm/abi/status.h",
           "R-30, ccm_status", &completes_once);
  add_case(cases, "CONTROLLER-21", "a reconcile has a sound result, and none with a failure",
           "ccm/abi/status.h", "R-36, R-4", &gives_sound_results);
  add_case(cases, "CONTROLLER-22", "objects that have a name and nothing else are reconciled",
           "ccm/abi/object.h", "R-150", &lives_with_least_fields);
  add_case(cases, "CONTROLLER-23", "a further reconcile of an unchanged world changes nothing",
           kHeader, "reconcile makes the world fit one key", &comes_to_rest);
  add_case(cases, "CONTROLLER-24", "a new start in a world that fits changes nothing", kHeader,
           "R-100", &changes_nothing_after_restart);
  add_case(cases, "CONTROLLER-25",
           "a process that ends after any write leaves nothing undone to the next one", kHeader,
           "R-100", &survives_an_end_after_each_write);
  add_case(cases, "CONTROLLER-26", "several keys are reconciled at once", kHeader, "R-101",
           &reconciles_several_at_once);
  add_case(cases, "CONTROLLER-27", "reconcile does not hold the host's loop", "ccm/abi/base.h",
           "R-14", &returns_soon);
  add_case(cases, "CONTROLLER-28", "a patch takes away nothing that somebody else has just written",
           "ccm/abi/kube.h", "ccm_kube_patch_request", &keeps_changes_of_others);
}

}  // namespace ccm::conformance
