#include "app/manager.hpp"

#include "access/access_check.hpp"
#include "app/access_subjects.hpp"
#include "app/client_factory.hpp"
#include "app/cloud_events.hpp"
#include "app/dry_run/dry_run.hpp"
#include "app/ending.hpp"
#include "app/endpoint.hpp"
#include "app/host_metrics.hpp"
#include "app/leadership.hpp"
#include "app/orderly_stop.hpp"
#include "app/status/config_page.hpp"
#include "app/status/status_json.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "kube/events.hpp"
#include "kube/informer.hpp"
#include "net/coroutines.hpp"
#include "net/http_client.hpp"
#include "net/write_gate.hpp"
#include "plugin/host_services/event_service.hpp"
#include "plugin/host_services/http_access.hpp"
#include "plugin_host/plugin_host.hpp"
#include "runtime/controller_runner.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/watchdog.hpp"
#include "runtime/worker_pool.hpp"
#include "serving/health.hpp"
#include "serving/metrics.hpp"
#include "serving/pages.hpp"

#include <boost/asio/awaitable.hpp>
#include <prometheus/registry.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace ccm::app {

namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

milliseconds in_ms(Duration time) { return std::chrono::duration_cast<milliseconds>(time); }

constexpr milliseconds kStartLimit{10'000};  // for the API server's first answer (HOST-84)

// A plugin's call may block the loop for this many lease durations before the Lease is given up: 60
// s by default.
constexpr int kForgivenLeases = 4;

// The meaning of --min-resync-period: one random time in [P, 2P) for the process (HOST-30).
milliseconds resync_period(Duration minimum) {
  const auto low = in_ms(minimum).count();
  if (low <= 0) return milliseconds(0);
  std::random_device device;
  return milliseconds(low + static_cast<int64_t>(std::uniform_real_distribution<double>(
                                0, static_cast<double>(low))(device)));
}

// Answers from the shared snapshot must be younger than the period in which the question repeats.
cloud::BrokerOptions broker_options(const Options& options) {
  cloud::BrokerOptions broker;
  const auto half = in_ms(options.node_controller.node_status_update_frequency / 2);
  const auto monitor = in_ms(options.node_lifecycle_controller.node_monitor_period);
  broker.max_age = std::min(broker.max_age, half);
  broker.list_interval = std::min({broker.list_interval, half, monitor});
  return broker;
}

cloud::BrakeOptions brake_options(const DeletionBrakeOptions& given) {
  cloud::BrakeOptions brake;
  brake.percent = given.percent;
  brake.minimum = given.minimum;
  brake.window = in_ms(given.window);
  brake.hold = in_ms(given.hold);
  return brake;
}

cloud::LoadBalancerLimitOptions load_balancer_limits(const LoadBalancerLimitFlags& given) {
  cloud::LoadBalancerLimitOptions limits;
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

// The running host: connects client, informers, plugins, election and endpoint, and stops them in
// the right order. Loop thread, unless stated otherwise.
struct Manager final : plugin::FlagSource {
  Manager(const CommandLine& line, kube::ClientConfig config, LoadedSelection chosen,
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
                serving::client_metrics(metrics, config.server)),
        informers(clients.client("shared-informers"), informer_timing(options.client_connection),
                  [this](const std::string& reason) { restored(reason); }),
        recorders([this](const std::string& source, const std::string& account) {
          kube::EventOptions event_options;
          event_options.component = source;
          return std::make_unique<kube::EventRecorder>(clients.event_writer(source, account),
                                                       event_options);
        }),
        leadership(options.leader_election,
                   options.generic.feature_gates.enabled(kCoordinatedLeaderElection),
                   migration.lease, clients, loop),
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
      const std::string suspicion = plugins.cloud().listing_suspicion();
      return suspicion.empty() ? std::string("trusted") : suspicion;
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

  int run() {
    if (Status status = clients.check(); !status.ok()) {
      log::error("Cannot start", {{"err", status}});
      return kExitBadOptions;
    }
    const bool serves = !options.dry_run.enabled;  // the real leader may use the port
    if (serves && options.leader_election.leader_elect) {
      health->set("leaderElection", [this] { return leadership.health(); });
    }
    if (Status status = serves ? endpoint.start() : Status(); !status.ok()) {
      log::error("Cannot start", {{"err", status}});
      return kExitBadOptions;
    }
    listen();
    watch_signals();
    net::spawn(loop.executor(), start());
    if (serves) net::spawn(loop.executor(), look_up_trust());
    loop_lag.start();
    monitor.start();
    try {
      loop.run();
    } catch (const std::exception& fault) {
      ending.end(Cause::exception, [&] {
        log::error("Unexpected fault, exiting", {{"err", fault.what()}});
      });
    }
    const int exit_code = ending.exit_code();
    signals.listen(StopSignals::leave_with(exit_code));
    // A plugin's call that blocks for ever must not keep the process, nor touch what its end
    // destroys.
    if (const std::size_t blocked = workers.stop(milliseconds(0)); blocked > 0) {
      log::warning("Exiting with blocked plugin calls", {{"calls", std::to_string(blocked)}});
      std::_Exit(exit_code);
    }
    return exit_code;
  }

  void add_pages() {
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

  [[nodiscard]] ConfigInForce config_in_force() const {
    ConfigInForce in_force;
    in_force.qps = clients.qps();
    in_force.burst = clients.burst();
    const std::map<std::string_view, std::optional<std::size_t>*> syncs{
        {"cloud-node-controller", &in_force.node_syncs},
        {"cloud-node-lifecycle-controller", &in_force.node_lifecycle_syncs},
        {"service-lb-controller", &in_force.service_syncs}};
    for (const plugin_host::ComponentReport& component : plugins.components()) {
      const auto known = syncs.find(component.name);
      if (known != syncs.end() && component.queue) *known->second = component.queue->workers;
    }
    return in_force;
  }

  [[nodiscard]] bool may_write() const { return leadership.leading() && !options.dry_run.enabled; }

  std::shared_ptr<plugin::ObjectApi> object_api(const plugin::ComponentIdentity& identity) {
    std::shared_ptr<plugin::ObjectApi> api =
        plugin::make_object_api(clients.writer(identity.client_name, account_of(identity)));
    return dry_run.enabled() ? dry_run.object_api(std::move(api), identity.name) : api;
  }

  plugin_host::PluginHostDependencies dependencies() {
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
    const bool dry = dry_run.enabled();
    plugin_host::ProcessParts process{
        .loop = loop,
        .timers = loop.timers(),
        .workers = workers,
        .metrics = metrics,
        .flags = *this,
        .leader = leadership,
        .write_gate = write_gate,
        .withheld = dry ? &dry_run.writes() : nullptr,
        .is_sampled_metric = [this](std::string_view name) { return sampled.has(name); }};
    plugin_host::ClusterParts cluster{
        .events = dry ? static_cast<runtime::EventSource&>(dry_run.objects()) : event_source,
        .cache = dry ? static_cast<const plugin::ObjectCache&>(dry_run.objects()) : cache,
        .object_api =
            [this](const plugin::ComponentIdentity& identity) { return object_api(identity); },
        .record_event = recording_as(""),
        .component_events =
            [this, recording_as](const plugin::ComponentIdentity& identity) {
              return recording_as(account_of(identity));
            },
        .default_resync = resync_period(options.generic.min_resync_period),
        .controller_start_interval = in_ms(options.generic.controller_start_interval),
        .may_start =
            [this](const plugin::ComponentIdentity& identity) { return may_start(identity); }};
    plugin_host::CloudParts cloud{
        .send_http = guarded(plugin::make_send_http(
            loop.executor(),
            std::make_shared<net::HttpClient>(loop.executor(), plugin_http_options()))),
        .make_http_client = plugin::make_http_clients(loop.executor(), guarded),
        .user_agent =
            [](const plugin::ComponentIdentity& identity) {
              return ClientFactory::user_agent_of(identity.client_name);
            },
        .recording = recording,
        .config_path = options.kube_cloud_shared.cloud_config,
        .broker = broker_options(options),
        .brake = brake_options(options.deletion_brake),
        .load_balancer_limits = load_balancer_limits(options.load_balancer_limits)};
    return {process, std::move(cluster), std::move(cloud)};
  }

  [[nodiscard]] bool may_start(const plugin::ComponentIdentity& controller) const {
    if (migration.migrated.contains(controller.name) && !leadership.leading_migration())
      return false;
    return !access || access->allows(controller.plugin_id);
  }

  // Controllers have one each with --use-service-account-credentials, providers none. A dry run
  // makes no accounts and no tokens.
  [[nodiscard]] std::string account_of(const plugin::ComponentIdentity& identity) const {
    if (!options.kube_cloud_shared.use_service_account_credentials || dry_run.enabled()) return {};
    const auto& all = selection.controllers;
    const bool controller =
        std::ranges::find(all, identity.name, &SelectedComponent::name) != all.end();
    return controller ? identity.client_name : std::string();
  }

  [[nodiscard]] std::optional<std::string> flag(std::string_view name) const override {
    return command_line.flag_text(name);
  }

  [[nodiscard]] bool given(std::string_view name) const override {
    return command_line.is_set(name);
  }

  // Plugin code may have replaced the handlers meanwhile.
  void watch_signals() {
    constexpr milliseconds kCheckInterval{1'000};
    loop.timers().after(kCheckInterval, [this] {
      guard.check("the last look");
      watch_signals();
    });
  }

  // On the election's thread. A plugin may block the loop for a while as long as this process holds
  // the Lease: a slow plugin must not cost the leadership, a hung host must.
  [[nodiscard]] Status alive(bool holding) const {
    const auto& election = options.leader_election;
    const auto limit = in_ms(election.renew_deadline);
    const auto grace = in_ms(kForgivenLeases * election.lease_duration);
    return monitor.alive(limit, holding ? grace : milliseconds(0));
  }

  // The callbacks run on the thread of the signals, even when the loop is blocked. A log that
  // blocks must not block that thread, so the orderly stop is logged on the loop.
  void listen() {
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
  void restored(const std::string& reason) {
    ending.end(Cause::restored, [&] {
      log::error(
          "Stopping, to read everything again: the API server's storage was restored from a copy",
          {{"reason", reason}});
    });
  }

  void fail(const Status& status) {
    ending.end(Cause::failure, [&] { log::error("Cannot continue", {{"err", status}}); });
  }

  void begin_stop() {
    signals.begin_limit();
    if (access) access->stop();
    if (cloud_events) cloud_events->stop();
    net::spawn(loop.executor(), stop());
  }

  asio::awaitable<void> stop() {
    StopParts parts{loop, plugins, recorders, leadership, write_gate, event_gate};
    co_await stop_in_order(std::move(parts));
    informers.stop();
    endpoint.stop();
    loop_lag.stop();
    loop.stop();
  }

  // The start: the API server, the components, the caches, the election.

  asio::awaitable<Status> await_api_server() {
    const auto limit = BootClock::now() + kStartLimit;
    kube::Client client = clients.client("");
    kube::CallOptions once;
    once.timeout = milliseconds(5'000);
    once.max_retries = 0;
    for (;;) {
      std::string method = "GET";
      std::string path = "/healthz";
      std::string body;
      const auto answer =
          co_await client.raw(std::move(method), std::move(path), std::move(body), once);
      if (answer.ok()) co_return Status();
      const bool hopeless = answer.status().error_class() == ErrorClass::auth ||
                            answer.status().code() == Code::unauthenticated;
      if (hopeless || BootClock::now() + std::chrono::seconds(1) > limit || ending.stopping()) {
        std::string context = "the API server " + clients.config().server + " (from " +
                              clients.config().source +
                              ") gave no healthy answer; check its address, "
                              "this machine's network and the credential";
        co_return answer.status().with_context(context);
      }
      log::warning("Waiting for the API server",
                   {{"server", clients.config().server}, {"err", answer.status()}});
      co_await net::pause(loop.executor(), std::chrono::seconds(1));
    }
  }

  asio::awaitable<Status> make_components() {
    if (Status status = plugins.load_cloud_config(); !status.ok()) co_return status;
    Status made =
        co_await plugins.create_provider(selection.provider.plugin, selection.provider.name);
    guard.check("create", selection.provider.plugin.manifest.id);
    if (!made.ok()) co_return made.with_context("provider " + selection.provider.name);
    watch_health(selection.provider.name);
    for (const auto& controller : selection.controllers) {
      made = co_await plugins.create_controller(controller.plugin, controller.name);
      guard.check("create", controller.plugin.manifest.id);
      if (!made.ok()) co_return made.with_context("controller " + controller.name);
    }
    co_return Status();
  }

  // After the provider's log-in, which tells what it offers.
  asio::awaitable<Status> set_up_controllers() {
    if (!plugins.has_cluster_id()) {
      if (!options.kube_cloud_shared.allow_untagged_cloud) {
        co_return Status(
            Code::failed_precondition,
            "provider " + selection.provider.name +
                " marks its resources with no cluster id; set one in its configuration, or "
                "allow this with --allow-untagged-cloud");
      }
      log::warning("The provider marks its resources with no cluster id",
                   {{"provider", selection.provider.name}});
    }
    for (const auto& controller : selection.controllers) {
      const auto runs = co_await plugins.setup_controller(controller.name);
      guard.check("setup", controller.plugin.manifest.id);
      if (!runs.ok()) co_return runs.status().with_context("controller " + controller.name);
      if (!*runs) continue;
      health->set(controller.name, [] { return Status(); });
      watch_health(controller.name);
    }
    co_return Status();
  }

  // A degraded plugin fails /readyz by its name, but not /livez and /healthz: for a slow cloud the
  // kubelet would restart its manager again and again.
  void watch_health(const std::string& component) {
    health->set(
        "plugin-" + component,
        [this, component] {
          for (const auto& report : plugins.components()) {
            if (report.name != component || !report.degraded) continue;
            return Status(Code::unavailable, "it stalls the host's loop or misses its deadlines");
          }
          return Status();
        },
        serving::HealthRegistry::Scope::readiness);
  }

  // Runs in parallel with the start.
  asio::awaitable<void> look_up_trust() {
    const Status status = co_await endpoint.look_up_trust();
    if (status.ok() || ending.stopping()) co_return;
    ending.end(Cause::trust, [&] { log::error("Cannot continue", {{"err", status}}); });
  }

  // Standbys ask too, so that the next leader knows already.
  void check_access() {
    access::AccessCallbacks callbacks;
    callbacks.changed = [this](const access::AccessSubject& subject,
                               const access::Permissions& missing) {
      access_findings.tell(subject, missing);
      if (missing.needed.empty()) return;
      recorders.record("cloud-controller-manager",
                       leadership.lease_reference(options.leader_election.resource_name),
                       kube::EventType::warning, "MissingPermissions",
                       subject.name + " lacks " + to_string(missing.needed));
    };
    callbacks.answered = [this] { plugins.start_allowed_controllers(); };
    auto client_of = [this](const std::string& account) {
      return account.empty() ? clients.client("access-check") : clients.client_of_account(account);
    };
    access.emplace(std::move(client_of), access_subjects(selection, migration, options),
                   access::AccessCheckOptions(), std::move(callbacks));
    health->set_note(
        "permissions", [this] { return access->text(); },
        serving::HealthRegistry::Readers::informed);
    net::spawn(loop.executor(), access->run());
  }

  void tell_of_cloud() {
    cloud_events.emplace(CloudEvents::Dependencies{
        loop.timers(), plugins.cloud().health(), [this] { return leadership.leading(); },
        [this] { return leadership.lease_reference(options.leader_election.resource_name); },
        [this](std::function<void(CloudEvents::Nodes)> done) {
          find_waiting_nodes(std::move(done));
        },
        [this](kube::ObjectReference about, kube::EventType type, std::string reason,
               std::string message) {
          recorders.record("cloud-controller-manager", std::move(about), type, std::move(reason),
                           std::move(message));
        }});
    plugins.on_cloud_health([this] { cloud_events->look(); });
  }

  // Finds Nodes that wait in the controller's records, or at the API server while there are none.
  void find_waiting_nodes(std::function<void(CloudEvents::Nodes)> done) {
    if (!plugins.provider_ready()) {
      net::spawn(loop.executor(), list_nodes(std::move(done)));
      return;
    }
    CloudEvents::Nodes nodes;
    for (const plugin::ObjectReport& object : plugins.unsettled(CloudEvents::kMostNodes)) {
      if (object.controller != "cloud-node-controller") continue;
      const kube::ObjectPtr node = cache.get("v1/nodes", {}, object.key);
      if (node) nodes.push_back(kube::ObjectReference::of(*node));
    }
    loop.post(
        [done = std::move(done), nodes = std::move(nodes)]() mutable { done(std::move(nodes)); });
  }

  asio::awaitable<void> list_nodes(std::function<void(CloudEvents::Nodes)> done) {
    kube::Client client = clients.client("cloud-events");
    auto nodes = co_await list_waiting_nodes(std::move(client), CloudEvents::kMostNodes);
    done(std::move(nodes));
  }

  asio::awaitable<void> run_provider() {
    std::string plugin_id = selection.provider.plugin.manifest.id;
    if (access) co_await access->wait(std::move(plugin_id));
    if (ending.stopping()) co_return;
    Status status = co_await plugins.start_provider();
    guard.check("initialize", selection.provider.plugin.manifest.id);
    if (!status.ok()) {
      if (status.code() != Code::cancelled) {
        fail(status.with_context("provider " + selection.provider.name));
      }
      co_return;
    }
    log::info("Provider is ready", {{"provider", selection.provider.name}});
    status = co_await set_up_controllers();
    if (ending.stopping()) co_return;
    if (!status.ok()) {
      fail(status);
      co_return;
    }
    cache.update(informers);
    informers.start();
    net::spawn(loop.executor(), tell_synced());
    plugins.start_allowed_controllers();
  }

  asio::awaitable<void> tell_synced() {
    const auto all = informers.informers();
    for (const auto& informer : all) {
      const Status status = co_await informer->wait_synced();
      if (!status.ok()) co_return;
    }
    log::info("Caches are synced");
  }

  asio::awaitable<void> start() {
    Status status = co_await await_api_server();
    if (status.ok()) status = co_await make_components();
    if (ending.stopping()) co_return;
    if (!status.ok()) {
      fail(status);
      co_return;
    }
    if (!options.dry_run.enabled) {
      check_access();
      tell_of_cloud();
    }
    net::spawn(loop.executor(), run_provider());
    ending.started();
    if (options.dry_run.enabled) {
      leadership.assume();
      log::info("Looking for changes, none of which is made");
      plugins.start_controllers();
      net::spawn(loop.executor(), finish_dry_run());
      co_return;
    }
    leadership.start(
        {.started = [this] { lead(); },
         .migration_started = [this] { plugins.start_allowed_controllers(); },
         .lost =
             [this](const std::string& reason) {
               ending.end(Cause::lease_lost, [&] {
                 log::error("Leadership lost", {{"reason", reason}});
               });
             },
         .restored = [this](const std::string& reason) { restored(reason); },
         .outvoted =
             [this](const std::string& identity) {
               ending.end(Cause::outvoted, [&] {
                 log::info("Stopping: the API server's coordinator chose another leader",
                           {{"identity", identity}});
               });
             },
         .event =
             [this](const std::string& lease, std::string message) {
               recorders.record("cloud-controller-manager", leadership.lease_reference(lease),
                                kube::EventType::normal, "LeaderElection", std::move(message));
             },
         .alive = [this](bool holding) { return alive(holding); }});
  }

  asio::awaitable<void> finish_dry_run() {
    co_await dry_run.settle(plugins);
    if (ending.stopping()) co_return;
    switch (dry_run.print(plugins)) {
      case DryRunResult::nothing_to_do:
        ending.end(Cause::nothing_to_do, [] { log::info("Nothing would change"); });
        break;
      case DryRunResult::would_change:
        ending.end(Cause::would_change, [] { log::info("Some things would change"); });
        break;
      case DryRunResult::undetermined:
        ending.end(Cause::undetermined, [] { log::warning("Cannot tell what would change"); });
        break;
    }
  }

  void lead() {
    if (ending.stopping()) return;
    recorders.start();
    if (cloud_events) cloud_events->look();
    const auto controllers = std::ranges::count_if(plugins.components(), [](const auto& component) {
      return component.kind == plugin_files::ComponentKind::controller && component.skipped.empty();
    });
    log::info("Leading", {{"controllers", controllers}});
    plugins.start_controllers();
  }

  const CommandLine& command_line;
  const Options& options;
  LoadedSelection selection;
  MigrationPlan migration;
  std::shared_ptr<plugin::HttpRecording> recording;

  Ending ending{[this] { begin_stop(); }};

  runtime::EventLoop loop;
  runtime::WorkerPool workers;
  prometheus::Registry metrics;
  serving::SampledMetrics sampled;
  std::shared_ptr<net::WriteGate> write_gate;
  std::shared_ptr<net::WriteGate> event_gate;  // a late Event does no harm
  ClientFactory clients;
  kube::InformerSet informers;
  runtime::InformerSource event_source{informers};
  plugin::InformerCache cache;
  plugin::EventRecorders recorders;
  Leadership leadership;
  DryRun dry_run{options.dry_run, cache, event_source, loop};
  std::optional<CloudEvents> cloud_events;  // called by `plugins` until they are gone
  plugin_host::PluginHost plugins;
  std::optional<access::AccessCheck> access;  // since the components were created
  std::shared_ptr<serving::HealthRegistry> health = std::make_shared<serving::HealthRegistry>();
  AccessFindings access_findings{*health};
  runtime::StallMonitor monitor{loop, [this] { return plugins.running(); }};
  Endpoint endpoint;
  serving::LoopLag loop_lag{loop.executor(), metrics};
  SignalGuard& guard;
  StopSignals& signals{StopSignals::install()};
};

}  // namespace

int run_manager(const CommandLine& command_line, kube::ClientConfig config,
                LoadedSelection selection, MigrationPlan migration, SignalGuard& signals,
                std::shared_ptr<plugin::HttpRecording> recording) {
  Manager manager(command_line, std::move(config), std::move(selection), std::move(migration),
                  signals, std::move(recording));
  return manager.run();
}

}  // namespace ccm::app
