#include "ccm/testing/fake_controller.hpp"

#include <algorithm>
#include <list>
#include <set>

namespace ccm::testing {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds kLongest = std::chrono::hours(24 * 365);  // that a key waits

// An operation without a result.
template <typename Request>
struct ControllerCall {
  using Output = Status;
  using Function = void (*)(void*, ccm_ctx, const Request*, ccm_completion);
  Service<ccm_controller> controller;
  Function ccm_controller::*function;
  const char* name;
  Ctx ctx;
  Status start(ccm_completion done) const {
    const auto fn = controller.get(function);
    if (fn == nullptr) {
      return Status(Code::unimplemented, std::string("the component has no ") + name);
    }
    const auto request = sized<Request>();
    fn(controller.self(), ctx.get(), &request, done);
    return {};
  }
  Status decode(Status status, const void*) const { return status; }
};

struct ReconcileCall {
  using Output = Result<ReconcileResult>;
  Service<ccm_controller> controller;
  Ctx ctx;
  Request request;
  Status start(ccm_completion done) const {
    const auto fn = controller.get(&ccm_controller::reconcile);
    if (fn == nullptr) return Status(Code::unimplemented, "the component has no reconcile");
    auto raw = sized<ccm_reconcile_request>();
    raw.key = c_str(request.key);
    raw.priority = static_cast<int32_t>(request.priority);
    raw.attempt = request.attempt;
    fn(controller.self(), ctx.get(), &raw, done);
    return {};
  }
  Output decode(Status status, const void* result) const {
    if (!status.ok()) return status;
    if (result == nullptr) return ReconcileResult{};
    const ccm_reconcile_result raw = known(static_cast<const ccm_reconcile_result*>(result));
    return ReconcileResult{Milliseconds(raw.requeue_after_ms)};
  }
};

struct Item {
  Priority priority = Priority::changed;
  Milliseconds due{0};
  uint64_t order = 0;
};

struct Running {
  Request request;
  Pending<Result<ReconcileResult>> pending;
  Ctx ctx;
};

// One watch as it was declared.
struct Declared {
  Watch watch;  // `map` stays empty: the function is the component's
  ccm_map_fn map = nullptr;
  void* owner = nullptr;
  std::shared_ptr<KeptCallback> dropped;  // of map and owner
};

}  // namespace

struct FakeController::State {
  explicit State(FakeHost& the_host) : host(the_host) {
    queue_table = sized<ccm_host_queue>();
    queue_table.add = [](void* self, const ccm_queue_item* given) {
      const ccm_queue_item item = known(given);
      const auto priority =
          item.priority == CCM_PRIORITY_CHANGED ? Priority::changed : Priority::periodic;
      static_cast<State*>(self)->add(std::string(view(item.key)), priority,
                                     Milliseconds(std::max<int64_t>(item.delay_ms, 0)));
    };
    setup_table = sized<ccm_host_setup>();
    setup_table.watch = [](void* self, const ccm_watch* given) {
      static_cast<State*>(self)->declare(*given);
    };
    setup_table.queue = [](void* self, const ccm_queue_options* given) {
      static_cast<State*>(self)->declare(*given);
    };
    setup_table.every = [](void* self, ccm_str key, int64_t period_ms) {
      static_cast<State*>(self)->declare(std::string(view(key)), period_ms);
    };
  }

  [[nodiscard]] FakeHostView::Interfaces interfaces() {
    return {{CCM_HOST_QUEUE, {this, &queue_table}}, {CCM_HOST_SETUP, {this, &setup_table}}};
  }

  void declare(const ccm_watch& given) {
    const ccm_watch raw = known(&given);
    if (!only_known(&given)) setup_fault = "setup declared a watch that is not known in part";
    Declared& made = declared.emplace_back();
    made.watch.resource = view(raw.resource);
    if (raw.field_count > 0 && raw.fields == nullptr) {
      setup_fault = "setup declared a watch that counts fields and names none";
    }
    for (size_t i = 0; raw.fields != nullptr && i < raw.field_count; ++i) {
      made.watch.fields.emplace_back(view(raw.fields[i]));
    }
    made.watch.label_selector = view(raw.label_selector);
    made.watch.field_selector = view(raw.field_selector);
    made.watch.resync_period = Milliseconds(raw.resync_period_ms);
    made.map = raw.map;
    made.owner = raw.owner;
    made.dropped = component->callbacks().keep({nullptr, raw.drop, raw.owner});
  }
  void declare(const ccm_queue_options& given) {
    const ccm_queue_options raw = known(&given);
    if (!only_known(&given)) setup_fault = "setup declared a queue that is not known in part";
    workers = std::max(raw.workers, 1U);
    if (raw.backoff_first_ms > 0) backoff_first = Milliseconds(raw.backoff_first_ms);
    if (raw.backoff_limit_ms > 0) backoff_limit = Milliseconds(raw.backoff_limit_ms);
    if (raw.reconcile_timeout_ms > 0) timeout = Milliseconds(raw.reconcile_timeout_ms);
  }

