// The services whose functions return at once: what the component declares, says and counts.
#include "tap_component.hpp"

#include <ccm/abi/config.h>
#include <ccm/abi/ctx.h>
#include <ccm/abi/event.h>
#include <ccm/abi/log.h>
#include <ccm/abi/metrics.h>
#include <ccm/abi/object.h>
#include <ccm/abi/queue.h>
#include <ccm/abi/timer.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ccm::conformance {
namespace {

constexpr int64_t kSecretLength = 28;
constexpr std::size_t kMostFields = 10'000;

Tapped& tapped(void* self) { return *static_cast<Tapped*>(self); }
Tap& tap_of(void* self) { return *tapped(self).tap; }

// A map function that the tap calls for the component.
struct TappedMap {
  Tap* tap;
  std::string resource;
  ccm_map_fn map;
  ccm_drop_fn drop;
  void* owner;

  static void call(void* self, const ccm_watch_event* event) {
    auto& kept = *static_cast<TappedMap*>(self);
    const ccm_watch_event raw = known(event);
    kept.tap->keep_cached(raw.old, kept.resource);
    kept.tap->keep_cached(raw.now, kept.resource);
    const auto began = std::chrono::steady_clock::now();
    try {
      kept.map(kept.owner, event);
    } catch (...) {
      kept.tap->note("map", "an exception left the map function of " + kept.resource);
    }
    kept.tap->took("map", began);
  }
  static void dropped(void* self) {
    const std::unique_ptr<TappedMap> kept(static_cast<TappedMap*>(self));
    if (kept->drop != nullptr) kept->drop(kept->owner);
  }
};

bool sound_resource(std::string_view resource) {
  const auto parts = std::count(resource.begin(), resource.end(), '/');
  return (parts == 1 || parts == 2) && resource.front() != '/' && resource.back() != '/';
}

void watch(void* self, const ccm_watch* given) {
  Tap& tap = tap_of(self);
  tap.check_phase("watch", true);
  ccm_watch raw = known(given);
  TappedWatch made{raw, std::string(view(raw.resource)), {}};
  const auto wrong = [&](const std::string& what) {
    tap.note("malformed", fmt::format("the watch of \"{}\" {}", made.resource, what));
  };
  if (!only_known(given)) wrong("has a flag or member that these headers do not know");
  if (made.resource.empty() || !sound_resource(made.resource)) wrong("names no resource");
  if (raw.field_count > kMostFields || (raw.field_count > 0 && raw.fields == nullptr)) {
    wrong("counts fields and names none");
    raw.field_count = 0;
    raw.fields = nullptr;
  }
  for (size_t i = 0; i < raw.field_count; ++i) {
    made.fields.emplace_back(view(raw.fields[i]));
    const std::string& field = made.fields.back();
    if (!field.empty() && field.front() != '/') {
      wrong(fmt::format("has the field \"{}\", which is no JSON pointer", field));
    }
  }
  if (raw.resync_period_ms < 0) wrong("has a negative resync_period_ms");
  tap.declare(made);
  ccm_watch outer = raw;
  outer.size = sizeof(outer);
  if (raw.map != nullptr) {
    outer.map = &TappedMap::call;
    outer.drop = &TappedMap::dropped;
    outer.owner = new TappedMap{&tap, made.resource, raw.map, raw.drop, raw.owner};  // NOLINT
  }
  tapped(self).table<ccm_host_setup>()->watch(tapped(self).real.self, &outer);
}

void queue(void* self, const ccm_queue_options* given) {
  Tap& tap = tap_of(self);
  tap.check_phase("queue", true);
  const ccm_queue_options raw = known(given);
  if (!only_known(given)) {
    tap.note("malformed", "the queue has a flag or member that these headers do not know");
  }
  if (raw.backoff_first_ms < 0 || raw.backoff_limit_ms < 0 || raw.reconcile_timeout_ms < 0) {
    tap.note("malformed", "a time of the queue is negative");
  }
  tapped(self).table<ccm_host_setup>()->queue(tapped(self).real.self, given);
}

void every(void* self, ccm_str key, int64_t period_ms) {
  Tap& tap = tap_of(self);
  tap.check_phase("every", true);
  if (period_ms <= 0) {
    tap.note("malformed",
             fmt::format("the period of the key \"{}\" is {} ms", view(key), period_ms));
  }
  if (view(key).empty()) tap.note("malformed", "a period has an empty key");
  tapped(self).table<ccm_host_setup>()->every(tapped(self).real.self, key,
                                              std::max<int64_t>(period_ms, 1));
}

void add(void* self, const ccm_queue_item* given) {
  Tap& tap = tap_of(self);
  tap.check_phase("queue.add", false);
  const ccm_queue_item raw = known(given);
  tap.check_text("a key", raw.key);
  tap.add_key({std::string(view(raw.key)), raw.priority});
  tapped(self).table<ccm_host_queue>()->add(tapped(self).real.self, given);
}

void record_event(void* self, const ccm_event* given) {
  Tap& tap = tap_of(self);
  tap.check_phase("event.record", false);
  const ccm_event raw = known(given);
  const std::string_view reason = view(raw.reason);
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0; };
  const bool camel = !reason.empty() && std::isupper(static_cast<unsigned char>(reason[0])) != 0 &&
                     std::all_of(reason.begin(), reason.end(), is_word);
  if (!camel) {
    tap.note("events", fmt::format("the reason \"{}\" of an Event is not CamelCase", reason));
  }
  tap.note("event-count", std::string(reason));
  tap.check_text("the message of an Event", raw.message);
  tap.say(raw.message);
  tapped(self).table<ccm_host_event>()->record(tapped(self).real.self, given);
}

