// How the manager starts: the API server, the components, the caches, the election.
#include "app/access/access_subjects.hpp"
#include "app/manager_impl.hpp"
#include "app/waiting_nodes.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "kube/events.hpp"
#include "net/coroutines.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace ccm::app {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kStartLimit{10'000};  // for the API server's first answer (HOST-84)

}  // namespace

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
    if (hopeless || BootClock::now() + std::chrono::seconds(1) > limit || ending.stopping()) {
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
  for (const auto& controller : selection.controllers) {
    made = co_await plugins.create_controller(controller.plugin, controller.name);
    guard.check("create", controller.plugin.manifest.id);
    if (!made.ok()) co_return made.with_context("controller " + controller.name);
  }
  co_return Status();
}

// After the provider's log-in, which tells what it offers.
asio::awaitable<Status> Manager::Impl::set_up_controllers() {
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

// Runs in parallel with the start.
asio::awaitable<void> Manager::Impl::look_up_trust() {
  const Status status = co_await endpoint.look_up_trust();
  if (status.ok() || ending.stopping()) co_return;
  ending.end(Cause::trust, [&] { log::error("Cannot continue", {{"err", status}}); });
}

// Standbys ask too, so that the next leader knows already.
void Manager::Impl::check_access() {
  AccessCallbacks callbacks;
  callbacks.changed = [this](const AccessSubject& subject, const plugin::Permissions& missing) {
    access_news.tell(subject, missing);
    if (missing.needed.empty()) return;
    recorders.record("cloud-controller-manager",
                     leadership.lease_reference(options.leader_election.resource_name),
                     kube::EventType::warning, "MissingPermissions",
                     subject.name + " lacks " + plugin::to_string(missing.needed));
  };
  callbacks.answered = [this] { plugins.start_allowed_controllers(); };
  auto client_of = [this](const std::string& account) {
    return account.empty() ? clients.client("access-check") : clients.client_of_account(account);
  };
  access.emplace(std::move(client_of), access_subjects(selection, migration, options),
                 AccessCheckOptions(), std::move(callbacks));
  health->set_note(
      "permissions", [this] { return access->text(); }, serving::HealthRegistry::Readers::informed);
  net::spawn(loop.executor(), access->run());
}

void Manager::Impl::tell_of_cloud() {
  cloud_news.emplace(CloudNews::Dependencies{
      loop.timers(), plugins.cloud().health(), [this] { return leadership.leading(); },
      [this] { return leadership.lease_reference(options.leader_election.resource_name); },
      [this](std::function<void(CloudNews::Nodes)> done) { find_waiting_nodes(std::move(done)); },
      [this](kube::ObjectReference about, kube::EventType type, std::string reason,
             std::string message) {
        recorders.record("cloud-controller-manager", std::move(about), type, std::move(reason),
                         std::move(message));
      }});
  plugins.on_cloud_health([this] { cloud_news->look(); });
}

// Of the controller's records, or of the API server while there are none.
void Manager::Impl::find_waiting_nodes(std::function<void(CloudNews::Nodes)> done) {
  if (!plugins.provider_ready()) {
    net::spawn(loop.executor(), list_nodes(std::move(done)));
    return;
  }
  CloudNews::Nodes nodes;
  for (const plugin::ObjectReport& object : plugins.unsettled(CloudNews::kMostNodes)) {
    if (object.controller != "cloud-node-controller") continue;
    const kube::ObjectPtr node = cache.get("v1/nodes", {}, object.key);
    if (node) nodes.push_back(kube::ObjectReference::of(*node));
  }
  loop.post(
      [done = std::move(done), nodes = std::move(nodes)]() mutable { done(std::move(nodes)); });
}

asio::awaitable<void> Manager::Impl::list_nodes(std::function<void(CloudNews::Nodes)> done) {
  kube::Client client = clients.client("cloud-news");
  auto nodes = co_await list_waiting_nodes(std::move(client), CloudNews::kMostNodes);
  done(std::move(nodes));
}

asio::awaitable<void> Manager::Impl::run_provider() {
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
  leadership.start({.started = [this] { lead(); },
                    .migration_started = [this] { plugins.start_allowed_controllers(); },
                    .lost =
                        [this](const std::string& reason) {
                          ending.end(Cause::lease_lost, [&] {
                            log::error("Leadership lost", {{"reason", reason}});
                          });
                        },
                    .set_back = [this](const std::string& reason) { set_back(reason); },
                    .outvoted =
                        [this](const std::string& identity) {
                          ending.end(Cause::outvoted, [&] {
                            log::info("Stopping: the API server's coordinator chose another leader",
                                      {{"identity", identity}});
                          });
                        },
                    .event =
                        [this](const std::string& lease, std::string message) {
                          recorders.record(
                              "cloud-controller-manager", leadership.lease_reference(lease),
                              kube::EventType::normal, "LeaderElection", std::move(message));
                        },
                    .alive = [this](bool holding) { return alive(holding); }});
}

asio::awaitable<void> Manager::Impl::finish_dry_run() {
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

void Manager::Impl::lead() {
  if (ending.stopping()) return;
  recorders.start();
  if (cloud_news) cloud_news->look();
  const auto components = plugins.components();
  const auto controllers =
      std::count_if(components.begin(), components.end(), [](const auto& component) {
        return component.kind == plugin::ComponentKind::controller && component.skipped.empty();
      });
  log::info("Leading", {{"controllers", controllers}});
  plugins.start_controllers();
}

}  // namespace ccm::app
