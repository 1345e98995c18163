#include "app/manager.hpp"

#include "app/exit_code.hpp"
#include "app/host_metrics.hpp"
#include "app/manager_impl.hpp"
#include "app/status/status_page.hpp"
#include "base/log.hpp"
#include "kube/events.hpp"
#include "net/coroutines.hpp"
#include "net/http_client.hpp"
#include "plugin/host_services/http_access.hpp"
#include "serving/pages/flags_page.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <optional>
#include <random>
#include <utility>

namespace ccm::app {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

// A plugin's call may block the loop for this many lease durations before the Lease is given up: 60
// s by default.
constexpr int kForgivenLeases = 4;

// The meaning of --min-resync-period: one random time in [P, 2P) for the process (HOST-30).
milliseconds resync_period(Duration minimum) {
  const auto low = std::chrono::duration_cast<milliseconds>(minimum).count();
  if (low <= 0) return milliseconds(0);
  std::random_device device;
  return milliseconds(low + static_cast<int64_t>(std::uniform_real_distribution<double>(
                                0, static_cast<double>(low))(device)));
}

// Answers from the shared snapshot must be younger than the period in which the question repeats.
plugin::BrokerOptions broker_options(const Options& options) {
  plugin::BrokerOptions broker;
  const auto half = std::chrono::duration_cast<milliseconds>(
      options.node_controller.node_status_update_frequency / 2);
  const auto monitor = std::chrono::duration_cast<milliseconds>(
      options.node_lifecycle_controller.node_monitor_period);
  broker.max_age = std::min(broker.max_age, half);
  broker.list_interval = std::min({broker.list_interval, half, monitor});
  return broker;
}

runtime::BrakeOptions brake_options(const DeletionBrakeOptions& given) {
  runtime::BrakeOptions brake;
  brake.percent = given.percent;
  brake.minimum = given.minimum;
  brake.window = std::chrono::duration_cast<milliseconds>(given.window);
  brake.hold = std::chrono::duration_cast<milliseconds>(given.hold);
  return brake;
}

plugin::LoadBalancerLimitOptions load_balancer_limits(const LoadBalancerLimitFlags& given) {
  const auto in_ms = [](Duration time) { return std::chrono::duration_cast<milliseconds>(time); };
  plugin::LoadBalancerLimitOptions limits;
  limits.changes.service = {given.change_burst, in_ms(given.change_period)};
  limits.changes.of_namespace = {given.namespace_burst, in_ms(given.namespace_period)};
  limits.replacement_window = in_ms(given.replacement_window);
  return limits;
}

net::ClientOptions plugin_http_options() {
  net::ClientOptions options;
  options.proxy_from_environment = true;
  return options;
}

kube::InformerTiming informer_timing(const ClientConnectionOptions& given) {
  kube::InformerTiming timing;
  timing.protobuf = given.content_type != kube::kJsonType;
  timing.streamed_lists = given.feature_gates.watch_list();
  return timing;
}

}  // namespace

Manager::Impl::Impl(const CommandLine& line, kube::ClientConfig config, LoadedSelection chosen,
                    MigrationPlan plan, SignalGuard& signal_guard,
                    std::shared_ptr<plugin::HttpRecording> exchanges)
    : command_line(line),
      options(line.options()),
      selection(std::move(chosen)),
      migration(std::move(plan)),
      recording(std::move(exchanges)),
      write_gate(std::make_shared<net::WriteGate>([this] { return may_write(); })),
      event_gate(std::make_shared<net::WriteGate>([this] { return may_write(); })),
      clients(loop.executor(), config, line, {write_gate, event_gate},
              client_metrics.observer(config.server)),
      informers(clients.client("shared-informers"), informer_timing(options.client_connection),
                [this](const std::string& reason) { set_back(reason); }),
      recorders([this](const std::string& source, const std::string& account) {
        kube::EventOptions event_options;
        event_options.component = source;
        return std::make_unique<kube::EventRecorder>(clients.event_writer(source, account),
                                                     event_options);
      }),
      leadership(options.leader_election,
                 options.generic.feature_gates.enabled(kCoordinatedLeaderElection), migration.lease,
                 clients, loop),
      plugins(dependencies()),
      endpoint(loop.executor(), options, metrics, sampled, health),
      guard(signal_guard) {
  add_host_metrics(&sampled,
                   {leadership, options.leader_election, selection, informers, plugins, clients});
  // A note, not a check: a new Pod with a better credential must become ready beside the old one,
  // and no restart of this one mends a cloud.
  health->set_note("cloud", [this] {
    const std::string text = plugins.cloud().health().text();
    return text.empty() ? std::string("no failure is known") : text;
  });
  health->set_note("list-of-instances", [this] {
    const std::string doubt = plugins.cloud().listing_doubt();
    return doubt.empty() ? std::string("trusted") : doubt;
  });
  health->set_note("creation-brake", [this] {
    return std::to_string(plugins.cloud().replacements_held()) + " held";
  });
  health->set_note("deletion-brake", [this] { return plugins.cloud().brake_summary(); });
  endpoint.on_certificate([this](const std::string& fingerprint) {
    leadership.publish(options.secure_serving.port, fingerprint);
  });
  add_pages();
}