ccm_bool enabled(void* self, int32_t level) {
  return tapped(self).table<ccm_host_log>()->enabled(tapped(self).real.self, level);
}

void write_log(void* self, ccm_ctx ctx, const ccm_log_record* given) {
  Tap& tap = tap_of(self);
  const ccm_log_record raw = known(given);
  tap.check_text("the message of a log line", raw.message);
  tap.say(raw.message);
  for (size_t i = 0; i < raw.pair_count; ++i) {
    tap.check_text("a key of a log line", raw.pairs[i].key);
    tap.check_text("a value of a log line", raw.pairs[i].value);
    tap.say(raw.pairs[i].value);
  }
  tapped(self).table<ccm_host_log>()->write(tapped(self).real.self, ctx, given);
}

bool sound_name(std::string_view name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == ':'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), fits);
}

uint64_t define(void* self, const ccm_metric* given) {
  Tap& tap = tap_of(self);
  tap.check_phase("metrics.define", true);
  const ccm_metric raw = known(given);
  const std::string name(view(raw.name));
  const auto wrong = [&](const char* what) {
    tap.note("metrics", fmt::format("the metric \"{}\" {}", name, what));
  };
  if (!only_known(given)) wrong("has a flag or member that these headers do not know");
  if (!sound_name(name)) wrong("has no name of Prometheus'");
  if (raw.kind < CCM_METRIC_COUNTER || raw.kind > CCM_METRIC_HISTOGRAM) wrong("has no known kind");
  for (size_t i = 0; i < raw.label_count; ++i) {
    if (!sound_name(view(raw.label_names[i]))) wrong("has an impossible label");
  }
  for (size_t i = 1; i < raw.bucket_count; ++i) {
    if (!(raw.buckets[i - 1] < raw.buckets[i])) wrong("has buckets that do not ascend");
  }
  const uint64_t number =
      tapped(self).table<ccm_host_metrics>()->define(tapped(self).real.self, given);
  if (number == 0) wrong("is defined twice, with another shape");
  tap.keep_metric(number, name, raw.kind, raw.label_count);
  return number;
}

void record_metric(void* self, uint64_t metric, const ccm_str* values, size_t count, double value) {
  tap_of(self).check_metric(metric, values, count, value);
  tapped(self).table<ccm_host_metrics>()->record(tapped(self).real.self, metric, values, count,
                                                 value);
}

int64_t secret(void* self, ccm_str name, char* buffer, size_t capacity) {
  const std::string content =
      fmt::format("conformance-secret-{:>9}", std::string(view(name)).substr(0, 9));
  tap_of(self).keep_secret(content);
  for (size_t i = 0; buffer != nullptr && i < std::min(capacity, content.size()); ++i) {
    buffer[i] = content[i];
  }
  return kSecretLength;
}

const ccm_host_config* config_table() {
  static const ccm_host_config table = [] {
    auto made = sized<ccm_host_config>();
    made.flag = [](void* self, ccm_str name, ccm_str* out) {
      return tapped(self).table<ccm_host_config>()->flag(tapped(self).real.self, name, out);
    };
    made.flag_given = [](void* self, ccm_str name) {
      return tapped(self).table<ccm_host_config>()->flag_given(tapped(self).real.self, name);
    };
    made.cloud_config = [](void* self, ccm_str* out) {
      return tapped(self).table<ccm_host_config>()->cloud_config(tapped(self).real.self, out);
    };
    made.secret = &secret;
    made.on_change = [](void* self, ccm_callback callback) {
      tap_of(self).check_phase("config.on_change", true);
      return tapped(self).table<ccm_host_config>()->on_change(tapped(self).real.self, callback);
    };
    made.rejected = [](void* self, ccm_str file, ccm_str reason) {
      tapped(self).table<ccm_host_config>()->rejected(tapped(self).real.self, file, reason);
    };
    made.accepted = [](void* self, ccm_str file) {
      tapped(self).table<ccm_host_config>()->accepted(tapped(self).real.self, file);
    };
    return made;
  }();
  return &table;
}

