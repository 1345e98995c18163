#include "app/manager.hpp"

#include "app/access/access_subjects.hpp"
#include "app/host_metrics.hpp"
#include "app/manager_impl.hpp"
#include "app/status/config_page.hpp"
#include "app/status/status_page.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "kube/events.hpp"
#include "net/http_client.hpp"
#include "plugin/host_services/http_credentials.hpp"
#include "serving/pages/flags_page.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

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

constexpr milliseconds kStartLimit{10'000};  // for the API server's first answer (HOST-84)

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
  const auto monitor =
      std::chrono::duration_cast<milliseconds>(options.kube_cloud_shared.node_monitor_period);
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

net::ClientOptions plugin_http_options() {
  net::ClientOptions options;
  options.proxy_from_environment = true;
  return options;
}

}  // namespace

Manager::Impl::Impl(const CommandLine& line, kube::ClientConfig config, LoadedSelection chosen,
                    SignalGuard& signal_guard)
    : command_line(line),
      options(line.options()),
      selection(std::move(chosen)),
      write_gate(std::make_shared<net::WriteGate>([this] { return leadership.leading(); })),
      event_gate(std::make_shared<net::WriteGate>([this] { return leadership.leading(); })),
      clients(loop.executor(), config, line, {write_gate, event_gate},
              client_metrics.observer(config.server)),
      informers(clients.client("shared-informers")),
      recorders([this](const std::string& source) {
        kube::EventOptions event_options;
        event_options.component = source;
        return std::make_unique<kube::EventRecorder>(clients.event_writer(source), event_options);
      }),
      leadership(options.leader_election, clients, loop),
      plugins(dependencies()),
      endpoint(loop.executor(), options, metrics, sampled, health),
      guard(signal_guard) {
  add_host_metrics(&sampled, {leadership, options.leader_election, selection, informers, plugins});
  health->set_note("deletion-brake", [this] { return plugins.cloud().brake_summary(); });
  add_pages();
}

void Manager::Impl::add_pages() {
  endpoint.add("/configz", [this](const serving::Request& request) {
    if (const auto refusal = serving::only_reads(request)) return *refusal;
    serving::Answer answer;
    answer.content_type = "application/json";
    answer.body = config_json(options);
    return answer;
  });
  endpoint.add("/flagz", [this](const serving::Request& request) {
    return serving::flags_page(request, command_line.all_values());
  });
  const StatusSources sources{options, selection, leadership, informers, plugins, access, endpoint};
  endpoint.add("/statusz", [sources](const serving::Request& request) {
    return status_page(sources, request);
  });
}

plugin::PluginHostDependencies Manager::Impl::dependencies() {
  plugin::PluginHostDependencies result{
      .loop = loop,
      .timers = loop.timers(),
      .workers = workers,
      .metrics = metrics,
      .flags = *this,
      .leader = leadership,
      .events = event_source,
      .cache = cache,
      .object_api =
          [this](const plugin::ComponentIdentity& identity) {
            return std::shared_ptr<plugin::ObjectApi>(
                plugin::make_object_api(clients.writer(identity.client_name)));
          },
      .send_http = plugin::guard_credentials(
          loop.executor(),
          plugin::make_send_http(loop.executor(), std::make_shared<net::HttpClient>(
                                                      loop.executor(), plugin_http_options())),
          options.kube_cloud_shared.allow_plaintext_cloud_credentials),
      .record_event =
          [this](const std::string& source, kube::ObjectReference about, kube::EventType type,
                 std::string reason, std::string message) {
            recorders.record(source, std::move(about), type, std::move(reason), std::move(message));
          },
      .write_gate = write_gate,
      .user_agent =
          [](const plugin::ComponentIdentity& identity) {
            return ClientFactory::user_agent_of(identity.client_name);
          },
      .cloud_config_path = options.kube_cloud_shared.cloud_config,
      .default_resync = resync_period(options.generic.min_resync_period),
      .broker = broker_options(options),
      .provider_timeouts = {},
      .brake = brake_options(options.deletion_brake),
      .may_start =
          [this](const plugin::ComponentIdentity& identity) {
            return !access || access->allows(identity.plugin_id);
          }};
  return result;
}

