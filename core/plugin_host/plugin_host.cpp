#include "plugin_host/plugin_host.hpp"

#include "base/log.hpp"
#include "plugin/await_callback.hpp"
#include "plugin/component_controller.hpp"
#include "plugin/host_services/crypto_service.hpp"
#include "plugin/host_services/file_service.hpp"
#include "plugin/host_services/hint_service.hpp"
#include "plugin/host_services/host_service.hpp"
#include "plugin/host_services/http_service.hpp"
#include "plugin/host_services/kube_service.hpp"
#include "plugin/host_services/log_service.hpp"
#include "plugin/host_services/metrics_service.hpp"
#include "plugin/host_services/process_service.hpp"
#include "plugin/host_services/scheduling_services.hpp"
#include "plugin/live_component.hpp"
#include "plugin/waiting.hpp"
#include "plugin_host/plugin_metrics.hpp"
#include "plugin_host/provider_start.hpp"
#include "runtime/timers.hpp"
#include "runtime/work_queue.hpp"

#include <ccm/abi/hint.h>
#include <ccm/object.hpp>
#include <ccm/scope.hpp>
#include <ccm/task.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <random>
#include <utility>

namespace ccm::plugin_host {

using boost::asio::awaitable;
using std::chrono::milliseconds;

// A component with all that belongs to it. It is freed as a whole, or not at all. Loop thread.
struct ComponentUnit {
  plugin_files::ComponentKind kind = plugin_files::ComponentKind::controller;
  std::shared_ptr<plugin::LiveComponent> live;
  std::shared_ptr<plugin::ComponentHost> host;
  std::shared_ptr<plugin::ControllerPort> port = std::make_shared<plugin::ControllerPort>();
  std::unique_ptr<plugin::ComponentController> controller;  // once it is set up
  std::string skipped;                                      // why its setup found nothing to do

  [[nodiscard]] const std::string& name() const { return live->identity().name; }
  // Null until the controller has been set up.
  [[nodiscard]] runtime::ControllerRunner* runner() const {
    return controller ? controller->runner() : nullptr;
  }
};

namespace {

// As the manifest describes the component.
plugin::ComponentIdentity identity_of(const plugin_files::LoadedPlugin& plugin,
                                      const plugin_files::Component& component) {
  plugin::ComponentIdentity identity;
  identity.plugin_id = plugin.manifest.id;
  identity.name = component.name;
  identity.client_name = component.client_name;
  identity.nonblocking = plugin.manifest.nonblocking;
  identity.max_parallel = plugin.manifest.max_parallel;
  identity.provider_id_prefixes = component.provider_id_prefixes;
  identity.interfaces = component.interfaces;
  return identity;
}

// Memory that a plugin may still use stays reachable and is never freed.
void keep_for_ever(std::shared_ptr<void> what) {
  static auto* const kept = new std::vector<std::shared_ptr<void>>;
  kept->push_back(std::move(what));
}

ComponentReport report_of(const ComponentUnit& unit, const runtime::Watchdog& watchdog,
                          runtime::TimePoint now) {
  const plugin::ComponentIdentity& identity = unit.live->identity();
  const auto& watched = watchdog.components().find(identity.name)->second;
  ComponentReport report;
  report.name = identity.name;
  report.plugin_id = identity.plugin_id;
  report.kind = unit.kind;
  report.degraded = watched.degraded(now);
  report.skipped = unit.skipped;
  report.stalls = watched.stalls();
  report.missed_deadlines = watched.missed_deadlines();
  report.wrong_thread_calls = unit.live->wrong_thread_calls();
  report.operations = unit.live->operations()->in_flight();
  if (const runtime::ControllerRunner* runner = unit.runner()) {
    const runtime::WorkQueue& queue = runner->queue();
    report.queue = {
        queue.ready(),    queue.delayed(),   queue.processing(), unit.controller->records().size(),
        runner->synced(), runner->started(), runner->workers()};
    report.watches = unit.controller->watched();
  }
  return report;
}

// All side by side. The first fault in their order.
Task<Status> end_all(std::vector<Task<Status>> tasks) {
  const std::vector<Status> statuses = co_await plugin::all_of(std::move(tasks));
  const auto fault = std::find_if(statuses.begin(), statuses.end(),
                                  [](const Status& status) { return !status.ok(); });
  co_return fault == statuses.end() ? Status() : *fault;
}

struct HintedObjects {
  const char* resource = "v1/nodes";
  std::vector<kube::ObjectPtr> objects;
};

// Every text that the hint names has to fit; one of them at least is there.
bool is_node(const plugin::CloudHint& hint, const kube::Object& node,
             const cloud::InstancesBroker* instances) {
  if (!hint.name.empty() && node.name() == hint.name) return true;
  const std::string_view id = node.text_at("/spec/providerID");
  if (hint.provider_id.empty() || id.empty()) return false;
  if (id == hint.provider_id) return true;
  return instances != nullptr &&
         instances->own_id(std::string(id)) == instances->own_id(hint.provider_id);
}

bool is_service(const plugin::CloudHint& hint, const kube::Object& service,
                const std::string& id_field) {
  if (!hint.uid.empty()) return service.uid() == hint.uid;
  if (!hint.name.empty()) {
    return service.name() == hint.name && service.namespace_name() == hint.namespace_name;
  }
  return !hint.id.empty() && service.text_at(id_field) == hint.id;
}

// The Nodes or Services of a hint; none when the cache has none. `id_annotation` is where Services
// record the id of their load balancer; `instances`, which may be null, knows under which provider
// IDs Nodes may name an instance.
HintedObjects hinted_objects(const plugin::CloudHint& hint, const plugin::ObjectCache& cache,
                             const std::string& id_annotation,
                             const cloud::InstancesBroker* instances) {
  HintedObjects found;
  const bool instance = hint.kind == CCM_HINT_INSTANCE;
  if (!instance) found.resource = "v1/services";
  const std::string id_field = "/metadata/annotations" + pointer_segment(id_annotation);
  for (auto& object : cache.list(found.resource, "")) {
    const bool fits =
        instance ? is_node(hint, *object, instances) : is_service(hint, *object, id_field);
    if (fits) found.objects.push_back(std::move(object));
  }
  return found;
}

}  // namespace

// The inside of a PluginHost, shared with the coroutines that run for it. Loop thread.
struct PluginHost::Impl {
  using Unit = std::shared_ptr<ComponentUnit>;

