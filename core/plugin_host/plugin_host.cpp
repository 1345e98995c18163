#include "plugin_host/plugin_host.hpp"

#include "base/log.hpp"
#include "plugin/await_callback.hpp"
#include "plugin_host/cloud_hints.hpp"
#include "plugin_host/plugin_host_impl.hpp"
#include "runtime/work_queue.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <random>
#include <utility>

namespace ccm::plugin {

using boost::asio::awaitable;
using std::chrono::milliseconds;

PluginHost::Impl::Impl(PluginHostDependencies wanted)
    : deps(std::move(wanted)),
      metrics(deps.metrics),
      plugin_metrics(deps.metrics),
      warnings(std::make_shared<WarningNotes>(deps.timers)),
      cloud_config(deps.timers, deps.cloud_config_path),
      config_rejections(deps.metrics),
      files(deps.loop, deps.timers),
      cloud(deps),
      provider_start(deps.loop, deps.timers),
      watchdog(deps.timers,
               [this](const runtime::Watchdog::Stall& stall) { held_the_loop(stall); }),
      completions(std::make_unique<CompletionTable>(
          deps.loop, [this](const char* kind) { dropped_completion(kind); })),
      runtime{deps.loop,
              deps.timers,
              deps.workers,
              watchdog,
              *completions,
              [this](const ComponentIdentity& component, std::string_view operation,
                     const Status& status, std::chrono::nanoseconds duration) {
                metrics.operation(component, operation, status, duration);
              }} {
  runtime.withheld = deps.withheld;
  runtime::QueueMetrics::reserve(deps.metrics);  // before a plugin could take the names
  if (!deps.write_gate) {
    deps.write_gate =
        std::make_shared<net::WriteGate>([&leader = deps.leader] { return leader.leading(); });
  }
}

void PluginHost::Impl::held_the_loop(const runtime::Watchdog::Stall& stall) {
  metrics.stall(stall);
  log::warning("Plugin blocked the event loop", {{"component", stall.component},
                                                 {"operation", stall.operation},
                                                 {"duration", stall.duration}});
}

void PluginHost::Impl::dropped_completion(const char* kind) {
  metrics.dropped_completion(kind);
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
    keep_for_ever(std::shared_ptr<CompletionTable>(std::move(impl_->completions)));
  }
}

Status PluginHost::load_cloud_config() { return impl_->cloud_config.load(); }

// Every deletion that a controller requested: its routes and load balancers are wanted again, too.
void PluginHost::Impl::retry_failed(std::chrono::nanoseconds outage) {
  std::size_t keys = 0;
  for (const auto& unit : with_queue()) keys += unit->runner()->queue().retry_failed();
  log::info("The cloud answers again", {{"outage", outage}, {"retried", keys}});
}