// "NAME:set" tells whether the user gave the flag.
std::optional<std::string> Manager::Impl::flag(std::string_view name) const {
  constexpr std::string_view kSet = ":set";
  if (!name.ends_with(kSet)) return command_line.flag_text(name);
  name.remove_suffix(kSet.size());
  if (!command_line.flag_text(name)) return std::nullopt;
  return command_line.is_set(name) ? "true" : "false";
}

asio::awaitable<Status> Manager::Impl::await_api_server() {
  const auto limit = BootClock::now() + kStartLimit;
  kube::Client client = clients.client("");
  kube::CallOptions once;
  once.timeout = milliseconds(5'000);
  once.max_retries = 0;
  asio::steady_timer timer(loop.context());
  for (;;) {
    std::string method = "GET";
    std::string path = "/healthz";
    std::string body;
    const auto answer =
        co_await client.raw(std::move(method), std::move(path), std::move(body), once);
    if (answer.ok()) co_return Status();
    const bool hopeless = answer.status().error_class() == ErrorClass::auth ||
                          answer.status().code() == Code::unauthenticated;
    if (hopeless || BootClock::now() + std::chrono::seconds(1) > limit || stopping) {
      std::string context = "the API server " + clients.config().server + " (from " +
                            clients.config().source +
                            ") gave no healthy answer; check its address, "
                            "this machine's network and the credential";
      co_return answer.status().with_context(context);
    }
    log::warning("Waiting for the API server",
                 {{"server", clients.config().server}, {"err", answer.status()}});
    timer.expires_after(std::chrono::seconds(1));
    co_await timer.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<Status> Manager::Impl::make_components() {
  if (Status status = plugins.load_cloud_config(); !status.ok()) co_return status;
  Status made =
      co_await plugins.create_provider(selection.provider.plugin, selection.provider.name);
  guard.check("create", selection.provider.plugin.manifest.id);
  if (!made.ok()) co_return made.with_context("provider " + selection.provider.name);
  watch_health(selection.provider.name);
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
    made = co_await plugins.create_controller(controller.plugin, controller.name);
    guard.check("create", controller.plugin.manifest.id);
    if (!made.ok()) co_return made.with_context("controller " + controller.name);
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
void Manager::Impl::watch_health(const std::string& component) {
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

// Whatever plugin code ran meanwhile.
void Manager::Impl::watch_signals() {
  constexpr milliseconds kLook{1'000};
  loop.timers().after(kLook, [this] {
    guard.check("the last look");
    watch_signals();
  });
}

// Runs in parallel with the start.
asio::awaitable<void> Manager::Impl::look_up_trust() {
  const Status status = co_await endpoint.look_up_trust();
  if (status.ok() || stopping) co_return;
  log::error("Cannot continue", {{"err", status}});
  if (!started) {
    log::flush();
    std::_Exit(kExitBadOptions);
  }
  end(kExitBadOptions);
}

// Standbys ask too, so that the next leader knows already.
void Manager::Impl::check_access() {
  AccessCallbacks callbacks;
  callbacks.changed = [this](const AccessSubject& subject, const plugin::Permissions& missing) {
    access_news.tell(subject, missing);
    if (missing.needed.empty()) return;
    recorders.record("cloud-controller-manager", leadership.lease_reference(),
                     kube::EventType::warning, "MissingPermissions",
                     subject.name + " lacks " + plugin::to_string(missing.needed));
  };
  callbacks.answered = [this] { plugins.start_allowed_controllers(); };
  access.emplace(clients.client("access-check"), access_subjects(selection, options),
                 AccessCheckOptions(), std::move(callbacks));
  health->set_note(
      "permissions", [this] { return access->text(); }, serving::HealthRegistry::Readers::informed);
  asio::co_spawn(loop.context(), access->run(), [](const std::exception_ptr& fault) {
    if (fault) std::rethrow_exception(fault);
  });
}

asio::awaitable<void> Manager::Impl::run_provider() {
  std::string plugin_id = selection.provider.plugin.manifest.id;
  co_await access->wait(std::move(plugin_id));
  if (stopping) co_return;
  const Status status = co_await plugins.start_provider();
  guard.check("initialize", selection.provider.plugin.manifest.id);
  if (status.ok()) {
    log::info("Provider is ready", {{"provider", selection.provider.name}});
  } else if (status.code() != Code::cancelled) {
    fail(Status(status).with_context("provider " + selection.provider.name));
  }
}

asio::awaitable<void> Manager::Impl::tell_synced() {
  const auto all = informers.informers();
  for (const auto& informer : all) {
    const Status status = co_await informer->wait_synced();
    if (!status.ok()) co_return;
  }
  log::info("Caches are synced");
}

asio::awaitable<void> Manager::Impl::start() {
  Status status = co_await await_api_server();
  if (status.ok()) status = co_await make_components();
  if (stopping) co_return;
  if (!status.ok()) {
    fail(status);
    co_return;
  }
  check_access();
  cache.update(informers);
  informers.start();
  asio::co_spawn(loop.context(), tell_synced(), [](const std::exception_ptr& fault) {
    if (fault) std::rethrow_exception(fault);
  });
  asio::co_spawn(loop.context(), run_provider(), [](const std::exception_ptr& fault) {
    if (fault) std::rethrow_exception(fault);
  });
  started = true;
  leadership.start({.started = [this] { lead(); },
                    .lost = lost,
                    .event =
                        [this](std::string message) {
                          recorders.record("cloud-controller-manager", leadership.lease_reference(),
                                           kube::EventType::normal, "LeaderElection",
                                           std::move(message));
                        },
                    .alive = [this](bool holding) { return alive(holding); }});
}

void Manager::Impl::lead() {
  if (stopping) return;
  recorders.start();
  const auto components = plugins.components();
  const auto controllers =
      std::count_if(components.begin(), components.end(), [](const auto& component) {
        return component.kind == plugin::ComponentKind::controller && component.skipped.empty();
      });
  log::info("Leading", {{"controllers", controllers}});
  plugins.start_controllers();
}

Manager::Manager(const CommandLine& command_line, kube::ClientConfig config,
                 LoadedSelection selection, SignalGuard& signals)
    : impl_(
          std::make_unique<Impl>(command_line, std::move(config), std::move(selection), signals)) {}
Manager::~Manager() = default;

int Manager::run() {
  Impl& impl = *impl_;
  if (Status status = impl.clients.check(); !status.ok()) {
    log::error("Cannot start", {{"err", status}});
    return kExitBadOptions;
  }
  if (impl.options.leader_election.leader_elect) {
    impl.health->set("leaderElection", [&impl] { return impl.leadership.health(); });
  }
  if (Status status = impl.endpoint.start(); !status.ok()) {
    log::error("Cannot start", {{"err", status}});
    return kExitBadOptions;
  }
  const auto rethrow = [](const std::exception_ptr& fault) {
    if (fault) std::rethrow_exception(fault);
  };
  impl.listen();
  impl.watch_signals();
  asio::co_spawn(impl.loop.context(), impl.start(), rethrow);
  asio::co_spawn(impl.loop.context(), impl.look_up_trust(), rethrow);
  impl.loop_lag.start();
  impl.monitor.start();
  try {
    impl.loop.run();
  } catch (const std::exception& fault) {
    impl.broke(fault);
  }
  impl.signals.listen(StopSignals::leave_with(impl.exit_code));
  // A plugin's call that blocks for ever must not keep the process, nor touch what its end
  // destroys.
  if (const std::size_t blocked = impl.workers.stop(milliseconds(0)); blocked > 0) {
    log::warning("Exiting with blocked plugin calls", {{"calls", std::to_string(blocked)}});
    log::flush();
    std::_Exit(impl.exit_code);
  }
  return impl.exit_code;
}

}  // namespace ccm::app