  explicit Impl(PluginHostDependencies wanted);

  boost::asio::awaitable<Status> create(plugin_files::ComponentKind kind,
                                        plugin_files::LoadedPlugin plugin, std::string name);
  boost::asio::awaitable<Result<Unit>> open(const plugin_files::LoadedPlugin& plugin);
  [[nodiscard]] plugin::RecordEvent noting_warnings(
      const plugin::ComponentIdentity& component) const;
  // By the provider's manifest; null when it lists no annotations.
  [[nodiscard]] std::shared_ptr<cloud::AnnotationWarnings> annotation_warnings_of(
      const plugin_files::Manifest& manifest, const plugin::ComponentIdentity& identity) const;
  [[nodiscard]] std::function<bool()> may_write() const;
  void add_services(ComponentUnit& unit);
  void held_the_loop(const runtime::Watchdog::Stall& stall);
  void dropped_completion(const char* kind);  // any thread
  void retry_failed(std::chrono::nanoseconds outage);
  void hinted(const plugin::CloudHint& hint);
  void start_ready_controllers();
  void pause_before_next_start();
  Task<Status> stop_controllers(std::chrono::milliseconds limit);
  Task<Status> stop(std::chrono::milliseconds limit);
  Task<Status> destroy(std::vector<Unit> units, std::chrono::milliseconds limit);
  Task<Status> destroy(Unit unit, std::chrono::milliseconds limit);
  [[nodiscard]] Unit find(std::string_view controller) const;
  // Controllers that have a queue.
  [[nodiscard]] std::vector<Unit> with_queue() const;
  // The shared state of plugins that have no component left in memory.
  [[nodiscard]] std::vector<Unit> closable() const;
  // The provider, if there is one, then the controllers.
  [[nodiscard]] std::vector<Unit> units() const;

