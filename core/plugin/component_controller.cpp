#include "plugin/component_controller.hpp"

#include "base/log.hpp"
#include "plugin/context.hpp"
#include "plugin/host_services/kube_service.hpp"
#include "plugin/waiting.hpp"

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
static_assert(static_cast<int>(runtime::EventKind::hinted) == CCM_EVENT_HINTED);

auto setup_of(const ccm_controller* table) { return function_of(table, &ccm_controller::setup); }

// Stands for a map among the callbacks, which call it never.
void kept_for_map(void*) {}

runtime::Priority priority_of(int32_t priority) {
  return priority == CCM_PRIORITY_CHANGED ? runtime::Priority::changed
                                          : runtime::Priority::periodic;
}

Result<runtime::ReconcileResult> copy_reconcile(const void* result) {
  runtime::ReconcileResult copy;
  const auto* given = static_cast<const ccm_reconcile_result*>(result);
  if (given != nullptr) copy.requeue_after = bounded(known(given).requeue_after_ms);
  return copy;
}

}  // namespace

ComponentController::ComponentController(std::shared_ptr<LiveComponent> component,
                                         ccm_interface controller, Options options,
                                         std::shared_ptr<ControllerPort> port)
    : component_(std::move(component)),
      port_(std::move(port)),
      timers_(component_->runtime().timers),
      interface_(controller),
      table_(*static_cast<const ccm_controller*>(controller.table)),
      options_(options),
      reconciles_(component_->background()->child(std::nullopt)),
      records_(timers_) {
  port_->connect(this);
}

ComponentController::~ComponentController() {
  if (metrics_timer_ != 0) timers_.cancel(metrics_timer_);
  port_->on_item([](const ControllerPort::Item&) {});
  port_->connect(nullptr);
}

Task<Status> ComponentController::setup(runtime::EventSource& source) {
  if (setup_of(&table_) == nullptr || function_of(&table_, &ccm_controller::reconcile) == nullptr) {
    co_return Status(Code::internal, "the controller has no setup or no reconcile function");
  }
  const auto allowed = component_->allow_create();
  Invoke invoke = invoke_plain(table_.setup, interface_.self);
  const Result<Nothing> ended = co_await component_->call_on_loop<Nothing>(
      "setup", kSetupTimeout, std::move(invoke), copy_nothing);
  co_return ended ? activate(source) : ended.status();
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
  port_->on_item([this](const ControllerPort::Item& item) {
    runner_->queue().add(item.key, priority_of(item.priority), item.delay);
  });
  return {};
}

void ComponentController::declare_watch(const ccm_watch* given) {
  const ccm_watch watch = known(given);
  // Its map is called as long as the component lives, and dropped with the callbacks.
  const ccm_callback map{watch.map != nullptr ? &kept_for_map : nullptr, watch.drop, watch.owner};
  component_->callbacks().add(map);
  if (given == nullptr || (watch.field_count > 0 && watch.fields == nullptr)) {
    return refuse_setup(Status(Code::invalid_argument, "setup declared a malformed watch"));
  }
  if (!only_known(given)) {
    return refuse_setup(Status(Code::internal,
                               "setup declared a watch of which this host does not "
                               "know a part; it needs a newer host"));
  }
  Watch declared;
  declared.spec.resource = view(watch.resource);
  for (std::size_t index = 0; index < watch.field_count; ++index) {
    declared.spec.fields.emplace_back(view(watch.fields[index]));
  }
  declared.spec.resync = options_.default_resync;
  declared.spec.label_selector = view(watch.label_selector);
  declared.spec.field_selector = view(watch.field_selector);
  if (watch.resync_period_ms > 0) declared.spec.resync = bounded(watch.resync_period_ms);
  declared.map = watch.map;
  declared.owner = watch.owner;
  plan_.watches.push_back(std::move(declared));
}

void ComponentController::declare_queue(const ccm_queue_options* given) {
  if (given == nullptr) {
    return refuse_setup(Status(Code::invalid_argument, "setup declared a queue without options"));
  }
  if (!only_known(given)) {
    return refuse_setup(Status(Code::internal,
                               "setup declared a queue of which this host does not "
                               "know a part; it needs a newer host"));
  }
  const ccm_queue_options options = known(given);
  runtime::RunnerOptions& plan = plan_.options;
  if (options.workers > 0) plan.workers = options.workers;
  plan_.queue_name = view(options.name);
  if (options.backoff_first_ms > 0) plan.queue.backoff_first = bounded(options.backoff_first_ms);
  if (options.backoff_limit_ms > 0) plan.queue.backoff_limit = bounded(options.backoff_limit_ms);
  if (options.reconcile_timeout_ms > 0) {
    plan.reconcile_timeout = bounded(options.reconcile_timeout_ms);
  }
}