  // A key that is due every 0 ms would leave room for no other.
  void declare(const std::string& key, int64_t period_ms) {
    if (period_ms <= 0) {
      setup_fault = "setup declared a period that is not above 0";
    } else {
      periods[key] = Milliseconds(period_ms);
    }
  }

  // Any thread.
  void add(const std::string& key, Priority priority, Milliseconds delay) {
    if (key.empty()) return;
    const std::lock_guard lock(mutex);
    const Milliseconds due = host.loop.now() + std::min(delay, kLongest);
    const auto [place, fresh] = queue.try_emplace(key, Item{priority, due, ++order});
    if (fresh) return;
    place->second.priority = std::min(place->second.priority, priority);
    place->second.due = std::min(place->second.due, due);
  }

  void on_event(const Declared& declared, int32_t kind, const Object& old, const Object& now) {
    if (declared.map == nullptr) {
      std::string key(now.namespace_name());
      key += key.empty() ? "" : "/";
      key += now.name();
      return add(key, kind == CCM_EVENT_RESYNC ? Priority::periodic : Priority::changed,
                 Milliseconds(0));
    }
    if (declared.dropped == nullptr || declared.dropped->dropped()) return;
    auto event = sized<ccm_watch_event>();
    event.kind = kind;
    event.old = old.get();
    event.now = now.get();
    declared.map(declared.owner, &event);
  }

  // The best key that is due and not being reconciled.
  std::optional<Request> take() {
    const std::lock_guard lock(mutex);
    const auto runs = [this](const std::string& key) {
      return std::any_of(running.begin(), running.end(),
                         [&](const Running& entry) { return entry.request.key == key; });
    };
    auto best = queue.end();
    for (auto place = queue.begin(); place != queue.end(); ++place) {
      const Item& item = place->second;
      if (item.due > host.loop.now() || runs(place->first)) continue;
      if (best == queue.end() || std::pair(item.priority, item.order) <
                                     std::pair(best->second.priority, best->second.order)) {
        best = place;
      }
    }
    if (best == queue.end()) return std::nullopt;
    Request request{best->first, best->second.priority, failures[best->first]};
    queue.erase(best);
    return request;
  }

  void ended(const Running& entry) {
    const Result<ReconcileResult>& outcome = entry.pending.outcome();
    const Request& request = entry.request;
    const Status status = outcome.status();
    const Milliseconds after = outcome.ok() ? outcome->requeue_after : Milliseconds(0);
    reconciled.push_back({request.key, request.priority, request.attempt, status, after});
    const bool refused = status.permanent();
    const bool waiting = status.error_class() == ErrorClass::waiting;
    if (status.ok() || status.code() == Code::implemented_elsewhere) {
      failures.erase(request.key);
      if (after > Milliseconds(0)) add(request.key, Priority::periodic, after);
    } else if (status.over_quota()) {
      failures.erase(request.key);
      const Milliseconds pause =
          status.retry_after() > Milliseconds(0) ? status.retry_after() : Milliseconds(kQuotaRetry);
      add(request.key, request.priority, pause);
    } else if (refused && status.retry_after() <= Milliseconds(0)) {
      failures.erase(request.key);
    } else if (refused || (waiting && status.retry_after() > Milliseconds(0))) {
      failures.erase(request.key);
      add(request.key, request.priority, status.retry_after());
    } else {
      const uint32_t failed = failures[request.key]++;
      const Milliseconds backoff =
          std::min(backoff_first * (int64_t{1} << std::min(failed, 30U)), backoff_limit);
      add(request.key, request.priority, std::max(backoff, status.retry_after()));
    }
    const auto period = periods.find(request.key);
    if (period != periods.end()) add(request.key, Priority::periodic, period->second);
  }