void PluginHost::Impl::hinted(const CloudHint& hint) {
  const bool instance = hint.kind == CCM_HINT_INSTANCE;
  const HintedObjects found = hinted_objects(hint, deps.cache, cloud.id_annotation());
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

awaitable<Status> PluginHost::create_provider(LoadedPlugin plugin, std::string name) {
  return impl_->create(ComponentKind::provider, std::move(plugin), std::move(name));
}

awaitable<Status> PluginHost::create_controller(LoadedPlugin plugin, std::string name) {
  return impl_->create(ComponentKind::controller, std::move(plugin), std::move(name));
}

awaitable<Status> PluginHost::start_provider() {
  const auto impl = impl_;  // outlives this object while it waits
  Status status = co_await impl->provider_start.run();
  if (!status.ok() || !impl->provider) co_return status;
  // The provider's interfaces are known after its log-in.
  impl->cloud.connect(impl->provider->live, [impl = impl.get()](std::chrono::nanoseconds outage) {
    impl->retry_failed(outage);
  });
  impl->cloud.warn_of_annotations(impl->annotation_warnings);
  std::string message = "Cloud provider did not tell its limits, will retry";
  std::function<awaitable<Status>()> attempt = [impl = impl.get()] {
    return impl->cloud.ask_limits(impl->provider->live);
  };
  status = co_await impl->provider_start.repeat(std::move(message), std::move(attempt));
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
  if (Status watched = impl->cloud.watch_nodes(impl->deps.events); !watched.ok()) co_return watched;
  ComponentController::Options options;
  options.default_resync = impl->deps.default_resync;
  options.metrics = &impl->deps.metrics;
  unit->controller = std::make_unique<ComponentController>(unit->live, *table, options, unit->port);
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
  impl_->cloud.begin();
  impl_->start_ready_controllers();
}

void PluginHost::Impl::start_ready_controllers() {
  if (!leading || stopping || !provider_start.ready() || next_start != 0) return;
  for (const auto& unit : controllers) {
    if (!unit->controller || !unit->controller->set_up() || unit->controller->started()) continue;
    if (!unit->skipped.empty()) continue;
    if (deps.may_start && !deps.may_start(unit->live->identity())) continue;
    unit->controller->start();
    log::info("Started controller", {{"controller", unit->name()}});
    if (deps.controller_start_interval > milliseconds(0)) return pause_before_next_start();
  }
}

// HOST-16: one to two times the interval, so that several managers do not move in step.
void PluginHost::Impl::pause_before_next_start() {
  static thread_local std::minstd_rand random{std::random_device{}()};
  const int64_t interval = deps.controller_start_interval.count();
  std::uniform_int_distribution<int64_t> spread(interval, 2 * interval);
  next_start = deps.timers.after(milliseconds(spread(random)), [this] {
    next_start = 0;
    start_ready_controllers();
  });
}

void PluginHost::start_allowed_controllers() { impl_->start_ready_controllers(); }

bool PluginHost::has_cluster_id() { return impl_->provider_start.has_cluster_id(); }

// All at once. The first fault.
awaitable<Status> PluginHost::Impl::each(const std::vector<Unit>& units, EndUnit end) {
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

void PluginHost::Impl::destroy(const Unit& unit, milliseconds limit,
                               std::function<void(Status)> done) {
  unit->live->destroy(limit, [this, unit, done = std::move(done)](Status status) {
    if (!status.ok()) {
      leaked = true;
      keep_for_ever(unit);
    }
    done(std::move(status));
  });
}

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
  impl->stopping = true;
  impl->deps.timers.cancel(impl->next_start);
  impl->provider_start.stop();
  if (impl->controllers_stopped) co_return Status();
  impl->controllers_stopped = true;
  std::vector<Impl::Unit> set_up;
  for (const auto& unit : impl->controllers) {
    if (unit->controller) set_up.push_back(unit);
  }
  auto end = [limit](const Impl::Unit& unit, std::function<void(Status)> done) {
    unit->controller->stop(limit, std::move(done));
  };
  Status stopped = co_await impl->each(set_up, std::move(end));
  co_return stopped;
}

awaitable<Status> PluginHost::stop(milliseconds limit) {
  const auto impl = impl_;
  Status first = co_await stop_controllers(limit);
  auto end = [impl, limit](const Impl::Unit& unit, std::function<void(Status)> done) {
    impl->destroy(unit, limit, std::move(done));
  };
  Status destroyed = co_await impl->each(impl->controllers, end);
  if (first.ok()) first = std::move(destroyed);
  if (impl->provider) {
    co_await impl->provider_start.shutdown();
    const std::vector<Impl::Unit> last{impl->provider};
    destroyed = co_await impl->each(last, end);
    if (first.ok()) first = std::move(destroyed);
  }
  destroyed = co_await impl->each(impl->closable(), end);
  if (first.ok()) first = std::move(destroyed);
  co_return first;
}

std::vector<PluginHost::Impl::Unit> PluginHost::Impl::closable() const {
  std::vector<Unit> components = units();
  components.insert(components.end(), unfinished.begin(), unfinished.end());
  std::vector<Unit> all;
  for (const auto& [plugin, unit] : opened) {
    const bool left = std::any_of(components.begin(), components.end(), [&](const Unit& other) {
      return other->live->identity().plugin_id == plugin &&
             other->live->state() != LiveComponent::State::destroyed;
    });
    if (left) {
      keep_for_ever(unit);
    } else {
      all.push_back(unit);
    }
  }
  return all;
}

const CloudConnection& PluginHost::cloud() const { return impl_->cloud; }

std::vector<ComponentReport> PluginHost::components() const {
  std::vector<ComponentReport> reports;
  for (const auto& unit : impl_->units()) {
    reports.push_back(report_of(*unit, impl_->watchdog, impl_->deps.timers.now()));
  }
  return reports;
}

std::vector<ObjectReport> PluginHost::unsettled(std::size_t limit) const {
  std::vector<ObjectReport> all;
  for (const auto& unit : impl_->with_queue()) {
    const runtime::WorkQueue& queue = unit->runner()->queue();
    for (ObjectReport& report : unit->controller->records().list(queue, limit)) {
      report.controller = unit->name();
      all.push_back(std::move(report));
    }
  }
  return all;
}

std::vector<ObjectReport> PluginHost::object(std::string_view key) const {
  std::vector<ObjectReport> all;
  for (const auto& unit : impl_->with_queue()) {
    all.push_back(unit->controller->records().find(key, unit->runner()->queue()));
    all.back().controller = unit->name();
  }
  return all;
}

std::map<std::string, std::map<ObjectState, std::size_t>> PluginHost::outcomes() const {
  std::map<std::string, std::map<ObjectState, std::size_t>> all;
  for (const auto& unit : impl_->with_queue()) {
    all.emplace(unit->name(), unit->controller->records().outcomes());
  }
  return all;
}

std::vector<WarningReport> PluginHost::warnings_of(std::string_view key) const {
  return impl_->warnings->find(key);
}

std::optional<runtime::Watchdog::Running> PluginHost::running() const {
  return impl_->watchdog.running();
}

CompletionFaults PluginHost::completion_faults() const { return impl_->completions->faults(); }

std::vector<ConfigRejection> PluginHost::config_rejections() const {
  return impl_->config_rejections.list();
}

}  // namespace ccm::plugin