void Manager::Impl::add_pages() {
  endpoint.add("/configz", [this](const serving::Request& request) {
    if (const auto refusal = serving::only_reads(request)) return *refusal;
    serving::Answer answer;
    answer.content_type = "application/json";
    answer.body = config_json(options, config_in_force());
    return answer;
  });
  endpoint.add("/flagz", [this](const serving::Request& request) {
    return serving::flags_page(request, command_line.all_values());
  });
  const StatusSources sources{options,   selection, migration, leadership,
                              informers, plugins,   access,    endpoint};
  endpoint.add("/statusz", [sources](const serving::Request& request) {
    return status_page(sources, request);
  });
}

ConfigInForce Manager::Impl::config_in_force() const {
  ConfigInForce in_force;
  in_force.qps = clients.qps();
  in_force.burst = clients.burst();
  for (const plugin::ComponentReport& component : plugins.components()) {
    if (!component.queue) continue;
    if (component.name == "cloud-node-controller") in_force.node_syncs = component.queue->workers;
    if (component.name == "cloud-node-lifecycle-controller") {
      in_force.node_lifecycle_syncs = component.queue->workers;
    }
    if (component.name == "service-lb-controller") {
      in_force.service_syncs = component.queue->workers;
    }
  }
  return in_force;
}

bool Manager::Impl::may_write() const { return leadership.leading() && !options.dry_run.enabled; }

std::shared_ptr<plugin::ObjectApi> Manager::Impl::object_api(
    const plugin::ComponentIdentity& identity) {
  std::shared_ptr<plugin::ObjectApi> api =
      plugin::make_object_api(clients.writer(identity.client_name, account_of(identity)));
  return dry_run.enabled() ? dry_run.object_api(std::move(api), identity.name) : api;
}

plugin::PluginHostDependencies Manager::Impl::dependencies() {
  const auto guarded = [this](plugin::SendHttp send) {
    return plugin::guard_credentials(loop.executor(), std::move(send),
                                     options.kube_cloud_shared.allow_plaintext_cloud_credentials);
  };
  const auto recording_as = [this](const std::string& account) -> plugin::RecordEvent {
    return [this, account](const std::string& source, kube::ObjectReference about,
                           kube::EventType type, std::string reason, std::string message) {
      recorders.record_as(account, source, std::move(about), type, std::move(reason),
                          std::move(message));
    };
  };
  plugin::PluginHostDependencies result{
      .loop = loop,
      .timers = loop.timers(),
      .workers = workers,
      .metrics = metrics,
      .flags = *this,
      .leader = leadership,
      .events =
          dry_run.enabled() ? static_cast<runtime::EventSource&>(dry_run.objects()) : event_source,
      .cache =
          dry_run.enabled() ? static_cast<const plugin::ObjectCache&>(dry_run.objects()) : cache,
      .object_api =
          [this](const plugin::ComponentIdentity& identity) { return object_api(identity); },
      .send_http = guarded(plugin::make_send_http(
          loop.executor(),
          std::make_shared<net::HttpClient>(loop.executor(), plugin_http_options()))),
      .make_http_client = plugin::make_http_clients(loop.executor(), guarded),
      .record_event = recording_as(""),
      .write_gate = write_gate,
      .withheld = dry_run.enabled() ? &dry_run.writes() : nullptr,
      .recording = recording,
      .user_agent =
          [](const plugin::ComponentIdentity& identity) {
            return ClientFactory::user_agent_of(identity.client_name);
          },
      .cloud_config_path = options.kube_cloud_shared.cloud_config,
      .default_resync = resync_period(options.generic.min_resync_period),
      .broker = broker_options(options),
      .provider_timeouts = {},
      .brake = brake_options(options.deletion_brake),
      .load_balancer_limits = load_balancer_limits(options.load_balancer_limits),
      .controller_start_interval =
          std::chrono::duration_cast<milliseconds>(options.generic.controller_start_interval),
      .may_start =
          [this](const plugin::ComponentIdentity& identity) { return may_start(identity); },
      .component_events =
          [this, recording_as](const plugin::ComponentIdentity& identity) {
            return recording_as(account_of(identity));
          }};
  return result;
}

bool Manager::Impl::may_start(const plugin::ComponentIdentity& controller) const {
  if (migration.migrated.contains(controller.name) && !leadership.leading_migration()) return false;
  return !access || access->allows(controller.plugin_id);
}

// Controllers have one each with --use-service-account-credentials, providers none. A dry run makes
// no accounts and no tokens.
std::string Manager::Impl::account_of(const plugin::ComponentIdentity& identity) const {
  if (!options.kube_cloud_shared.use_service_account_credentials || dry_run.enabled()) return {};
  const bool controller =
      std::any_of(selection.controllers.begin(), selection.controllers.end(),
                  [&](const SelectedComponent& one) { return one.name == identity.name; });
  return controller ? identity.client_name : std::string();
}

