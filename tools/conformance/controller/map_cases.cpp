// Functions that turn events into keys: ccm_watch_event of ccm/abi/controller.h.
#include "stage.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHeader = "ccm/abi/controller.h";

struct EventOfFuture {
  ccm_watch_event event = sized<ccm_watch_event>();
  uint64_t more[2] = {0xA5A5A5A5A5A5A5A5U, 0xA5A5A5A5A5A5A5A5U};
};

// Keys that a map makes of an event, sorted.
std::vector<AddedKey> keys_of(Stage& stage, const TappedWatch& watch,
                              const ccm_watch_event& event) {
  stage.tap.clear_added();
  watch.raw.map(watch.raw.owner, &event);
  auto added = stage.tap.added();
  std::sort(added.begin(), added.end());
  return added;
}

bool same(const std::vector<AddedKey>& left, const std::vector<AddedKey>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const AddedKey& a, const AddedKey& b) {
                      return a.key == b.key && a.priority == b.priority;
                    });
}

// Runs `look` with each object of each watch that has a map function.
void for_each_object(
    Stage& stage,
    const std::function<void(const TappedWatch&, const Object&, const std::string&)>& look) {
  stage.ready();
  bool any = false;
  for (const TappedWatch& watch : stage.tap.watches()) {
    if (watch.raw.map == nullptr) continue;
    for (const Stage::Place& place : stage.places()) {
      if (place.resource != watch.resource) continue;
      const Object object = stage.host.objects.make(
          stage.host.kube.stored(place.resource, place.name, place.namespace_name));
      any = true;
      look(watch, object, place.resource + " " + place.name);
    }
  }
  if (!any) Trial::skip("no watch has a map function");
}

ccm_watch_event event_of(int32_t kind, const Object& old, const Object& now) {
  auto event = sized<ccm_watch_event>();
  event.kind = kind;
  event.old = old.get();
  event.now = now.get();
  return event;
}

void throws_nothing(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  if (!stage.set_up().ok()) Trial::skip("setup does not succeed; see CONTROLLER-01");
  stage.host.kube.resync();
  stage.host.loop.run();
  const auto notes = stage.tap.notes("map");
  Trial::expect(notes.empty(), notes.empty() ? "" : notes.front());
}

void takes_unknown_kinds(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  for_each_object(stage, [&](const TappedWatch& watch, const Object& now, const std::string& what) {
    const auto resync = event_of(CCM_EVENT_RESYNC, now, now);
    keys_of(stage, watch, resync);
    const auto expected = keys_of(stage, watch, resync);
    if (!same(expected, keys_of(stage, watch, resync))) return;
    for (const int32_t kind : {77, 0, -1}) {
      Trial::expect(same(expected, keys_of(stage, watch, event_of(kind, now, now))),
                    fmt::format("an event of the unknown kind {} about {} leads to other keys, or "
                                "another priority, than a RESYNC",
                                kind, what));
    }
  });
}

void takes_larger_events(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  for_each_object(stage, [&](const TappedWatch& watch, const Object& now, const std::string& what) {
    const Object none;
    const auto plain = event_of(CCM_EVENT_ADDED, none, now);
    keys_of(stage, watch, plain);
    const auto expected = keys_of(stage, watch, plain);
    if (!same(expected, keys_of(stage, watch, plain))) return;
    EventOfFuture future;
    future.event = plain;
    future.event.size = sizeof(future);
    Trial::expect(same(expected, keys_of(stage, watch, future.event)),
                  fmt::format("an event about {} that is larger than these headers know leads to "
                              "other keys",
                              what));
  });
}

// The object is gone when its key is reconciled.
void lives_with_deleted_objects(Trial& trial, const std::string& component) {
  Stage::make(trial, component).run();  // skips when reconciles do not complete at all
  Stage& stage = Stage::make(trial, component);
  const auto keys = stage.keys();
  if (keys.empty()) Trial::skip("no event leads to a key");
  for (const auto& place : stage.places()) {
    stage.remove(place.resource, place.name, place.namespace_name);
  }
  for (const std::string& key : keys) {
    const auto pending = stage.begin(key, stage.host.contexts.make(30s));
    stage.host.loop.run_until([&] { return pending.done(); });
    Trial::expect(pending.done(), fmt::format("the reconcile of \"{}\" does not complete when its "
                                              "object is gone",
                                              key));
    const auto faults = stage.host.faults();
    Trial::expect(faults.empty(), faults.empty() ? "" : faults.front());
  }
  stage.host.loop.run();
  Trial::expect(stage.tap.notes("map").empty(), "the map function throws when an object is gone");
}

}  // namespace

void add_controller_map_cases(Cases& cases) {
  add_case(cases, "CONTROLLER-05", "no exception leaves a map function", "ccm/abi/base.h", "R-16",
           &throws_nothing);
  add_case(cases, "CONTROLLER-15", "an event of an unknown kind counts as RESYNC", kHeader,
           "ccm_watch_event.kind", &takes_unknown_kinds);
  add_case(cases, "CONTROLLER-16", "an event of a newer host leads to the same keys",
           "ccm/abi/base.h", "R-5, R-7", &takes_larger_events);
  add_case(cases, "CONTROLLER-17", "the reconcile of an object that is gone completes",
           "ccm/abi/status.h", "R-30", &lives_with_deleted_objects);
}

}  // namespace ccm::conformance