  PluginHostDependencies deps;
  PluginMetrics plugin_metrics;
  plugin::MetricsRegistry metrics_registry;
  std::shared_ptr<plugin::WarningNotes> warnings;  // for components' Events
  plugin::CloudConfig cloud_config;
  plugin::ConfigRejections config_rejections;
  plugin::WatchedFiles files;
  CloudConnection cloud;
  ProviderStart provider_start;
  runtime::Watchdog watchdog;
  std::unique_ptr<plugin::CompletionTable> completions;
  plugin::ComponentRuntime runtime;
  std::map<std::string, Unit> opened;  // what the components of a plugin share, by plugin
  Unit provider;
  std::shared_ptr<cloud::AnnotationWarnings> annotation_warnings;
  std::vector<Unit> controllers;
  std::vector<Unit> unfinished;        // whose create was not completed in time
  runtime::Timers::Id next_start = 0;  // a controller's, while it has to wait; else 0
  bool leading = false;
  bool stopping = false;
  bool controllers_stopped = false;
  bool leaked = false;  // a component stays in memory, and with it all that it uses
  Scope tasks;          // last: its coroutines use the others
};

PluginHost::Impl::Impl(PluginHostDependencies wanted)
    : deps(std::move(wanted)),
      plugin_metrics(deps.process.metrics),
      metrics_registry(deps.process.metrics, deps.process.is_sampled_metric),
      warnings(std::make_shared<plugin::WarningNotes>(deps.process.timers)),
      cloud_config(deps.process.timers, deps.cloud.config_path),
      config_rejections(deps.process.metrics),
      files(deps.process.loop, deps.process.timers),
      cloud(deps),
      provider_start(deps.process.loop, deps.process.timers),
      watchdog(deps.process.timers,
               [this](const runtime::Watchdog::Stall& stall) { held_the_loop(stall); }),
      completions(std::make_unique<plugin::CompletionTable>(
          deps.process.loop, [this](const char* kind) { dropped_completion(kind); })),
      runtime{deps.process.loop,
              deps.process.timers,
              deps.process.workers,
              watchdog,
              *completions,
              [this](const plugin::ComponentIdentity& component, std::string_view operation,
                     const Status& status, std::chrono::nanoseconds duration,
                     const std::optional<plugin::CloudAnswer>& answer) {
                plugin_metrics.operation(component, operation, status, duration);
                if (provider && component.name == provider->name() && !stopping) {
                  cloud.health().ended(operation, status, answer);
                }
              }} {
  runtime.withheld = deps.process.withheld;
  runtime::QueueMetrics::reserve(deps.process.metrics);  // before a plugin could take the names
  if (!deps.process.write_gate) {
    deps.process.write_gate = std::make_shared<net::WriteGate>(
        [&leader = deps.process.leader] { return leader.leading(); });
  }
}

void PluginHost::Impl::held_the_loop(const runtime::Watchdog::Stall& stall) {
  plugin_metrics.stall(stall);
  log::warning("Plugin blocked the event loop", {{"component", stall.component},
                                                 {"operation", stall.operation},
                                                 {"duration", stall.duration}});
}

void PluginHost::Impl::dropped_completion(const char* kind) {
  plugin_metrics.dropped_completion(kind);
  // A cancelled operation has to complete late; anything else is the plugin's fault.
  if (std::string_view(kind) == "late") return;
  log::warning("Plugin completed an operation twice, or one that never began");
}

PluginHost::PluginHost(PluginHostDependencies dependencies)
    : impl_(std::make_shared<Impl>(std::move(dependencies))) {}

PluginHost::~PluginHost() {
  // A faulty plugin's thread may complete an operation once more even after this.
  impl_->completions->detach();
  if (impl_->leaked || impl_->completions->in_flight() > 0) {
    keep_for_ever(impl_);
  } else {
    keep_for_ever(std::shared_ptr<plugin::CompletionTable>(std::move(impl_->completions)));
  }
}

Status PluginHost::load_cloud_config() { return impl_->cloud_config.load(); }

// Every deletion that a controller requested: its routes and load balancers are wanted again, too.
void PluginHost::Impl::retry_failed(std::chrono::nanoseconds outage) {
  std::size_t keys = 0;
  for (const auto& unit : with_queue()) keys += unit->runner()->queue().retry_failed();
  log::info("The cloud answers again", {{"outage", outage}, {"retried", keys}});
}

void PluginHost::Impl::hinted(const plugin::CloudHint& hint) {
  const bool instance = hint.kind == CCM_HINT_INSTANCE;
  const HintedObjects found =
      hinted_objects(hint, deps.cluster.cache, cloud.id_annotation(), cloud.instances());
  if (instance && cloud.instances() != nullptr) {
    cloud.instances()->hinted(hint.name, hint.provider_id);
    for (const auto& node : found.objects) {
      cloud.instances()->hinted(std::string(node->name()),
                                std::string(node->text_at("/spec/providerID")));
    }
  }
  for (const auto& unit : with_queue()) {
    for (const auto& object : found.objects) unit->controller->hint(found.resource, object);
  }
}

PluginHost::Impl::Unit PluginHost::Impl::find(std::string_view controller) const {
  for (const auto& unit : controllers) {
    if (unit->live->identity().name == controller) return unit;
  }
  return nullptr;
}

awaitable<Status> PluginHost::create_provider(plugin_files::LoadedPlugin plugin, std::string name) {
  return impl_->create(plugin_files::ComponentKind::provider, std::move(plugin), std::move(name));
}

awaitable<Status> PluginHost::create_controller(plugin_files::LoadedPlugin plugin,
                                                std::string name) {
  return impl_->create(plugin_files::ComponentKind::controller, std::move(plugin), std::move(name));
}

awaitable<Status> PluginHost::start_provider() {
  const auto impl = impl_;  // outlives this object while it waits
  Status status = co_await plugin::await_task(impl->tasks, impl->provider_start.run());
  if (!status.ok() || !impl->provider) co_return status;
  // The provider's interfaces are known after its log-in.
  impl->cloud.connect(impl->provider->live, [impl = impl.get()](std::chrono::nanoseconds outage) {
    impl->retry_failed(outage);
  });
  impl->cloud.warn_of_annotations(impl->annotation_warnings);
  std::string message = "Cloud provider did not tell its limits, will retry";
  std::function<Task<Status>()> attempt = [impl = impl.get()] {
    return impl->cloud.ask_limits(impl->provider->live);
  };
  auto asking = impl->provider_start.repeat(std::move(message), std::move(attempt));
  status = co_await plugin::await_task(impl->tasks, std::move(asking));
  if (!status.ok()) co_return status.with_context("limits");
  for (const auto& unit : impl->controllers) impl->cloud.add_services(*unit->host, unit->live);
  co_return status;
}

bool PluginHost::provider_ready() const { return impl_->provider_start.initialised(); }

awaitable<Result<bool>> PluginHost::setup_controller(std::string name) {
  const auto impl = impl_;
  const auto unit = impl->find(name);
  if (!unit) co_return Status(Code::not_found, "there is no controller called " + name);
  const auto table = unit->live->get_interface(CCM_CONTROLLER);
  if (!table) {
    co_return Status(Code::internal, "component " + name + " does not offer " CCM_CONTROLLER);
  }
  if (Status watched = impl->cloud.watch_nodes(impl->deps.cluster.events); !watched.ok())
    co_return watched;
  plugin::ComponentController::Options options;
  options.default_resync = impl->deps.cluster.default_resync;
  options.metrics = &impl->deps.process.metrics;
  unit->controller =
      std::make_unique<plugin::ComponentController>(unit->live, *table, options, unit->port);
  auto setting_up = unit->controller->setup(impl->deps.cluster.events);
  Status status = co_await plugin::await_task(impl->tasks, std::move(setting_up));
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
  impl_->cloud.begin();
  impl_->start_ready_controllers();
}

void PluginHost::Impl::start_ready_controllers() {
  if (!leading || stopping || !provider_start.ready() || next_start != 0) return;
  for (const auto& unit : controllers) {
    if (!unit->controller || !unit->controller->set_up() || unit->controller->started()) continue;
    if (!unit->skipped.empty()) continue;
    if (deps.cluster.may_start && !deps.cluster.may_start(unit->live->identity())) continue;
    unit->controller->start();
    log::info("Started controller", {{"controller", unit->name()}});
    if (deps.cluster.controller_start_interval > milliseconds(0)) return pause_before_next_start();
  }
}

// HOST-16: one to two times the interval, so that several managers do not move in step.
void PluginHost::Impl::pause_before_next_start() {
  static thread_local std::minstd_rand random{std::random_device{}()};
  const int64_t interval = deps.cluster.controller_start_interval.count();
  std::uniform_int_distribution<int64_t> spread(interval, 2 * interval);
  next_start = deps.process.timers.after(milliseconds(spread(random)), [this] {
    next_start = 0;
    start_ready_controllers();
  });
}

void PluginHost::start_allowed_controllers() { impl_->start_ready_controllers(); }

bool PluginHost::has_cluster_id() { return impl_->provider_start.has_cluster_id(); }

std::vector<PluginHost::Impl::Unit> PluginHost::Impl::with_queue() const {
  std::vector<Unit> found;
  std::copy_if(controllers.begin(), controllers.end(), std::back_inserter(found),
               [](const Unit& unit) { return unit->runner() != nullptr; });
  return found;
}

std::vector<PluginHost::Impl::Unit> PluginHost::Impl::units() const {
  std::vector<Unit> all;
  if (provider) all.push_back(provider);
  all.insert(all.end(), controllers.begin(), controllers.end());
  return all;
}

std::optional<std::string> PluginHost::unseen_write() const {
  for (const auto& unit : impl_->units()) {
    if (const auto operation = unit->live->unseen_write()) return unit->name() + ": " + *operation;
  }
  return std::nullopt;
}

awaitable<Status> PluginHost::stop_controllers(milliseconds limit) {
  const auto impl = impl_;
  co_return co_await plugin::await_task(impl->tasks, impl->stop_controllers(limit));
}

awaitable<Status> PluginHost::stop(milliseconds limit) {
  const auto impl = impl_;
  co_return co_await plugin::await_task(impl->tasks, impl->stop(limit));
}

Task<Status> PluginHost::Impl::stop_controllers(milliseconds limit) {
  stopping = true;
  deps.process.timers.cancel(next_start);
  provider_start.stop();
  if (controllers_stopped) co_return Status();
  controllers_stopped = true;
  std::vector<Task<Status>> stops;
  for (const auto& unit : controllers) {
    if (unit->controller) stops.push_back(unit->controller->stop(limit));
  }
  co_return co_await end_all(std::move(stops));
}

Task<Status> PluginHost::Impl::stop(milliseconds limit) {
  Status first = co_await stop_controllers(limit);
  const auto note = [&first](Status status) {
    if (first.ok()) first = std::move(status);
  };
  note(co_await destroy(controllers, limit));
  if (provider) {
    co_await provider_start.shutdown();
    note(co_await destroy(provider, limit));
  }
  note(co_await destroy(closable(), limit));
  co_return first;
}

Task<Status> PluginHost::Impl::destroy(std::vector<Unit> units, milliseconds limit) {
  std::vector<Task<Status>> ends;
  for (const auto& unit : units) ends.push_back(destroy(unit, limit));
  co_return co_await end_all(std::move(ends));
}

Task<Status> PluginHost::Impl::destroy(Unit unit, milliseconds limit) {
  const plugin::CallbackAwaiter<Status>::Start start = [&](std::function<void(Status)> done) {
    unit->live->destroy(limit, std::move(done));
  };
  plugin::CallbackAwaiter<Status> destroyed(start);
  Status status = co_await destroyed;
  if (!status.ok()) {
    leaked = true;
    keep_for_ever(unit);
  }
  co_return status;
}

std::vector<PluginHost::Impl::Unit> PluginHost::Impl::closable() const {
  std::vector<Unit> components = units();
  components.insert(components.end(), unfinished.begin(), unfinished.end());
  std::vector<Unit> all;
  for (const auto& [plugin, unit] : opened) {
    const bool left = std::any_of(components.begin(), components.end(), [&](const Unit& other) {
      return other->live->identity().plugin_id == plugin &&
             other->live->state() != plugin::LiveComponent::State::destroyed;
    });
    if (left) {
      keep_for_ever(unit);
    } else {
      all.push_back(unit);
    }
  }
  return all;
}

std::shared_ptr<plugin::LiveComponent> PluginHost::provider() const {
  return impl_->provider ? impl_->provider->live : nullptr;
}

const CloudConnection& PluginHost::cloud() const { return impl_->cloud; }

void PluginHost::on_cloud_health(std::function<void()> fn) {
  impl_->cloud.health().on_change(std::move(fn));
}

std::vector<ComponentReport> PluginHost::components() const {
  std::vector<ComponentReport> reports;
  for (const auto& unit : impl_->units()) {
    reports.push_back(report_of(*unit, impl_->watchdog, impl_->deps.process.timers.now()));
  }
  return reports;
}

std::vector<plugin::ObjectReport> PluginHost::unsettled(std::size_t limit) const {
  std::vector<plugin::ObjectReport> all;
  for (const auto& unit : impl_->with_queue()) {
    const runtime::WorkQueue& queue = unit->runner()->queue();
    for (plugin::ObjectReport& report : unit->controller->records().list(queue, limit)) {
      report.controller = unit->name();
      all.push_back(std::move(report));
    }
  }
  return all;
}

std::vector<plugin::ObjectReport> PluginHost::object(std::string_view key) const {
  std::vector<plugin::ObjectReport> all;
  for (const auto& unit : impl_->with_queue()) {
    all.push_back(unit->controller->records().find(key, unit->runner()->queue()));
    all.back().controller = unit->name();
  }
  return all;
}

std::map<std::string, plugin::Outcomes> PluginHost::outcomes() const {
  std::map<std::string, plugin::Outcomes> all;
  for (const auto& unit : impl_->with_queue()) {
    all.emplace(unit->name(), unit->controller->records().outcomes());
  }
  return all;
}

std::vector<plugin::WarningReport> PluginHost::warnings_of(std::string_view key) const {
  return impl_->warnings->find(key);
}

std::optional<runtime::Watchdog::Running> PluginHost::running() const {
  return impl_->watchdog.running();
}

plugin::CompletionFaults PluginHost::completion_faults() const {
  return impl_->completions->faults();
}

std::vector<plugin::ConfigRejection> PluginHost::config_rejections() const {
  return impl_->config_rejections.list();
}

// The components of a PluginHost: how they are made, and which services each one has.

plugin::RecordEvent PluginHost::Impl::noting_warnings(
    const plugin::ComponentIdentity& component) const {
  auto recording = deps.cluster.component_events ? deps.cluster.component_events(component)
                                                 : deps.cluster.record_event;
  return [notes = warnings, record = std::move(recording)](
             const std::string& source, kube::ObjectReference about, kube::EventType type,
             std::string reason, std::string message) {
    if (type == kube::EventType::warning) notes->note(about, reason, message);
    if (record) record(source, std::move(about), type, std::move(reason), std::move(message));
  };
}

std::shared_ptr<cloud::AnnotationWarnings> PluginHost::Impl::annotation_warnings_of(
    const plugin_files::Manifest& manifest, const plugin::ComponentIdentity& identity) const {
  if (!manifest.service_annotations) return nullptr;
  std::map<std::string, std::string> flags;  // by the variable that stands for each
  for (const plugin_files::Option& option : manifest.options) {
    if (!option.environment.empty()) flags.emplace(option.environment, option.name);
  }
  plugin_files::EnvironmentValue environment =
      [flags = std::move(flags), &source = deps.process.flags](const std::string& name) {
        const auto flag = flags.find(name);
        if (flag != flags.end()) return source.flag(flag->second).value_or("");
        const char* value = std::getenv(name.c_str());
        return value == nullptr ? std::string() : std::string(value);
      };
  return std::make_shared<cloud::AnnotationWarnings>(*manifest.service_annotations,
                                                     std::move(environment),
                                                     noting_warnings(identity), identity.name);
}

// A dry run's writes to Kubernetes get as far as deps.cluster.object_api, although the gate is
// shut.
std::function<bool()> PluginHost::Impl::may_write() const {
  if (deps.process.withheld != nullptr) return [] { return true; };
  return [gate = deps.process.write_gate] { return gate->open(); };
}

void PluginHost::Impl::add_services(ComponentUnit& unit) {
  const std::shared_ptr<plugin::LiveComponent>& live = unit.live;
  unit.host = std::make_shared<plugin::ComponentHost>(live->identity().nonblocking);
  keep_for_ever(unit.host);  // a stray thread of the plugin may still call it
  plugin::ComponentHost& host = *unit.host;
  host.add(std::make_unique<plugin::LogService>(live));
  host.add(std::make_unique<plugin::CtxService>(live));
  host.add(std::make_unique<plugin::ObjectService>(live));
  host.add(std::make_unique<plugin::TimerService>(live));
  host.add(std::make_unique<plugin::PostService>(live));
  host.add(std::make_unique<plugin::WorkerService>(live));
  host.add(std::make_unique<plugin::MetricsService>(live, metrics_registry));
  host.add(std::make_unique<plugin::ConfigService>(live, deps.process.flags, cloud_config,
                                                   config_rejections, deps.cloud.recording));
  host.add(std::make_unique<plugin::LeaderService>(live, deps.process.leader));
  host.add(std::make_unique<plugin::EventService>(live, noting_warnings(live->identity())));
  host.add(std::make_unique<plugin::KubeService>(
      live, deps.cluster.cache, cloud.guard(deps.cluster.object_api(live->identity())),
      may_write()));
  plugin::HttpServiceOptions http;
  http.send = deps.cloud.send_http;
  http.budgets = &cloud.call_budgets();
  http.gate = deps.process.write_gate;
  http.withheld = deps.process.withheld;
  http.recording = deps.cloud.recording;
  if (deps.cloud.user_agent) http.user_agent = deps.cloud.user_agent(live->identity());
  http.observer = [this](const plugin::HttpCallRecord& call) { plugin_metrics.http(call); };
  if (deps.cloud.make_http_client) {
    host.add(std::make_unique<plugin::HttpClientService>(live, deps.cloud.make_http_client, http,
                                                         files));
  }
  host.add(std::make_unique<plugin::HttpService>(live, std::move(http)));
  host.add(std::make_unique<plugin::FileService>(live, files, config_rejections));
  host.add(std::make_unique<plugin::ProcessService>(live, files));
  host.add(std::make_unique<plugin::CryptoService>(live));
  host.add(std::make_unique<plugin::HintService>(
      live, [this](const plugin::CloudHint& hint) { hinted(hint); }));
}

// Once for each plugin.
awaitable<Result<PluginHost::Impl::Unit>> PluginHost::Impl::open(
    const plugin_files::LoadedPlugin& plugin) {
  const auto known = opened.find(plugin.manifest.id);
  if (known != opened.end()) co_return known->second;
  plugin_files::Component whole;
  whole.name = plugin.manifest.id;
  auto unit = std::make_shared<ComponentUnit>();
  unit->live = std::make_shared<plugin::LiveComponent>(runtime, identity_of(plugin, whole));
  add_services(*unit);
  auto start = [unit, entry = plugin.plugin](std::function<void(Status)> done) {
    unit->live->open(*entry, unit->host->host(), std::move(done));
  };
  Status status = co_await plugin::await_callback<Status>(start);
  if (!status.ok()) {
    leaked = true;
    keep_for_ever(unit);
    co_return status;
  }
  opened.emplace(plugin.manifest.id, unit);
  for (const plugin_files::CacheRead& read : plugin.manifest.reads) {
    runtime::WatchSpec spec;
    spec.resource = read.resource;
    spec.fields = read.fields;
    Status watched = deps.cluster.events.watch(spec, {});
    if (!watched.ok()) co_return watched.with_context("\"reads\" of plugin " + plugin.manifest.id);
  }
  co_return unit;
}

awaitable<Status> PluginHost::Impl::create(plugin_files::ComponentKind kind,
                                           plugin_files::LoadedPlugin plugin, std::string name) {
  const plugin_files::Component* component = plugin.manifest.find(kind, name);
  if (component == nullptr) {
    co_return Status(Code::not_found, "plugin " + plugin.manifest.id + " has no " +
                                          std::string(to_string(kind)) + " called " + name);
  }
  if (kind == plugin_files::ComponentKind::provider ? provider != nullptr
                                                    : find(component->name) != nullptr) {
    co_return Status(Code::already_exists, "component " + name + " was created before");
  }
  const auto shared = co_await open(plugin);
  if (!shared.ok()) co_return shared.status();
  auto unit = std::make_shared<ComponentUnit>();
  unit->kind = kind;
  unit->live = std::make_shared<plugin::LiveComponent>(runtime, identity_of(plugin, *component));
  add_services(*unit);
  if (kind == plugin_files::ComponentKind::controller) {
    unit->host->add(std::make_unique<plugin::SetupService>(unit->live, unit->port));
    unit->host->add(std::make_unique<plugin::QueueService>(unit->live, unit->port));
    cloud.add_services(*unit->host, unit->live);
  }
  auto start = [unit, self = (*shared)->live->shared(),
                entry = plugin.plugin](std::function<void(Status)> done) {
    unit->live->create(*entry, self, unit->host->host(), std::move(done));
  };
  Status created = co_await plugin::await_callback<Status>(start);
  if (!created.ok()) {
    leaked = true;
    keep_for_ever(unit);  // its state is unknown
    if (created.code() == Code::deadline_exceeded) unfinished.push_back(unit);
    co_return created;
  }
  if (kind == plugin_files::ComponentKind::provider) {
    provider = unit;
    annotation_warnings = annotation_warnings_of(plugin.manifest, unit->live->identity());
    provider_start.connect(unit->live);
  } else {
    controllers.push_back(unit);
  }
  co_return Status();
}

}  // namespace ccm::plugin_host
