#include "plugin_host/plugin_host.hpp"

#include "base/log.hpp"
#include "cloud/broker/instances_service.hpp"
#include "cloud/broker/load_balancers_service.hpp"
#include "cloud/broker/provider_machines.hpp"
#include "cloud/broker/routes_service.hpp"
#include "cloud/deletion/absence_gate.hpp"
#include "cloud/deletion/deletion_telemetry.hpp"
#include "cloud/deletion/guarded_object_api.hpp"
#include "cloud/deletion/node_deletions.hpp"
#include "plugin/await_callback.hpp"
#include "plugin/component_controller.hpp"
#include "plugin/component_host.hpp"
#include "plugin/host_services/config_service.hpp"
#include "plugin/host_services/ctx_service.hpp"
#include "plugin/host_services/http_service.hpp"
#include "plugin/host_services/kube_service.hpp"
#include "plugin/host_services/log_service.hpp"
#include "plugin/host_services/metrics_service.hpp"
#include "plugin/host_services/object_service.hpp"
#include "plugin/host_services/timer_service.hpp"
#include "plugin/host_services/worker_service.hpp"
#include "plugin_host/host_metrics.hpp"
#include "runtime/queue_metrics.hpp"

#include <ccm/abi/provider.h>

#include <algorithm>
#include <utility>

