// The adapter that turns a plain class into a controller:
//
//   Status setup(Setup&);                           says what to watch; unimplemented = not needed
//   Result<ReconcileResult> reconcile(Ctx, Request);   or a Status, or a Task of either
//   Status stop(Ctx);                               optional; or a Task
//
// The host owns informers, queue, back-off and leader gating. Tasks need "nonblocking": true.
#pragma once

#include <ccm/abi/controller.h>
#include <ccm/component.hpp>
#include <ccm/host.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm {

// Everything at `changed` goes before anything at `periodic`.
enum class Priority : int32_t {
  changed = CCM_PRIORITY_CHANGED,
  periodic = CCM_PRIORITY_PERIODIC,
};

enum class EventKind : int32_t {
  added = CCM_EVENT_ADDED,      // `old` is empty
  updated = CCM_EVENT_UPDATED,  // both; the same snapshot when no declared field changed
  deleted = CCM_EVENT_DELETED,  // `now` is the last known state, `old` is empty
  resync = CCM_EVENT_RESYNC,    // `old` is `now`
};

// One key to reconcile.
struct Request {
  std::string key;
  Priority priority = Priority::changed;
  uint32_t attempt = 0;  // 0 on the first try, then how often it failed in a row
};

struct ReconcileResult {
  std::chrono::milliseconds requeue_after{0};  // 0 = not before the next event
};

// The controller's queue, as a map function sees it. Valid during that call.
class Queue {
 public:
  explicit Queue(const ccm_queue* raw) : raw_(raw) {}
  // A key that waits already keeps the better priority and the earlier time.
  void add(std::string_view key, Priority priority = Priority::changed,
           std::chrono::milliseconds delay = std::chrono::milliseconds(0)) const {
    raw_->add(raw_->self, c_str(key), static_cast<int32_t>(priority), delay.count());
  }

 private:
  const ccm_queue* raw_;
};

struct Watch {
  using Map =
      std::function<void(EventKind kind, const Object& old, const Object& now, const Queue& queue)>;
  std::string resource;             // "v1/nodes"
  std::vector<std::string> fields;  // JSON pointers of all that the controller reads
  std::string label_selector;
  std::string field_selector;
  std::chrono::milliseconds resync_period{0};  // 0 = --min-resync-period
  Map map;  // empty: key = "name" or "namespace/name" of each event. Must not block
};

struct QueueOptions {
  uint32_t workers = 1;  // keys reconciled at once
  std::string name;      // of the workqueue metrics; empty = the component's name
  std::chrono::milliseconds backoff_first{0};      // after the first failure; 0 = 5 ms
  std::chrono::milliseconds backoff_limit{0};      // 0 = 1,000 s
  std::chrono::milliseconds reconcile_timeout{0};  // deadline of the Ctx; 0 = 30 s
};

namespace detail {

// A map function at the address that the host was given; it lives as long as the component.
struct KeptMap {
  Host* host;
  Watch::Map map;

  static void call(void* owner, int32_t kind, const ccm_object* old, const ccm_object* now,
                   const ccm_queue* queue) noexcept {
    const auto& kept = *static_cast<KeptMap*>(owner);
    try {
      const ObjectHost objects = kept.host->objects;
      kept.map(static_cast<EventKind>(kind), Object(objects, old), Object(objects, now),
               Queue(queue));
    } catch (...) {
      kept.host->log.error("mapping an event to keys threw", {{"error", status_of_exception()}});
    }
  }
};

}  // namespace detail

// The argument of `setup`; valid during that call.
class Setup {
 public:
  Setup(Host& host, const ccm_host_setup* raw, std::list<detail::KeptMap>& maps)
      : host_(host), raw_(raw), maps_(maps) {}

  void watch(Watch watch) {
    std::vector<ccm_str> fields;
    fields.reserve(watch.fields.size());
    for (const std::string& field : watch.fields) fields.push_back(c_str(field));
    ccm_watch raw{};
    raw.size = sizeof(raw);
    raw.resource = c_str(watch.resource);
    raw.fields = fields.data();
    raw.field_count = fields.size();
    raw.label_selector = c_str(watch.label_selector);
    raw.field_selector = c_str(watch.field_selector);
    raw.resync_period_ms = watch.resync_period.count();
    if (watch.map) {
      maps_.push_back({&host_, std::move(watch.map)});
      raw.map = &detail::KeptMap::call;
      raw.owner = &maps_.back();
    }
    raw_->watch(raw_->self, &raw);
  }

  void queue(const QueueOptions& options) {
    const ccm_queue_options raw{sizeof(raw),
                                options.workers,
                                c_str(options.name),
                                options.backoff_first.count(),
                                options.backoff_limit.count(),
                                options.reconcile_timeout.count()};
    raw_->queue(raw_->self, &raw);
  }

  // Puts `key` into the queue at `periodic`: once the caches are synced, then `period` after each
  // reconcile of it ended.
  void every(std::string_view key, std::chrono::milliseconds period) {
    raw_->every(raw_->self, c_str(key), period.count());
  }

 private:
  Host& host_;
  const ccm_host_setup* raw_;
  std::list<detail::KeptMap>& maps_;
};

namespace detail {

template <typename T>
concept IsController = requires(T& t, Ctx ctx, Request request, Setup& setup) {
  { t.setup(setup) } -> std::same_as<Status>;
  t.reconcile(ctx, std::move(request));
};
template <typename T>
concept HasStop = requires(T& t, Ctx ctx) {
  t.stop(ctx);
};

// `Part` has members `Host host`, `T object` and `std::list<KeptMap> maps`.
template <typename T, typename Part>
struct ControllerAdapter {
  static Part& part(void* self) { return *static_cast<Part*>(self); }

  static void setup(void* self, const ccm_ctx*, const ccm_host_setup* raw,
                    ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&] {
      Setup setup(p.host, raw, p.maps);
      return p.object.setup(setup);
    };
    operate(p.host, "setup", done, call, [](const Status&, Completion&) {});
  }

  static void reconcile(void* self, const ccm_ctx* ctx, const ccm_reconcile_request* raw,
                        ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&] {
      Request request{std::string(view(raw->key)), static_cast<Priority>(raw->priority),
                      raw->attempt};
      return p.object.reconcile(Ctx(p.host.contexts, ctx), std::move(request));
    };
    const auto give = [](const ReconcileResult& result, Completion& completion) {
      const ccm_reconcile_result raw_result{sizeof(raw_result), 0, result.requeue_after.count()};
      completion.succeed(&raw_result);
    };
    operate(p.host, "reconcile", done, call, give);
  }

  static void stop(void* self, const ccm_ctx* ctx, ccm_completion done) noexcept {
    Part& p = part(self);
    operate(
        p.host, "stop", done, [&] { return p.object.stop(Ctx(p.host.contexts, ctx)); },
        [](const Status&, Completion&) {});
  }

  static const ccm_controller* table() {
    static const ccm_controller table = [] {
      ccm_controller slots{};
      slots.size = sizeof(slots);
      slots.setup = &setup;
      slots.reconcile = &reconcile;
      if constexpr (HasStop<T>) slots.stop = &stop;
      return slots;
    }();
    return &table;
  }
};

}  // namespace detail
}  // namespace ccm