  FakeHost& host;
  FakeComponent* component = nullptr;
  ccm_host_queue queue_table{};
  ccm_host_setup setup_table{};
  std::string setup_fault;
  std::list<Declared> declared;
  std::vector<Watch> watches;
  uint32_t workers = 1;
  Milliseconds timeout{30'000};
  Milliseconds backoff_first{5};
  Milliseconds backoff_limit{1'000'000};
  std::map<std::string, Milliseconds> periods;
  mutable std::recursive_mutex mutex;  // of the queue
  std::map<std::string, Item> queue;
  std::map<std::string, uint32_t> failures;
  uint64_t order = 0;
  std::list<Running> running;
  std::size_t most_at_once = 0;
  std::vector<Reconciled> reconciled;
};

FakeController::FakeController(FakeHost& host, const ccm_plugin* plugin, const std::string& name)
    : state_(std::make_shared<State>(host)), component(host, plugin, name, state_->interfaces()) {
  state_->component = &component;
}

FakeController::FakeController(FakePlugin& plugin, const std::string& name)
    : state_(std::make_shared<State>(plugin.host())),
      component(plugin, name, state_->interfaces()) {
  state_->component = &component;
}

FakeController::~FakeController() { state_->component = nullptr; }

Status FakeController::setup() {
  const auto controller = component.interface<ccm_controller>(CCM_CONTROLLER);
  const ControllerCall<ccm_setup_request> call{controller, &ccm_controller::setup, "setup",
                                               component.ctx()};
  Status status = component.finish(component.start("setup", call));
  if (!status.ok()) return status;
  if (!state_->setup_fault.empty()) return Status(Code::unimplemented, state_->setup_fault);
  for (const Declared& declared : state_->declared) {
    state_->watches.push_back(declared.watch);
    const auto listener = [weak = std::weak_ptr(state_), &declared](int32_t kind, const Object& old,
                                                                    const Object& now) {
      const auto state = weak.lock();
      const bool alive = state && state->component != nullptr && state->component->created().ok();
      if (alive) state->on_event(declared, kind, old, now);
    };
    state_->host.kube.watch(declared.watch.resource, declared.watch.fields, listener);
  }
  for (const auto& [key, period] : state_->periods) {
    state_->add(key, Priority::periodic, Milliseconds(0));
  }
  return status;
}

Pending<Result<ReconcileResult>> FakeController::start_reconcile(const Ctx& ctx, Request request) {
  const auto controller = component.interface<ccm_controller>(CCM_CONTROLLER);
  return component.start("reconcile", ReconcileCall{controller, ctx, std::move(request)});
}

void FakeController::run() {
  State& state = *state_;
  for (;;) {
    state.host.loop.run();
    while (state.running.size() < state.workers) {
      const auto request = state.take();
      if (!request) break;
      const Ctx ctx = state.host.contexts.make(state.timeout);
      state.running.push_back({*request, start_reconcile(ctx, *request), ctx});
      state.most_at_once = std::max(state.most_at_once, state.running.size());
    }
    if (state.running.empty()) return;
    const auto any_done = [&state] {
      return std::any_of(state.running.begin(), state.running.end(),
                         [](const Running& entry) { return entry.pending.done(); });
    };
    if (!state.host.loop.run_until(any_done)) {
      return state.host.fault("a reconcile of \"" + state.running.front().request.key +
                              "\" never completed");
    }
    for (auto entry = state.running.begin(); entry != state.running.end();) {
      if (!entry->pending.done()) {
        ++entry;
        continue;
      }
      state.ended(*entry);
      entry = state.running.erase(entry);
    }
  }
}

void FakeController::advance(Milliseconds by) {
  state_->host.loop.advance(by);
  run();
}

std::vector<Reconciled> FakeController::take_reconciled() {
  return std::exchange(state_->reconciled, {});
}

std::vector<std::string> FakeController::waiting() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> keys;
  for (const auto& [key, item] : state_->queue) keys.push_back(key);
  return keys;
}

Status FakeController::stop() {
  const auto controller = component.interface<ccm_controller>(CCM_CONTROLLER);
  if (controller.get(&ccm_controller::stop) == nullptr) return {};
  const ControllerCall<ccm_stop_request> call{controller, &ccm_controller::stop, "stop",
                                              component.ctx()};
  return component.finish(component.start("stop", call));
}

std::size_t FakeController::most_at_once() const { return state_->most_at_once; }
uint32_t FakeController::workers() const { return state_->workers; }
const std::vector<Watch>& FakeController::watches() const { return state_->watches; }

void FakeController::add(const std::string& key, Priority priority) {
  state_->add(key, priority, Milliseconds(0));
}

}  // namespace ccm::testing