// References are counted, and reads of cached objects compared with what was declared.
const ccm_host_object* object_table() {
  static const ccm_host_object table = [] {
    auto made = sized<ccm_host_object>();
    made.retain = [](void* self, const ccm_object* object) {
      if (object != nullptr) tap_of(self).add_reference(1);
      tapped(self).table<ccm_host_object>()->retain(tapped(self).real.self, object);
    };
    made.release = [](void* self, const ccm_object* object) {
      if (object != nullptr) tap_of(self).add_reference(-1);
      tapped(self).table<ccm_host_object>()->release(tapped(self).real.self, object);
    };
    made.find = [](void* self, const ccm_object* object, ccm_str pointer) {
      tap_of(self).check_read(object, view(pointer));
      return tapped(self).table<ccm_host_object>()->find(tapped(self).real.self, object, pointer);
    };
    made.find_in = [](void* self, ccm_value from, ccm_str pointer) {
      return tapped(self).table<ccm_host_object>()->find_in(tapped(self).real.self, from, pointer);
    };
    made.kind = [](void* self, ccm_value value) {
      return tapped(self).table<ccm_host_object>()->kind(tapped(self).real.self, value);
    };
    made.text = [](void* self, ccm_value value, ccm_str* out) {
      return tapped(self).table<ccm_host_object>()->text(tapped(self).real.self, value, out);
    };
    made.each = [](void* self, ccm_value container, ccm_visit_fn visit, void* owner) {
      tapped(self).table<ccm_host_object>()->each(tapped(self).real.self, container, visit, owner);
    };
    made.json = [](void* self, const ccm_object* object) {
      return tapped(self).table<ccm_host_object>()->json(tapped(self).real.self, object);
    };
    made.equal = [](void* self, ccm_value left, ccm_value right) {
      return tapped(self).table<ccm_host_object>()->equal(tapped(self).real.self, left, right);
    };
    made.parse = [](void* self, ccm_str json) {
      const ccm_object* object =
          tapped(self).table<ccm_host_object>()->parse(tapped(self).real.self, json);
      if (object != nullptr) tap_of(self).add_reference(1);
      tap_of(self).keep_cached(object, "");
      return object;
    };
    return made;
  }();
  return &table;
}

const ccm_host_timer* timer_table() {
  static const ccm_host_timer table = [] {
    auto made = sized<ccm_host_timer>();
    made.now_ms = [](void* self) {
      return tapped(self).table<ccm_host_timer>()->now_ms(tapped(self).real.self);
    };
    made.wall_clock_ms = [](void* self) {
      return tapped(self).table<ccm_host_timer>()->wall_clock_ms(tapped(self).real.self);
    };
    made.after = [](void* self, int64_t delay_ms, ccm_callback callback) {
      tap_of(self).check_phase("timer.after", false);
      return tapped(self).table<ccm_host_timer>()->after(tapped(self).real.self, delay_ms,
                                                         callback);
    };
    made.cancel = [](void* self, uint64_t timer) {
      tapped(self).table<ccm_host_timer>()->cancel(tapped(self).real.self, timer);
    };
    return made;
  }();
  return &table;
}

const ccm_host_post* post_table() {
  static const ccm_host_post table = [] {
    auto made = sized<ccm_host_post>();
    made.post = [](void* self, ccm_callback callback) {
      tap_of(self).check_phase("post", false);
      tapped(self).table<ccm_host_post>()->post(tapped(self).real.self, callback);
    };
    return made;
  }();
  return &table;
}

}  // namespace

const void* tapped_table(std::string_view id) {
  static const ccm_host_setup setup{sizeof(setup), 0, &watch, &queue, &every};
  static const ccm_host_queue keys{sizeof(keys), 0, &add};
  static const ccm_host_event events{sizeof(events), 0, &record_event};
  static const ccm_host_log log{sizeof(log), 0, &enabled, &write_log};
  static const ccm_host_metrics metrics{sizeof(metrics), 0, &define, &record_metric};
  static const std::map<std::string_view, const void*> tables = {
      {CCM_HOST_SETUP, &setup},          {CCM_HOST_QUEUE, &keys},
      {CCM_HOST_EVENT, &events},         {CCM_HOST_LOG, &log},
      {CCM_HOST_METRICS, &metrics},      {CCM_HOST_CONFIG, config_table()},
      {CCM_HOST_OBJECT, object_table()}, {CCM_HOST_TIMER, timer_table()},
      {CCM_HOST_POST, post_table()}};
  const auto found = tables.find(id);
  return found != tables.end() ? found->second : tapped_operations(id);
}

}  // namespace ccm::conformance
