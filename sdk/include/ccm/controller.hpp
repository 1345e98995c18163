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
#include <ccm/queue.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm {

enum class EventKind : int32_t {
  added = CCM_EVENT_ADDED,      // `old` is empty
  updated = CCM_EVENT_UPDATED,  // both; the same snapshot when no declared field changed
  deleted = CCM_EVENT_DELETED,  // `now` is the last known state, `old` is empty
  resync = CCM_EVENT_RESYNC,    // `old` is `now`
  hinted = CCM_EVENT_HINTED,    // `old` is `now`; the provider says that the cloud's side changed
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

// A map function as the host gets it, and drops it.
struct KeptMap {
  const Host* host;
  Watch::Map map;

  static void call(void* owner, const ccm_watch_event* given) noexcept {
    const auto& kept = *static_cast<KeptMap*>(owner);
    try {
      const ccm_watch_event event = known(given);
      const bool kind_known = event.kind >= CCM_EVENT_ADDED && event.kind <= CCM_EVENT_HINTED;
      const auto kind = kind_known ? static_cast<EventKind>(event.kind) : EventKind::resync;
      const ObjectHost objects = kept.host->objects;
      kept.map(kind, Object(objects, event.old), Object(objects, event.now), kept.host->queue);
    } catch (...) {
      kept.host->log.error("Mapping an event to keys threw", {{"err", status_of_exception()}});
    }
  }
  static void drop(void* owner) noexcept { delete static_cast<KeptMap*>(owner); }
};

}  // namespace detail

// The argument of `setup`; valid during that call.
class Setup {
 public:
  explicit Setup(const Host& host)
      : host_(host), setup_(host.find<ccm_host_setup>(CCM_HOST_SETUP)) {}

  void watch(Watch watch) {
    const auto fn = setup_.get(&ccm_host_setup::watch);
    if (fn == nullptr) return;
    const std::vector<ccm_str> fields = detail::strings_to_c(watch.fields);
    ccm_watch raw = sized<ccm_watch>();
    raw.resource = c_str(watch.resource);
    raw.fields = fields.data();
    raw.field_count = fields.size();
    raw.label_selector = c_str(watch.label_selector);
    raw.field_selector = c_str(watch.field_selector);
    raw.resync_period_ms = watch.resync_period.count();
    if (watch.map) {
      std::unique_ptr<detail::KeptMap> kept(new detail::KeptMap{&host_, std::move(watch.map)});
      raw.map = &detail::KeptMap::call;
      raw.drop = &detail::KeptMap::drop;
      raw.owner = kept.release();
    }
    fn(setup_.self(), &raw);
  }

  void queue(const QueueOptions& options) {
    const auto fn = setup_.get(&ccm_host_setup::queue);
    if (fn == nullptr) return;
    ccm_queue_options raw = sized<ccm_queue_options>();
    raw.name = c_str(options.name);
    raw.workers = options.workers;
    raw.backoff_first_ms = options.backoff_first.count();
    raw.backoff_limit_ms = options.backoff_limit.count();
    raw.reconcile_timeout_ms = options.reconcile_timeout.count();
    fn(setup_.self(), &raw);
  }

  // Puts `key` into the queue at `periodic`: once the caches are synced, then `period` after each
  // reconcile of it ended.
  void every(std::string_view key, std::chrono::milliseconds period) {
    const auto fn = setup_.get(&ccm_host_setup::every);
    if (fn != nullptr) fn(setup_.self(), c_str(key), period.count());
  }

 private:
  const Host& host_;
  Service<ccm_host_setup> setup_;
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

// `Part` has members `Host host` and `T object`; `self` of the table points to it.
template <typename T, typename Part>
struct ControllerAdapter {
  static Part& part(void* self) { return *static_cast<Part*>(self); }

  static void setup(void* self, ccm_ctx /*ctx*/, const ccm_setup_request* request,
                    ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&](const ccm_setup_request&) {
      p.host.find_cloud();
      Setup setup(p.host);
      return p.object.setup(setup);
    };
    operate_on(p.host, "setup", request, done, call, NoResult());
  }

  static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                        ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&](const ccm_reconcile_request& raw) {
      const bool changed = raw.priority == CCM_PRIORITY_CHANGED;
      return p.object.reconcile(
          Ctx(p.host.contexts, ctx),
          Request{std::string(view(raw.key)), changed ? Priority::changed : Priority::periodic,
                  raw.attempt});
    };
    const auto give = [](const ReconcileResult& result, const Pass& pass) {
      ccm_reconcile_result raw = sized<ccm_reconcile_result>();
      raw.requeue_after_ms = result.requeue_after.count();
      pass(&raw);
    };
    operate_on(p.host, "reconcile", request, done, call, give);
  }

  static void stop(void* self, ccm_ctx ctx, const ccm_stop_request* request,
                   ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&](const ccm_stop_request&) {
      return p.object.stop(Ctx(p.host.contexts, ctx));
    };
    operate_on(p.host, "stop", request, done, call, NoResult());
  }

  static const ccm_controller* table() {
    static const ccm_controller table = [] {
      ccm_controller slots = sized<ccm_controller>();
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
