// Runs one controller: maps events to keys, queues them, and reconciles a number of them at once
// while this process leads and the caches are synced. Loop thread.
#pragma once

#include "kube/informer.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/work_queue.hpp"

#include <ccm/status.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ccm::runtime {

// The source of a controller's events: the shared informers, or a test.
struct WatchSpec {
  std::string resource;             // "v1/nodes"
  std::vector<std::string> fields;  // JSON pointers of all fields that are read
  std::string label_selector;
  std::string field_selector;
  std::chrono::milliseconds resync{0};  // 0 = never
};

class EventSource {
 public:
  virtual ~EventSource() = default;
  // Passes the events of `spec` to `handler` (its `resync` is set from the spec) until the source
  // ends. on_synced must be called once, after the initial adds. Failure: invalid_argument naming
  // the fault of the spec. Loop thread.
  virtual Status watch(const WatchSpec& spec, kube::InformerHandler handler) = 0;
};

// The informers of a process (HOST-85, 89). `informers` must outlive it.
class InformerSource final : public EventSource {
 public:
  explicit InformerSource(kube::InformerSet& informers) : informers_(informers) {}
  Status watch(const WatchSpec& spec, kube::InformerHandler handler) override;

 private:
  kube::InformerSet& informers_;
};

// The interface that a controller runner drives: reconcile one key and report the result.

using ReconcileRequest = WorkQueue::Item;

struct ReconcileResult {
  std::chrono::milliseconds requeue_after{0};  // 0 = only after the next event
};

class Reconciler {
 public:
  using Done = std::function<void(Status, ReconcileResult)>;
  virtual ~Reconciler() = default;
  // Reconciles `request.key` within `timeout`. Calls `done` exactly once, on the loop, never inside
  // this call. Loop thread.
  virtual void reconcile(const ReconcileRequest& request, std::chrono::milliseconds timeout,
                         Done done) = 0;
  // Cancels the ctx of all running reconciles; each `done` is still called. Loop thread.
  virtual void cancel() = 0;
};

// `hinted`: the provider says that the cloud's side of the object changed.
enum class EventKind : int32_t { added = 1, updated = 2, deleted = 3, resync = 4, hinted = 5 };

// Nothing to do here, and no fault.
inline bool left_alone(const Status& status) {
  return status.code() == Code::implemented_elsewhere;
}

// How one reconcile ended, for logs and metrics. Valid during the call.
struct ReconcileReport {
  const ReconcileRequest& request;
  const Status& status;
  std::chrono::nanoseconds duration;
  std::chrono::milliseconds next;  // when the key is requeued; negative = never without an event
};

struct RunnerOptions {
  std::size_t workers = 1;
  std::chrono::milliseconds reconcile_timeout{30'000};
  WorkQueue::Options queue;
};

class ControllerRunner {
 public:
  // Adds the keys that concern one event to queue(). `before` is null for what was added or
  // deleted; where nothing changed (a resync, a hint) it is `now`.
  using MapFn = std::function<void(EventKind kind, const kube::ObjectPtr& before,
                                   const kube::ObjectPtr& now)>;
  using ReportFn = std::function<void(const ReconcileReport&)>;

  // `reconciler`, `loop`, `timers` and `observer` (may be null) must outlive it; `report` may be
  // empty.
  ControllerRunner(EventLoop& loop, Timers& timers, Reconciler& reconciler, RunnerOptions options,
                   QueueObserver* observer = nullptr, ReportFn report = {});
  ~ControllerRunner();
  ControllerRunner& operator=(ControllerRunner&&) = delete;

  // Adds a watch; an empty `map` makes the key "name" or "namespace/name" of each event, periodic
  // for resyncs. Keys gather from now on, also while this process stands by. Before start().
  Status watch(EventSource& source, const WatchSpec& spec, MapFn map = {});

  // Adds `key` once the caches are synced and `period` after each reconcile of it. Before start().
  void every(std::string key, std::chrono::milliseconds period) {
    periods_[std::move(key)] = std::max(period, std::chrono::milliseconds(1));
  }

  // The cloud's side of an object has changed, as the provider says; `map` as in watch().
  void hint(const kube::ObjectPtr& object, const MapFn& map) {
    on_event(EventKind::hinted, object, object, map);
  }

  // This process leads: reconciles begin as soon as every watch is synced.
  void start();
  [[nodiscard]] bool synced() const { return unsynced_ == 0; }
  [[nodiscard]] bool started() const { return started_; }
  [[nodiscard]] std::size_t workers() const { return options_.workers; }
  [[nodiscard]] WorkQueue& queue() { return queue_; }
  [[nodiscard]] const WorkQueue& queue() const { return queue_; }

  // Takes no more keys, cancels the running ones and waits for them up to `limit`. `stopped` gets
  // the number of keys that are still running (0 = all ended); posted, called once.
  void stop(std::chrono::milliseconds limit, std::function<void(std::size_t running)> stopped);

 private:
  void on_event(EventKind kind, const kube::ObjectPtr& before, const kube::ObjectPtr& now,
                const MapFn& map);
  // Whether it did: no worker takes that key, and no other watch means it.
  bool drop_key_of(const kube::Object& gone, bool namespaced);
  void on_synced();
  void schedule_pump();
  void pump();
  void run(const ReconcileRequest& request);
  void ended(const ReconcileRequest& request, TimePoint begin, const Status& status,
             ReconcileResult result);
  std::chrono::milliseconds requeue(const ReconcileRequest& request, const Status& status,
                                    ReconcileResult result);
  void finish_stop();
  // `fn`, which does nothing any more once this runner is gone: for those who may call it later.
  template <typename Fn>
  [[nodiscard]] auto while_alive(Fn fn) const {
    return [alive = std::weak_ptr(alive_), fn = std::move(fn)](auto&&... arguments) {
      if (!alive.expired()) fn(std::forward<decltype(arguments)>(arguments)...);
    };
  }

  EventLoop& loop_;
  Timers& timers_;
  Reconciler& reconciler_;
  RunnerOptions options_;
  ReportFn report_;
  WorkQueue queue_;
  std::unordered_map<std::string, std::chrono::milliseconds> periods_;
  std::array<std::size_t, 2> watches_{};  // counts for cluster-scoped and for namespaced objects
  std::size_t unsynced_ = 0;
  std::size_t running_ = 0;
  bool started_ = false;
  bool stopping_ = false;
  bool pump_posted_ = false;
  Timers::Id stop_timer_ = 0;
  std::function<void(std::size_t)> stopped_;
  std::shared_ptr<const bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ccm::runtime