void ComponentController::declare_period(ccm_str key, int64_t period_ms) {
  if (period_ms <= 0) {
    return refuse_setup(
        Status(Code::invalid_argument, "setup declared a period that is not positive"));
  }
  plan_.periodic.emplace_back(std::string(view(key)), bounded(period_ms));
}

runtime::ControllerRunner::MapFn ComponentController::map_of(const Watch& watch) {
  if (watch.map == nullptr) return {};
  return [component = component_, map = watch.map, owner = watch.owner](
             runtime::EventKind kind, const kube::ObjectPtr& before, const kube::ObjectPtr& now) {
    auto event = sized<ccm_watch_event>();
    event.kind = static_cast<int32_t>(kind);
    event.old = object_handle(before);
    event.now = object_handle(now);
    // While it ends, its callbacks have been dropped.
    if (component->state() != LiveComponent::State::live) return;
    component->call_serial("map", [&] { map(owner, &event); });
  };
}

void ComponentController::hint(std::string_view resource, const kube::ObjectPtr& object) {
  if (!runner_) return;
  for (const Watch& watch : plan_.watches) {
    const bool whole = watch.spec.label_selector.empty() && watch.spec.field_selector.empty();
    if (whole && watch.spec.resource == resource) runner_->hint(object, map_of(watch));
  }
}

void ComponentController::reconcile(const runtime::ReconcileRequest& request, milliseconds timeout,
                                    Done done) {
  auto invoke = [this, key = request.key, priority = static_cast<int32_t>(request.priority),
                 attempt = request.attempt](ccm_ctx ctx, ccm_completion once) {
    auto crossing = sized<ccm_reconcile_request>();
    crossing.key = c_str(key);
    crossing.priority = priority;
    crossing.attempt = attempt;
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

std::vector<std::string> ComponentController::watched() const {
  std::vector<std::string> resources;
  resources.reserve(plan_.watches.size());
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
  } else if (status.error_class() == ErrorClass::waiting || runtime::left_alone(status) ||
             status.code() == Code::cancelled || status.reason() == kDryRun) {
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

Task<Status> ComponentController::stop(milliseconds limit) {
  const runtime::TimePoint end = timers_.now() + limit;
  if (!runner_) co_return Status();
  const CallbackAwaiter<std::size_t>::Start start = [&](std::function<void(std::size_t)> done) {
    runner_->stop(limit, std::move(done));
  };
  CallbackAwaiter<std::size_t> stopped(start);
  if (const std::size_t running = co_await stopped; running > 0) {
    co_return Status(Code::failed_precondition, std::to_string(running) + " reconciles of " +
                                                    component_->identity().name + " still run");
  }
  if (function_of(&table_, &ccm_controller::stop) == nullptr) co_return Status();
  const auto left = std::chrono::ceil<milliseconds>(end - timers_.now());
  Invoke invoke = invoke_plain(table_.stop, interface_.self);
  const Result<Nothing> ended = co_await component_->call<Nothing>(
      "stop", nullptr, left, Context::Fields(), std::move(invoke), copy_nothing);
  co_return ended.status();
}

void QueueService::add(void* self, const ccm_queue_item* given) noexcept {
  const auto& service = *static_cast<QueueService*>(self);
  const auto component = service.component();
  if (!component || given == nullptr) return;
  const ccm_queue_item raw = known(given);
  if (view(raw.key).empty()) return;
  ControllerPort::Item item{std::string(view(raw.key)), raw.priority, bounded(raw.delay_ms)};
  runtime::EventLoop& loop = component->runtime().loop;
  if (loop.on_loop()) return service.port_->add(std::move(item));
  loop.post([port = service.port_, item = std::move(item)] { port->add(item); });
}

const ccm_host_queue QueueService::kTable{sizeof(kTable), 0, &add};

// Null, and counted, unless its setup runs.
ComponentController* SetupService::controller(std::string_view function) const {
  const auto component = this->component();
  if (!component || !component->check_thread(ThreadTag::create, function)) return nullptr;
  return port_->controller();
}

void SetupService::watch(void* self, const ccm_watch* watch) noexcept {
  ComponentController* const controller =
      static_cast<SetupService*>(self)->controller("setup.watch");
  if (controller != nullptr) return controller->declare_watch(watch);
  if (watch == nullptr) return;
  const ccm_watch refused = known(watch);
  drop_callback({nullptr, refused.drop, refused.owner});
}

void SetupService::queue(void* self, const ccm_queue_options* options) noexcept {
  ComponentController* const controller =
      static_cast<SetupService*>(self)->controller("setup.queue");
  if (controller != nullptr) controller->declare_queue(options);
}

void SetupService::every(void* self, ccm_str key, int64_t period_ms) noexcept {
  ComponentController* const controller =
      static_cast<SetupService*>(self)->controller("setup.every");
  if (controller != nullptr) controller->declare_period(key, period_ms);
}

const ccm_host_setup SetupService::kTable{sizeof(kTable), 0, &watch, &queue, &every};

}  // namespace ccm::plugin