std::optional<std::string> Manager::Impl::flag(std::string_view name) const {
  return command_line.flag_text(name);
}

bool Manager::Impl::given(std::string_view name) const { return command_line.is_set(name); }

// Plugin code may have replaced the handlers meanwhile.
void Manager::Impl::watch_signals() {
  constexpr milliseconds kCheckInterval{1'000};
  loop.timers().after(kCheckInterval, [this] {
    guard.check("the last look");
    watch_signals();
  });
}

// On the election's thread. A plugin may block the loop for a while as long as this process holds
// the Lease: a slow plugin must not cost the leadership, a hung host must.
Status Manager::Impl::alive(bool holding) const {
  const auto& election = options.leader_election;
  const auto limit = std::chrono::duration_cast<milliseconds>(election.renew_deadline);
  const auto grace =
      std::chrono::duration_cast<milliseconds>(kForgivenLeases * election.lease_duration);
  return monitor.alive(limit, holding ? grace : milliseconds(0));
}

// The callbacks run on the thread of the signals, even when the loop is blocked. A log that blocks
// must not block that thread, so the orderly stop is logged on the loop.
void Manager::Impl::listen() {
  StopSignals::Callbacks callbacks;
  const Cause signal = dry_run.enabled() ? Cause::interrupted : Cause::signal;
  callbacks.first = [this, signal](int number) {
    auto end = [this, signal, number] {
      ending.end(signal, [number] { log::info("Stopping", {{"signal", signal_name(number)}}); });
    };
    if (ending.at_once(signal)) return end();
    loop.post(end);
  };
  callbacks.again = [this] {
    ending.end(Cause::second_signal,
               [] { log::warning("Stopping at once: a second signal came"); });
  };
  callbacks.late = [this] {
    ending.end(Cause::stop_limit, [this] {
      std::string blocker;
      if (const auto call = plugins.running()) {
        blocker = call->component->name() + ": " + std::string(call->operation);
      }
      log::warning("Stopping took too long, exiting at once",
                   {{"after", kStopLimit}, {"blockedBy", blocker}});
    });
  };
  signals.listen(std::move(callbacks));
}

// Any thread.
void Manager::Impl::set_back(const std::string& reason) {
  ending.end(Cause::set_back, [&] {
    log::error(
        "Stopping, to read everything again: the API server's storage was restored from a copy",
        {{"reason", reason}});
  });
}

void Manager::Impl::fail(const Status& status) {
  ending.end(Cause::failure, [&] { log::error("Cannot continue", {{"err", status}}); });
}

void Manager::Impl::begin_stop() {
  signals.begin_limit();
  if (access) access->stop();
  if (cloud_news) cloud_news->stop();
  net::spawn(loop.executor(), stop());
}

asio::awaitable<void> Manager::Impl::stop() {
  co_await orderly_stop.run();
  informers.stop();
  endpoint.stop();
  loop_lag.stop();
  loop.stop();
}

Manager::Manager(const CommandLine& command_line, kube::ClientConfig config,
                 LoadedSelection selection, MigrationPlan migration, SignalGuard& signals,
                 std::shared_ptr<plugin::HttpRecording> recording)
    : impl_(std::make_unique<Impl>(command_line, std::move(config), std::move(selection),
                                   std::move(migration), signals, std::move(recording))) {}
Manager::~Manager() = default;

int Manager::run() {
  Impl& impl = *impl_;
  if (Status status = impl.clients.check(); !status.ok()) {
    log::error("Cannot start", {{"err", status}});
    return kExitBadOptions;
  }
  const bool serves = !impl.options.dry_run.enabled;  // the real leader may use the port
  if (serves && impl.options.leader_election.leader_elect) {
    impl.health->set("leaderElection", [&impl] { return impl.leadership.health(); });
  }
  if (Status status = serves ? impl.endpoint.start() : Status(); !status.ok()) {
    log::error("Cannot start", {{"err", status}});
    return kExitBadOptions;
  }
  impl.listen();
  impl.watch_signals();
  net::spawn(impl.loop.executor(), impl.start());
  if (serves) net::spawn(impl.loop.executor(), impl.look_up_trust());
  impl.loop_lag.start();
  impl.monitor.start();
  try {
    impl.loop.run();
  } catch (const std::exception& fault) {
    impl.ending.end(Cause::exception, [&] {
      log::error("Unexpected fault, exiting", {{"err", fault.what()}});
    });
  }
  const int exit_code = impl.ending.exit_code();
  impl.signals.listen(StopSignals::leave_with(exit_code));
  // A plugin's call that blocks for ever must not keep the process, nor touch what its end
  // destroys.
  if (const std::size_t blocked = impl.workers.stop(milliseconds(0)); blocked > 0) {
    log::warning("Exiting with blocked plugin calls", {{"calls", std::to_string(blocked)}});
    std::_Exit(exit_code);
  }
  return exit_code;
}

}  // namespace ccm::app