namespace ccm::plugin {

using boost::asio::awaitable;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kInitializeTimeout{60'000};
constexpr milliseconds kFirstRetry{1'000};
constexpr milliseconds kLongestRetry{30'000};
constexpr milliseconds kLongestWait{60'000};  // whatever the cloud asks for

// A component with all that belongs to it. It goes as a whole, or stays as a whole.
struct Unit {
  ComponentKind kind = ComponentKind::controller;
  std::shared_ptr<LiveComponent> live;
  std::unique_ptr<ComponentHost> host;
  std::unique_ptr<ComponentController> controller;
  std::string skipped;  // why its setup found nothing to do
};

// Where memory goes that a plugin may still use: kept reachable, never freed.
void keep_for_ever(std::shared_ptr<void> what) {
  static auto* const kept = new std::vector<std::shared_ptr<void>>;
  kept->push_back(std::move(what));
}

ComponentIdentity identity_of(const LoadedPlugin& plugin, const Component& component) {
  ComponentIdentity identity;
  identity.plugin_id = plugin.manifest.id;
  identity.name = component.name;
  identity.client_name = component.client_name;
  identity.nonblocking = plugin.manifest.nonblocking;
  identity.max_parallel = plugin.manifest.max_parallel;
  identity.provider_id_prefixes = component.provider_id_prefixes;
  return identity;
}

}  // namespace

// Shared with the coroutines that run for it.
struct PluginHost::Impl {
  explicit Impl(PluginHostDependencies wanted);

  awaitable<Status> create(ComponentKind kind, LoadedPlugin plugin, std::string name);
  [[nodiscard]] RecordEvent noting_warnings() const;
  std::unique_ptr<ComponentHost> make_host(const std::shared_ptr<LiveComponent>& live);
  std::shared_ptr<ObjectApi> object_api(const ComponentIdentity& identity) {
    return guard_nodes(deps.object_api(identity), node_deletions);
  }
  void connect_provider(const std::shared_ptr<LiveComponent>& live);
  void connect_instances(const std::shared_ptr<LiveComponent>& live);
  void connect_network(const std::shared_ptr<LiveComponent>& live);
  void retry_failed(std::chrono::nanoseconds outage);
  Status watch_nodes();
  awaitable<Status> call_provider(std::string_view operation, milliseconds timeout,
                                  void (*fn)(void*, const ccm_ctx*, ccm_completion));
  awaitable<void> sleep(milliseconds delay);
  // Whoever sleeps goes on at once: nothing that belongs to the loop may be left when that ends.
  void end_sleep() {
    if (!wake) return;
    deps.timers.cancel(sleep_timer);
    deps.loop.post([done = std::exchange(wake, nullptr)] { done(true); });
  }
  void start_ready_controllers();
  using EndUnit =
      std::function<void(const std::shared_ptr<Unit>&, std::function<void(Status)> done)>;
  awaitable<Status> each(const std::vector<std::shared_ptr<Unit>>& units, EndUnit end);
  void destroy(const std::shared_ptr<Unit>& unit, milliseconds limit,
               std::function<void(Status)> done);
  [[nodiscard]] std::shared_ptr<Unit> find(std::string_view controller) const;
  // Of the controllers that were set up.
  void each_queue(const std::function<void(const ReconcileRecords&, const runtime::WorkQueue&,
                                           const std::string& name)>& look) const;

  PluginHostDependencies deps;
  HostMetrics metrics;
  MetricsRegistry plugin_metrics;
  std::shared_ptr<WarningNotes> warnings;  // of what components record
  CloudConfig cloud_config;
  CallBudgets budgets;
  DeletionTelemetry deletion_telemetry;
  NodeDeletions node_deletions;
  DeletionTelemetry load_balancer_telemetry;
  DeletionTelemetry route_telemetry;
  AbsenceGate load_balancer_deletions;
  AbsenceGate route_deletions;
  bool watches_nodes = false;
  runtime::Watchdog watchdog;
  std::unique_ptr<CompletionTable> completions;
  ComponentRuntime runtime;
  std::shared_ptr<Unit> provider;
  std::vector<std::shared_ptr<Unit>> controllers;
  std::unique_ptr<ProviderMachines> machines;
  std::shared_ptr<InstancesBroker> broker;
  std::shared_ptr<LoadBalancersBroker> load_balancers;
  std::shared_ptr<RoutesBroker> routes;
  const ccm_provider* provider_table = nullptr;
  void* provider_self = nullptr;
  std::function<void(bool)> wake;  // of the only sleeper, start_provider()
  runtime::Timers::Id sleep_timer = 0;
  bool provider_ready = false;
  bool leading = false;
  bool stopping = false;
  bool controllers_stopped = false;
  bool leaked = false;  // a component stays in memory, and with it all that it uses
};

PluginHost::Impl::Impl(PluginHostDependencies wanted)
    : deps(std::move(wanted)),
      metrics(deps.metrics),
      plugin_metrics(deps.metrics),
      warnings(std::make_shared<WarningNotes>(deps.timers)),
      cloud_config(deps.timers, deps.cloud_config_path),
      budgets(deps.timers),
      deletion_telemetry(deps.metrics, deps.record_event, "nodes"),
      node_deletions({deps.cache, deps.timers, [&leader = deps.leader] { return leader.leading(); },
                      deletion_telemetry},
                     deps.brake),
      load_balancer_telemetry(deps.metrics, deps.record_event, "loadbalancers"),
      route_telemetry(deps.metrics, deps.record_event, "routes"),
      load_balancer_deletions(deps.timers, load_balancer_telemetry, deps.brake, "load balancers"),
      route_deletions(deps.timers, route_telemetry, deps.brake, "routes"),
      watchdog(deps.timers,
               [this](const runtime::Watchdog::Stall& stall) {
                 metrics.stall(stall);
                 log::warning("Plugin held the event loop", {{"component", stall.component},
                                                             {"operation", stall.operation},
                                                             {"duration", stall.duration}});
               }),
      completions(std::make_unique<CompletionTable>(
          deps.loop,
          [this](const char* kind) {
            metrics.dropped_completion(kind);
            // Who was cancelled has to complete late; anything else is the plugin's fault.
            if (std::string_view(kind) == "late") return;
            log::warning("Plugin completed an operation twice, or one that never began");
          })),
      runtime{deps.loop,
              deps.timers,
              deps.workers,
              watchdog,
              *completions,
              [this](const ComponentIdentity& component, std::string_view operation,
                     const Status& status, std::chrono::nanoseconds duration) {
                metrics.operation(component, operation, status, duration);
              }} {
  runtime::QueueMetrics::reserve(deps.metrics);  // before a plugin could take the names
  if (!deps.write_gate) {
    deps.write_gate =
        std::make_shared<net::WriteGate>([&leader = deps.leader] { return leader.leading(); });
  }
}

PluginHost::PluginHost(PluginHostDependencies dependencies)
    : impl_(std::make_shared<Impl>(std::move(dependencies))) {}

PluginHost::~PluginHost() {
  // A faulty plugin's thread may complete an operation once more even after this.
  impl_->completions->detach();
  if (impl_->leaked || impl_->completions->in_flight() > 0) {
    keep_for_ever(impl_);
  } else {
    keep_for_ever(std::shared_ptr<CompletionTable>(std::move(impl_->completions)));
  }
}

Status PluginHost::load_cloud_config() { return impl_->cloud_config.load(); }

RecordEvent PluginHost::Impl::noting_warnings() const {
  return [notes = warnings, record = deps.record_event](
             const std::string& source, kube::ObjectReference about, kube::EventType type,
             std::string reason, std::string message) {
    if (type == kube::EventType::warning) notes->note(about, reason, message);
    if (record) record(source, std::move(about), type, std::move(reason), std::move(message));
  };
}

std::unique_ptr<ComponentHost> PluginHost::Impl::make_host(
    const std::shared_ptr<LiveComponent>& live) {
  auto host = std::make_unique<ComponentHost>();
  host->add(std::make_unique<LogService>(live));
  host->add(std::make_unique<CtxService>(live));
  host->add(std::make_unique<ObjectService>(live));
  host->add(std::make_unique<TimerService>(live));
  host->add(std::make_unique<PostService>(live));
  host->add(std::make_unique<WorkerService>(live));
  host->add(std::make_unique<MetricsService>(live, plugin_metrics));
  host->add(std::make_unique<ConfigService>(live, deps.flags, cloud_config));
  host->add(std::make_unique<LeaderService>(live, deps.leader));
  host->add(std::make_unique<EventService>(live, noting_warnings()));
  host->add(std::make_unique<KubeService>(live, deps.cache, object_api(live->identity()),
                                          [gate = deps.write_gate] { return gate->open(); }));
  HttpServiceOptions http;
  http.send = deps.send_http;
  http.budgets = &budgets;
  http.gate = deps.write_gate;
  if (deps.user_agent) http.user_agent = deps.user_agent(live->identity());
  http.observer = [this](const HttpCallRecord& call) { metrics.http(call); };
  host->add(std::make_unique<HttpService>(live, std::move(http)));
  if (broker) host->add(std::make_unique<InstancesService>(live, broker));
  if (load_balancers) host->add(std::make_unique<LoadBalancersService>(live, load_balancers));
  if (routes) host->add(std::make_unique<RoutesService>(live, routes));
  return host;
}

awaitable<Status> PluginHost::Impl::create(ComponentKind kind, LoadedPlugin plugin,
                                           std::string name) {
  const Component* component = plugin.manifest.find(kind, name);
  if (component == nullptr) {
    co_return Status(Code::not_found, "plugin " + plugin.manifest.id + " has no " +
                                          std::string(to_string(kind)) + " called " + name);
  }
  if (kind == ComponentKind::provider ? provider != nullptr : find(component->name) != nullptr) {
    co_return Status(Code::already_exists, "component " + name + " was created before");
  }
  auto unit = std::make_shared<Unit>();
  unit->kind = kind;
  unit->live = std::make_shared<LiveComponent>(runtime, identity_of(plugin, *component));
  unit->host = make_host(unit->live);
  auto start = [unit, entry = plugin.plugin](std::function<void(Status)> done) {
    unit->live->create(*entry, unit->host->host(), std::move(done));
  };
  Status created = co_await await_callback<Status>(start);
  if (!created.ok()) {
    leaked = true;
    keep_for_ever(unit);  // what the plugin made of it so far is unknown
    co_return created;
  }
  if (kind == ComponentKind::provider) {
    provider = unit;
    connect_provider(unit->live);
  } else {
    controllers.push_back(unit);
  }
  co_return Status();
}

// The provider's interfaces, behind the broker.
void PluginHost::Impl::connect_provider(const std::shared_ptr<LiveComponent>& live) {
  if (const auto found = live->get_interface(CCM_PROVIDER)) {
    provider_table = static_cast<const ccm_provider*>(found->table);
    provider_self = found->self;
  }
  connect_instances(live);
  connect_network(live);
}

void PluginHost::Impl::connect_instances(const std::shared_ptr<LiveComponent>& live) {
  const auto found = live->get_interface(CCM_CLOUD_INSTANCES);
  if (!found) return;
  auto source = std::make_unique<ProviderMachines>(live, *found, deps.provider_timeouts);
  if (!source->usable()) return;
  machines = std::move(source);
  BrokerOptions options = deps.broker;
  options.provider_id_prefixes = live->identity().provider_id_prefixes;
  broker = std::make_shared<InstancesBroker>(*machines, deps.timers, std::move(options));
  node_deletions.connect(broker);
  broker->on_recovery([this](std::chrono::nanoseconds outage) { retry_failed(outage); });
}

// Whatever a controller wanted of the cloud: its routes and load balancers are there again, too.
void PluginHost::Impl::retry_failed(std::chrono::nanoseconds outage) {
  std::size_t keys = 0;
  for (const auto& unit : controllers) {
    if (!unit->controller || unit->controller->runner() == nullptr) continue;
    keys += unit->controller->runner()->queue().retry_failed();
  }
  log::info("The cloud answers again", {{"outage", outage}, {"retried", keys}});
}

void PluginHost::Impl::connect_network(const std::shared_ptr<LiveComponent>& live) {
  if (const auto found = live->get_interface(CCM_CLOUD_LOADBALANCERS)) {
    auto made = std::make_shared<LoadBalancersBroker>(live, *found, deps.provider_timeouts,
                                                      load_balancer_deletions);
    if (made->usable()) load_balancers = std::move(made);
  }
  if (const auto found = live->get_interface(CCM_CLOUD_ROUTES)) {
    auto made = std::make_shared<RoutesBroker>(
        live, *found, deps.provider_timeouts, route_deletions,
        [this](const std::string& name) { return node_deletions.deleted(name); });
    if (made->usable()) routes = std::move(made);
  }
}

// The gate in front of deletions of Nodes reads them from the cache, so it says what is to be kept.
Status PluginHost::Impl::watch_nodes() {
  if (!broker || std::exchange(watches_nodes, true)) return {};
  runtime::WatchSpec spec;
  spec.resource = "v1/nodes";
  spec.fields = node_fact_fields();
  return deps.events.watch(spec, {});
}

std::shared_ptr<Unit> PluginHost::Impl::find(std::string_view controller) const {
  for (const auto& unit : controllers) {
    if (unit->live->identity().name == controller) return unit;
  }
  return nullptr;
}

awaitable<Status> PluginHost::create_provider(LoadedPlugin plugin, std::string name) {
  return impl_->create(ComponentKind::provider, std::move(plugin), std::move(name));
}

awaitable<Status> PluginHost::create_controller(LoadedPlugin plugin, std::string name) {
  return impl_->create(ComponentKind::controller, std::move(plugin), std::move(name));
}

awaitable<Status> PluginHost::Impl::call_provider(std::string_view operation, milliseconds timeout,
                                                  void (*fn)(void*, const ccm_ctx*,
                                                             ccm_completion)) {
  auto live = provider->live;
  void* self = provider_self;
  auto start = [live, operation, timeout, fn, self](std::function<void(Status)> done) {
    live->call<Nothing>(
        operation, nullptr, timeout, {},
        [fn, self](const ccm_ctx* ctx, ccm_completion once) { fn(self, ctx, once); }, copy_nothing,
        [done = std::move(done)](Result<Nothing> ended) { done(ended.status()); });
  };
  Status status = co_await await_callback<Status>(start);
  co_return status;
}

awaitable<void> PluginHost::Impl::sleep(milliseconds delay) {
  auto start = [this, delay](std::function<void(bool)> done) {
    wake = std::move(done);
    sleep_timer = deps.timers.after(delay, [this] { std::exchange(wake, nullptr)(true); });
  };
  co_await await_callback<bool>(start);
}

awaitable<Status> PluginHost::start_provider() {
  const auto impl = impl_;  // outlives this object while it waits
  const ccm_provider* table = impl->provider_table;
  const bool has = table != nullptr && CCM_HAS(table, initialize) && table->initialize != nullptr;
  milliseconds pause = kFirstRetry;
  while (has && !impl->stopping) {
    const Status status =
        co_await impl->call_provider("initialize", kInitializeTimeout, table->initialize);
    if (status.ok()) break;
    const std::string& name = impl->provider->live->identity().name;
    if (status.code() == Code::invalid_argument) {
      co_return status;
    }
    if (impl->stopping) break;
    const milliseconds wait = std::clamp(status.retry_after(), pause, kLongestWait);
    log::error("Cloud provider could not be initialised, will retry",
               {{"provider", name}, {"err", status}, {"next", wait}});
    co_await impl->sleep(wait);
    pause = std::min(pause * 2, kLongestRetry);
  }
  if (impl->stopping) co_return Status(Code::cancelled, "the host stops");
  impl->provider_ready = true;
  impl->start_ready_controllers();
  co_return Status();
}

bool PluginHost::provider_ready() const { return impl_->provider_ready; }

awaitable<Result<bool>> PluginHost::setup_controller(std::string name) {
  const auto impl = impl_;
  const auto unit = impl->find(name);
  if (!unit) co_return Status(Code::not_found, "there is no controller called " + name);
  const auto table = unit->live->get_interface(CCM_CONTROLLER);
  if (!table) {
    co_return Status(Code::internal, "component " + name + " does not offer " CCM_CONTROLLER);
  }
  if (Status watched = impl->watch_nodes(); !watched.ok()) co_return watched;
  ComponentController::Options options;
  options.default_resync = impl->deps.default_resync;
  options.metrics = &impl->deps.metrics;
  unit->controller = std::make_unique<ComponentController>(unit->live, *table, options);
  auto start = [unit, impl](std::function<void(Status)> done) {
    unit->controller->setup(impl->deps.events, std::move(done));
  };
  Status status = co_await await_callback<Status>(start);
  if (status.code() == Code::unimplemented) {
    log::info("Skipping controller", {{"controller", name}, {"reason", status}});
    unit->skipped = status.message().empty() ? "it has nothing to do" : status.message();
    co_return false;
  }
  if (!status.ok()) co_return status;
  co_return true;
}

void PluginHost::start_controllers() {
  impl_->leading = true;
  impl_->node_deletions.begin();
  impl_->load_balancer_deletions.begin();
  impl_->route_deletions.begin();
  impl_->start_ready_controllers();
}

void PluginHost::Impl::start_ready_controllers() {
  if (!leading || stopping || (provider && !provider_ready)) return;
  for (const auto& unit : controllers) {
    if (!unit->controller || !unit->skipped.empty()) continue;
    if (deps.may_start && !deps.may_start(unit->live->identity())) continue;
    if (unit->controller->started()) continue;
    unit->controller->start();
    log::info("Started controller", {{"controller", unit->live->identity().name}});
  }
}

void PluginHost::start_allowed_controllers() { impl_->start_ready_controllers(); }

bool PluginHost::controllers_synced() const {
  return std::all_of(impl_->controllers.begin(), impl_->controllers.end(), [](const auto& unit) {
    return !unit->skipped.empty() || !unit->controller || unit->controller->synced();
  });
}

awaitable<Status> PluginHost::provider_health() {
  const auto impl = impl_;
  const ccm_provider* table = impl->provider_table;
  if (table == nullptr || !CCM_HAS(table, health) || table->health == nullptr) {
    co_return Status(Code::unimplemented, "the provider has no health function");
  }
  Status status = co_await impl->call_provider("health", milliseconds(10'000), table->health);
  co_return status;
}

bool PluginHost::has_cluster_id() {
  const ccm_provider* table = impl_->provider_table;
  if (table == nullptr || !CCM_HAS(table, has_cluster_id) || table->has_cluster_id == nullptr) {
    return true;
  }
  bool has = true;
  impl_->provider->live->call_serial("has_cluster_id",
                                     [&] { has = table->has_cluster_id(impl_->provider_self); });
  return has;
}

// All at once. The first fault.
awaitable<Status> PluginHost::Impl::each(const std::vector<std::shared_ptr<Unit>>& units,
                                         EndUnit end) {
  auto start = [this, &units, end = std::move(end)](std::function<void(Status)> done) {
    auto open = std::make_shared<std::size_t>(units.size() + 1);
    auto fault = std::make_shared<Status>();
    auto ended = [open, fault, done](Status status) {
      if (fault->ok() && !status.ok()) *fault = std::move(status);
      if (--*open == 0) done(*fault);
    };
    for (const auto& unit : units) end(unit, ended);
    deps.loop.post([ended] { ended(Status()); });
  };
  Status status = co_await await_callback<Status>(start);
  co_return status;
}

void PluginHost::Impl::destroy(const std::shared_ptr<Unit>& unit, milliseconds limit,
                               std::function<void(Status)> done) {
  unit->live->destroy(limit, [this, unit, done = std::move(done)](Status status) {
    if (!status.ok()) {
      leaked = true;
      keep_for_ever(unit);
    }
    done(std::move(status));
  });
}

std::optional<std::string> PluginHost::unseen_write() const {
  const auto of = [](const Unit& unit) -> std::optional<std::string> {
    auto operation = unit.live->unseen_write();
    if (operation) operation = unit.live->identity().name + ": " + *operation;
    return operation;
  };
  if (impl_->provider) {
    if (auto found = of(*impl_->provider)) return found;
  }
  for (const auto& unit : impl_->controllers) {
    if (auto found = of(*unit)) return found;
  }
  return std::nullopt;
}

awaitable<Status> PluginHost::stop_controllers(milliseconds limit) {
  const auto impl = impl_;
  impl->stopping = true;
  impl->end_sleep();
  if (impl->controllers_stopped) co_return Status();
  impl->controllers_stopped = true;
  std::vector<std::shared_ptr<Unit>> set_up;
  for (const auto& unit : impl->controllers) {
    if (unit->controller) set_up.push_back(unit);
  }
  auto end = [limit](const std::shared_ptr<Unit>& unit, std::function<void(Status)> done) {
    unit->controller->stop(limit, std::move(done));
  };
  Status stopped = co_await impl->each(set_up, std::move(end));
  co_return stopped;
}

awaitable<Status> PluginHost::stop(milliseconds limit) {
  const auto impl = impl_;
  Status first = co_await stop_controllers(limit);
  auto end = [impl, limit](const std::shared_ptr<Unit>& unit, std::function<void(Status)> done) {
    impl->destroy(unit, limit, std::move(done));
  };
  Status destroyed = co_await impl->each(impl->controllers, end);
  if (first.ok()) first = std::move(destroyed);
  if (!impl->provider) co_return first;
  const std::vector<std::shared_ptr<Unit>> last{impl->provider};
  destroyed = co_await impl->each(last, end);
  if (first.ok()) first = std::move(destroyed);
  co_return first;
}

InstancesBroker* PluginHost::instances() { return impl_->broker.get(); }

std::vector<ComponentReport> PluginHost::components() const {
  std::vector<ComponentReport> reports;
  const auto add = [&](const Unit& unit) {
    const ComponentIdentity& identity = unit.live->identity();
    const auto& watched = impl_->watchdog.components().find(identity.name)->second;
    ComponentReport report;
    report.name = identity.name;
    report.plugin_id = identity.plugin_id;
    report.kind = unit.kind;
    report.degraded = watched.degraded(impl_->deps.timers.now());
    report.skipped = unit.skipped;
    report.stalls = watched.stalls();
    report.missed_deadlines = watched.missed_deadlines();
    report.wrong_thread_calls = unit.live->wrong_thread_calls();
    report.operations = unit.live->operations()->in_flight();
    if (unit.controller && unit.controller->runner() != nullptr) {
      const runtime::ControllerRunner& runner = *unit.controller->runner();
      const runtime::WorkQueue& queue = runner.queue();
      report.queue = {queue.ready(),      queue.delayed(),
                      queue.processing(), unit.controller->records().size(),
                      runner.synced(),    runner.started()};
      report.watches = unit.controller->watched();
    }
    reports.push_back(std::move(report));
  };
  if (impl_->provider) add(*impl_->provider);
  for (const auto& unit : impl_->controllers) add(*unit);
  return reports;
}

void PluginHost::Impl::each_queue(
    const std::function<void(const ReconcileRecords&, const runtime::WorkQueue&,
                             const std::string& name)>& look) const {
  for (const auto& unit : controllers) {
    if (!unit->controller || unit->controller->runner() == nullptr) continue;
    look(unit->controller->records(), unit->controller->runner()->queue(),
         unit->live->identity().name);
  }
}

std::vector<ObjectReport> PluginHost::unsettled(std::size_t limit) const {
  std::vector<ObjectReport> all;
  impl_->each_queue([&](const ReconcileRecords& records, const runtime::WorkQueue& queue,
                        const std::string& name) {
    for (ObjectReport& report : records.list(queue, limit)) {
      report.controller = name;
      all.push_back(std::move(report));
    }
  });
  return all;
}

std::vector<ObjectReport> PluginHost::object(std::string_view key) const {
  std::vector<ObjectReport> all;
  impl_->each_queue([&](const ReconcileRecords& records, const runtime::WorkQueue& queue,
                        const std::string& name) {
    all.push_back(records.find(key, queue));
    all.back().controller = name;
  });
  return all;
}

std::map<std::string, std::map<ObjectState, std::size_t>> PluginHost::outcomes() const {
  std::map<std::string, std::map<ObjectState, std::size_t>> all;
  impl_->each_queue([&](const ReconcileRecords& records, const runtime::WorkQueue&,
                        const std::string& name) { all.emplace(name, records.outcomes()); });
  return all;
}

std::optional<LoadBalancerReport> PluginHost::load_balancer_of(std::string_view service) const {
  if (!impl_->load_balancers) return std::nullopt;
  return impl_->load_balancers->balancer_of(service);
}

std::vector<WarningReport> PluginHost::warnings_of(std::string_view key) const {
  return impl_->warnings->find(key);
}

std::vector<RouteReport> PluginHost::routes_of(const std::string& node) const {
  return impl_->routes ? impl_->routes->routes_of(node) : std::vector<RouteReport>();
}

std::vector<BudgetReport> PluginHost::budgets() const { return impl_->budgets.report(); }

runtime::BrakeReport PluginHost::node_brake() const { return impl_->node_deletions.report(); }

std::string PluginHost::brake_summary() const {
  std::string text = impl_->node_deletions.summary();
  for (const AbsenceGate* gate : {&impl_->load_balancer_deletions, &impl_->route_deletions}) {
    if (gate->report().engaged) text += "; " + gate->kind() + " " + gate->status_text();
  }
  return text;
}

std::vector<BrakeStatus> PluginHost::brakes() const {
  const AbsenceGate& balancers = impl_->load_balancer_deletions;
  const AbsenceGate& routes = impl_->route_deletions;
  return {{"nodes", node_brake(), impl_->node_deletions.status_text()},
          {"loadbalancers", balancers.report(), balancers.status_text()},
          {"routes", routes.report(), routes.status_text()}};
}

std::optional<runtime::Watchdog::Running> PluginHost::running() const {
  return impl_->watchdog.running();
}

CompletionFaults PluginHost::completion_faults() const { return impl_->completions->faults(); }

}  // namespace ccm::plugin
