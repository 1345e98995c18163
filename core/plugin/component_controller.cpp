#include "plugin/component_controller.hpp"

#include "base/log.hpp"
#include "plugin/bounded.hpp"
#include "plugin/host_services/object_service.hpp"

#include <algorithm>

namespace ccm::plugin {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kSetupTimeout{30'000};
constexpr milliseconds kMetricsPeriod{500};  // MET-23

static_assert(static_cast<int>(runtime::EventKind::added) == CCM_EVENT_ADDED);
static_assert(static_cast<int>(runtime::EventKind::updated) == CCM_EVENT_UPDATED);
static_assert(static_cast<int>(runtime::EventKind::deleted) == CCM_EVENT_DELETED);
static_assert(static_cast<int>(runtime::EventKind::resync) == CCM_EVENT_RESYNC);

runtime::Priority priority_of(int32_t priority) {
  return priority == CCM_PRIORITY_CHANGED ? runtime::Priority::changed
                                          : runtime::Priority::periodic;
}

// The queue as passed to a plugin's map function.
struct QueueView {
  runtime::WorkQueue& queue;
  LiveComponent& component;

  static void add(void* self, ccm_str key, int32_t priority, int64_t delay_ms) noexcept {
    auto& view_of = *static_cast<QueueView*>(self);
    if (!view_of.component.check_thread(ThreadTag::serial, "queue.add")) return;
    view_of.queue.add(view(key), priority_of(priority), bounded(delay_ms));
  }
};

Result<runtime::ReconcileResult> copy_reconcile(const void* result) {
  runtime::ReconcileResult copy;
  const auto* given = static_cast<const ccm_reconcile_result*>(result);
  if (given != nullptr && CCM_HAS(given, requeue_after_ms)) {
    copy.requeue_after = bounded(given->requeue_after_ms);
  }
  return copy;
}

}  // namespace

ComponentController::ComponentController(std::shared_ptr<LiveComponent> component,
                                         ccm_interface controller, Options options)
    : component_(std::move(component)),
      timers_(component_->runtime().timers),
      interface_(controller),
      table_(*static_cast<const ccm_controller*>(controller.table)),
      options_(options),
      host_setup_{sizeof(ccm_host_setup), 0, this, &setup_watch, &setup_queue, &setup_every},
      reconciles_(component_->background()->child(std::nullopt)),
      records_(timers_) {}

ComponentController::~ComponentController() {
  if (metrics_timer_ != 0) timers_.cancel(metrics_timer_);
}

void ComponentController::setup(runtime::EventSource& source, std::function<void(Status)> done) {
  if (!CCM_HAS(&table_, reconcile) || table_.setup == nullptr || table_.reconcile == nullptr) {
    component_->runtime().loop.post([done = std::move(done)] {
      done(Status(Code::internal, "the controller has no setup or no reconcile function"));
    });
    return;
  }
  auto allowed = component_->allow_create();
  auto invoke = [this, allowed](const ccm_ctx* ctx, ccm_completion once) {
    table_.setup(interface_.self, ctx, &host_setup_, once);
  };
  auto ended = [this, allowed, &source, done = std::move(done)](Result<Nothing> result) {
    done(result ? activate(source) : result.status());
  };
  component_->call_on_loop<Nothing>("setup", kSetupTimeout, std::move(invoke), copy_nothing,
                                    std::move(ended));
}

Status ComponentController::activate(runtime::EventSource& source) {
  if (plan_.fault) return *plan_.fault;
  const std::string& name = component_->identity().name;
  if (options_.metrics != nullptr) {
    queue_metrics_.emplace(*options_.metrics, plan_.queue_name.empty() ? name : plan_.queue_name);
    refresh_metrics();
  }
  runner_.emplace(component_->runtime().loop, timers_, *this, plan_.options,
                  queue_metrics_ ? &*queue_metrics_ : nullptr,
                  [this](const runtime::ReconcileReport& ended) { report(ended); });
  for (const Watch& watch : plan_.watches) {
    Status watched = runner_->watch(source, watch.spec, map_of(watch));
    if (!watched.ok()) return watched;
  }
  for (const auto& [key, period] : plan_.periodic) runner_->every(key, period);
  return {};
}

void ComponentController::setup_watch(void* self, const ccm_watch* watch) noexcept {
  auto& controller = *static_cast<ComponentController*>(self);
  if (!controller.component_->check_thread(ThreadTag::create, "setup.watch")) return;
  if (watch == nullptr || !CCM_HAS(watch, field_count) ||
      (watch->field_count > 0 && watch->fields == nullptr)) {
    controller.plan_.fault = Status(Code::invalid_argument, "setup declared a malformed watch");
    return;
  }
  Watch declared;
  declared.spec.resource = view(watch->resource);
  for (std::size_t index = 0; index < watch->field_count; ++index) {
    declared.spec.fields.emplace_back(view(watch->fields[index]));
  }
  declared.spec.resync = controller.options_.default_resync;
  if (CCM_HAS(watch, label_selector)) declared.spec.label_selector = view(watch->label_selector);
  if (CCM_HAS(watch, field_selector)) declared.spec.field_selector = view(watch->field_selector);
  if (CCM_HAS(watch, resync_period_ms) && watch->resync_period_ms > 0) {
    declared.spec.resync = bounded(watch->resync_period_ms);
  }
  if (CCM_HAS(watch, owner)) {
    declared.map = watch->map;
    declared.owner = watch->owner;
  }
  controller.plan_.watches.push_back(std::move(declared));
}

void ComponentController::setup_queue(void* self, const ccm_queue_options* options) noexcept {
  auto& controller = *static_cast<ComponentController*>(self);
  if (!controller.component_->check_thread(ThreadTag::create, "setup.queue")) return;
  if (options == nullptr) return;
  runtime::RunnerOptions& plan = controller.plan_.options;
  if (options->workers > 0) plan.workers = options->workers;
  if (CCM_HAS(options, name)) controller.plan_.queue_name = view(options->name);
  if (CCM_HAS(options, backoff_first_ms) && options->backoff_first_ms > 0) {
    plan.queue.backoff_first = bounded(options->backoff_first_ms);
  }
  if (CCM_HAS(options, backoff_limit_ms) && options->backoff_limit_ms > 0) {
    plan.queue.backoff_limit = bounded(options->backoff_limit_ms);
  }
  if (CCM_HAS(options, reconcile_timeout_ms) && options->reconcile_timeout_ms > 0) {
    plan.reconcile_timeout = bounded(options->reconcile_timeout_ms);
  }
}

void ComponentController::setup_every(void* self, ccm_str key, int64_t period_ms) noexcept {
  auto& controller = *static_cast<ComponentController*>(self);
  if (!controller.component_->check_thread(ThreadTag::create, "setup.every")) return;
  if (period_ms <= 0) {
    controller.plan_.fault =
        Status(Code::invalid_argument, "setup declared a period that is not positive");
    return;
  }
  controller.plan_.periodic.emplace_back(std::string(view(key)), bounded(period_ms));
}

runtime::ControllerRunner::MapFn ComponentController::map_of(const Watch& watch) {
  if (watch.map == nullptr) return {};
  return [component = component_, map = watch.map, owner = watch.owner](
             runtime::EventKind kind, const kube::ObjectPtr& before, const kube::ObjectPtr& now,
             runtime::WorkQueue& queue) {
    QueueView queue_view{queue, *component};
    const ccm_queue table{sizeof(table), 0, &queue_view, &QueueView::add};
    component->call_serial("map", [&] {
      map(owner, static_cast<int32_t>(kind), object_handle(before), object_handle(now), &table);
    });
  };
}

void ComponentController::start() {
  if (runner_) runner_->start();
}

void ComponentController::reconcile(const runtime::ReconcileRequest& request, milliseconds timeout,
                                    Done done) {
  auto invoke = [this, key = request.key, priority = static_cast<int32_t>(request.priority),
                 attempt = request.attempt](const ccm_ctx* ctx, ccm_completion once) {
    const ccm_reconcile_request crossing{sizeof(crossing), priority, c_str(key), attempt, 0};
    table_.reconcile(interface_.self, ctx, &crossing, once);
  };
  auto ended = [done = std::move(done)](Result<runtime::ReconcileResult> result) {
    done(result.status(), result ? *result : runtime::ReconcileResult{});
  };
  // The first question to the cloud decides which of the higher priorities it gets.
  const bool periodic = request.priority == runtime::Priority::periodic;
  auto origin = std::make_shared<Origin>(component_->identity().name, request.key,
                                         periodic ? CallPriority::refresh : CallPriority::routes);
  records_.began(request.key, origin);
  const auto context = reconciles_->child(std::nullopt, {{"key", request.key}}, std::move(origin));
  component_->call<runtime::ReconcileResult>("reconcile", context, timeout, {}, std::move(invoke),
                                             copy_reconcile, std::move(ended));
}

void ComponentController::cancel() { reconciles_->cancel(); }

std::vector<std::string> ComponentController::watched() const {
  std::vector<std::string> resources;
  for (const Watch& watch : plan_.watches) resources.push_back(watch.spec.resource);
  return resources;
}

void ComponentController::report(const runtime::ReconcileReport& ended) {
  const bool repeated = records_.ended(ended);
  const std::string& name = component_->identity().name;
  const Status& status = ended.status;
  const auto next = std::max(ended.next, milliseconds(0));
  if (status.ok()) {
    if (const auto line = log::v(4)) {
      line.info("Reconciled",
                {{"controller", name}, {"key", ended.request.key}, {"duration", ended.duration}});
    }
  } else if (status.error_class() == ErrorClass::waiting ||
             status.code() == Code::implemented_elsewhere || status.code() == Code::cancelled) {
    if (const auto line = log::v(2)) {
      line.info(
          "Reconcile is not done yet",
          {{"controller", name}, {"key", ended.request.key}, {"reason", status}, {"next", next}});
    }
  } else if (repeated) {
    report_repeated(ended);
  } else {
    log::error(ended.next < milliseconds(0) ? "Reconcile failed and is not retried"
                                            : "Reconcile failed, will retry",
               {{"controller", name},
                {"key", ended.request.key},
                {"err", status},
                {"reason", status.reason()},
                {"next", next}});
  }
}

// Thousands of objects may wait for one cloud: each new failure is logged, repeated ones are
// counted in one line a minute.
void ComponentController::report_repeated(const runtime::ReconcileReport& ended) {
  constexpr std::chrono::minutes kSummaryPeriod{1};
  ++repeats_;
  const std::string& name = component_->identity().name;
  if (const auto line = log::v(4)) {
    line.info("Reconcile failed as before",
              {{"controller", name}, {"key", ended.request.key}, {"err", ended.status}});
  }
  const auto now = timers_.now();
  if (!last_summary_) last_summary_ = now;
  if (now - *last_summary_ < kSummaryPeriod) return;
  last_summary_ = now;
  log::error("Reconciles fail as before", {{"controller", name},
                                           {"failures", std::exchange(repeats_, 0)},
                                           {"unsettled", records_.size()},
                                           {"key", ended.request.key},
                                           {"err", ended.status}});
}

void ComponentController::refresh_metrics() {
  if (runner_) queue_metrics_->refresh(runner_->queue());
  metrics_timer_ = timers_.after(kMetricsPeriod, [this] { refresh_metrics(); });
}

void ComponentController::stop(milliseconds limit, std::function<void(Status)> done) {
  const runtime::TimePoint end = timers_.now() + limit;
  if (!runner_) return call_stop({}, end, std::move(done));
  runner_->stop(limit, [this, end, done = std::move(done)](std::size_t running) mutable {
    Status stopped;
    if (running > 0) {
      stopped = Status(Code::failed_precondition, std::to_string(running) + " reconciles of " +
                                                      component_->identity().name + " still run");
    }
    call_stop(std::move(stopped), end, std::move(done));
  });
}

// The plugin's stop runs when no reconcile is running any more.
void ComponentController::call_stop(Status stopped, runtime::TimePoint end,
                                    std::function<void(Status)> done) {
  const bool has_stop = CCM_HAS(&table_, stop) && table_.stop != nullptr;
  if (!has_stop || !stopped.ok() || !runner_) {
    component_->runtime().loop.post(
        [done = std::move(done), stopped = std::move(stopped)] { done(stopped); });
    return;
  }
  auto invoke = [this](const ccm_ctx* ctx, ccm_completion once) {
    table_.stop(interface_.self, ctx, once);
  };
  component_->call<Nothing>(
      "stop", nullptr, std::chrono::ceil<milliseconds>(end - timers_.now()), {}, std::move(invoke),
      copy_nothing, [done = std::move(done)](Result<Nothing> ended) { done(ended.status()); });
}

}  // namespace ccm::plugin
