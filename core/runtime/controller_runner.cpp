#include "runtime/controller_runner.hpp"

#include "kube/resource.hpp"

#include <algorithm>

namespace ccm::runtime {
using std::chrono::milliseconds;

Status InformerSource::watch(const WatchSpec& spec, kube::InformerHandler handler) {
  auto resource = kube::Resource::parse(spec.resource);
  if (!resource) return resource.status().with_context("watch");
  auto fields = kube::FieldSet::of(spec.fields);
  if (!fields) return fields.status().with_context("watch " + spec.resource);
  kube::InformerSpec wanted;
  wanted.resource = std::move(*resource);
  wanted.label_selector = spec.label_selector;
  wanted.field_selector = spec.field_selector;
  handler.resync = spec.resync;
  Status subscribed = informers_.informer(wanted)->subscribe(*fields, std::move(handler));
  return subscribed.ok() ? subscribed : subscribed.with_context("watch " + spec.resource);
}

namespace {

constexpr milliseconds kNever{-1};
// A refused credential is retried more slowly than an ordinary fault.
constexpr milliseconds kAuthRetry{10'000};

std::string key_of(const kube::Object& object) {
  std::string key(object.namespace_name());
  if (!key.empty()) key += '/';
  key += object.name();
  return key;
}

// When a key returns although there is no success: without back-off, since it waits for somebody
// or something. None: it failed.
std::optional<milliseconds> known_wait(const Status& status) {
  const bool advised = status.retry_after() > milliseconds(0);
  // Without a time from the controller, it is reconciled again only when the object changes.
  if (status.permanent()) return advised ? status.retry_after() : kNever;
  // Somebody may raise the limit, but not soon.
  if (status.over_quota()) return advised ? status.retry_after() : milliseconds(kQuotaRetry);
  // The cloud is working on it.
  const bool waiting = status.error_class() == ErrorClass::waiting && advised;
  return waiting ? std::optional(status.retry_after()) : std::nullopt;
}

}  // namespace

ControllerRunner::ControllerRunner(EventLoop& loop, Timers& timers, Reconciler& reconciler,
                                   RunnerOptions options, QueueObserver* observer, ReportFn report)
    : loop_(loop),
      timers_(timers),
      reconciler_(reconciler),
      options_(options),
      report_(std::move(report)),
      queue_(timers, options.queue, observer) {
  options_.workers = std::max<std::size_t>(options_.workers, 1);
  queue_.on_ready([this] { schedule_pump(); });
}

ControllerRunner::~ControllerRunner() {
  if (stop_timer_ != 0) timers_.cancel(stop_timer_);
}

Status ControllerRunner::watch(EventSource& source, const WatchSpec& spec, MapFn map) {
  kube::InformerHandler handler;
  auto shared_map = std::make_shared<const MapFn>(std::move(map));
  handler.on_add = while_alive([this, shared_map](const kube::ObjectPtr& object, bool) {
    on_event(EventKind::added, nullptr, object, *shared_map);
  });
  handler.on_update = while_alive(
      [this, shared_map](const kube::ObjectPtr& before, const kube::ObjectPtr& now, bool changed) {
        const EventKind kind = before == now ? EventKind::resync : EventKind::updated;
        on_event(kind, changed ? before : now, now, *shared_map);
      });
  const auto resource = kube::Resource::parse(spec.resource);
  const bool namespaced = !resource || resource->namespaced;
  handler.on_delete =
      while_alive([this, shared_map, namespaced](const kube::ObjectPtr& last, bool) {
        if (drop_key_of(*last, namespaced) && !*shared_map) return;
        on_event(EventKind::deleted, nullptr, last, *shared_map);
      });
  handler.on_synced = while_alive([this] { on_synced(); });
  ++unsynced_;
  Status status = source.watch(spec, std::move(handler));
  if (status.ok()) {
    ++watches_[namespaced ? 1 : 0];
  } else {
    --unsynced_;
  }
  return status;
}

void ControllerRunner::start() {
  if (started_ || stopping_) return;
  started_ = true;
  if (synced()) {
    for (const auto& [key, period] : periods_) queue_.add(key, Priority::periodic);
  }
  schedule_pump();
}

void ControllerRunner::on_event(EventKind kind, const kube::ObjectPtr& before,
                                const kube::ObjectPtr& now, const MapFn& map) {
  if (stopping_) return;
  if (map) return map(kind, before, now);
  const bool periodic = kind == EventKind::resync;
  queue_.add(key_of(*now), periodic ? Priority::periodic : Priority::changed);
}

// Nobody takes keys on a standby: over months it would keep that of each object that ever was. A
// map function may add the key again. A key that may be that of an object of another watch stays.
bool ControllerRunner::drop_key_of(const kube::Object& gone, bool namespaced) {
  if (started_ || watches_[namespaced ? 1 : 0] != 1) return false;
  if (gone.namespace_name().empty() == namespaced) return false;
  queue_.drop(key_of(gone));
  return true;
}

void ControllerRunner::on_synced() {
  if (unsynced_ > 0) --unsynced_;
  if (!synced()) return;
  if (started_) {
    for (const auto& [key, period] : periods_) queue_.add(key, Priority::periodic);
  }
  schedule_pump();
}

// Posted, so that a reconcile never starts inside a plugin's map function.
void ControllerRunner::schedule_pump() {
  if (pump_posted_ || stopping_ || !started_ || !synced()) return;
  if (running_ >= options_.workers || queue_.ready() == 0) return;
  pump_posted_ = true;
  loop_.post(while_alive([this] { pump(); }));
}

void ControllerRunner::pump() {
  pump_posted_ = false;
  // The last quarter of the workers is for namespaces that have none at work: operations that hang
  // do not take them all.
  const std::size_t shared = options_.workers - options_.workers / 4;
  while (!stopping_ && running_ < options_.workers) {
    const auto item = queue_.take(running_ >= shared);
    if (!item) return;
    run(*item);
  }
}

void ControllerRunner::run(const ReconcileRequest& request) {
  ++running_;
  const TimePoint begin = timers_.now();
  auto done = while_alive([this, request, begin](const Status& status, ReconcileResult result) {
    ended(request, begin, status, result);
  });
  reconciler_.reconcile(request, options_.reconcile_timeout, std::move(done));
}

void ControllerRunner::ended(const ReconcileRequest& request, TimePoint begin, const Status& status,
                             ReconcileResult result) {
  --running_;
  const milliseconds next = stopping_ ? kNever : requeue(request, status, result);
  queue_.done(request.key);
  if (report_) report_({request, status, timers_.now() - begin, next});
  if (stopping_) {
    if (running_ == 0) finish_stop();
    return;
  }
  schedule_pump();
}

milliseconds ControllerRunner::requeue(const ReconcileRequest& request, const Status& status,
                                       ReconcileResult result) {
  const std::string& key = request.key;
  milliseconds next = kNever;
  if (status.ok() || left_alone(status)) {
    queue_.forget(key);
    if (result.requeue_after > milliseconds(0)) {
      next = result.requeue_after;
      queue_.add(key, Priority::periodic, next);
    }
  } else if (const auto wait = known_wait(status)) {
    queue_.forget(key);
    next = *wait;
    if (next != kNever) queue_.add_again(key, request.priority, next);
  } else {
    const bool auth = status.error_class() == ErrorClass::auth;
    next = queue_.add_failed(key, request.priority,
                             std::max(status.retry_after(), auth ? kAuthRetry : milliseconds(0)));
  }
  const auto period = periods_.find(key);
  if (period != periods_.end()) {
    queue_.add(key, Priority::periodic, period->second);
    next = next == kNever ? period->second : std::min(next, period->second);
  }
  return next;
}

// Reconciles under way need no more time: each write leads to a state from which the next leader
// continues.
void ControllerRunner::stop(milliseconds limit, std::function<void(std::size_t)> stopped) {
  stopping_ = true;
  queue_.close();
  stopped_ = std::move(stopped);
  if (running_ == 0) return finish_stop();
  stop_timer_ = timers_.after(limit, [this] {
    stop_timer_ = 0;
    finish_stop();
  });
  reconciler_.cancel();
}

void ControllerRunner::finish_stop() {
  if (stop_timer_ != 0) timers_.cancel(std::exchange(stop_timer_, 0));
  if (!stopped_) return;
  auto stopped = std::exchange(stopped_, nullptr);
  loop_.post([stopped = std::move(stopped), running = running_] { stopped(running); });
}

}  // namespace ccm::runtime
