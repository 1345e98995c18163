// PluginHost: everything that loaded plugins need from this process, and their life from creation
// to destruction. The order in which the host calls it:
//
//   load_cloud_config(); create_provider(); create_controller() for each; start_provider();
//   setup_controller() for each; start the informers; start_controllers() by the leader; ...
//   stop().
//
// Loop thread. Coroutines run on the loop's executor.
#pragma once

#include "cloud/broker/instances_broker.hpp"
#include "cloud/broker/provider_timeouts.hpp"
#include "cloud/broker/routes_broker.hpp"
#include "plugin/dispatch.hpp"
#include "plugin/host_services/config_service.hpp"
#include "plugin/reconcile_records.hpp"
#include "plugin/warning_notes.hpp"
#include "plugin_files/loader.hpp"
#include "plugin_host/cloud_connection.hpp"
#include "plugin_host/dependencies.hpp"
#include "runtime/watchdog.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin_host {

// For health pages.
struct ComponentReport {
  std::string name;
  std::string plugin_id;
  plugin_files::ComponentKind kind = plugin_files::ComponentKind::controller;
  bool degraded = false;  // stalls the loop, or misses its deadlines
  std::string skipped;    // why a controller's setup found nothing to do; empty: it runs
  uint64_t stalls = 0;
  uint64_t missed_deadlines = 0;
  uint64_t wrong_thread_calls = 0;
  std::size_t operations = 0;  // in flight
  struct Queue {
    std::size_t ready = 0;
    std::size_t delayed = 0;
    std::size_t running = 0;
    std::size_t unsettled = 0;  // keys whose last attempt failed, or is the first
    bool synced = false;        // its caches hold a complete list
    bool started = false;       // it takes keys
    std::size_t workers = 0;    // keys that it reconciles at once
  };
  std::optional<Queue> queue;        // for a controller that was set up
  std::vector<std::string> watches;  // a controller's: "v1/nodes"
};

class PluginHost {
 public:
  explicit PluginHost(PluginHostDependencies dependencies);
  ~PluginHost();  // after stop(); what could not be freed stays in memory
  PluginHost& operator=(PluginHost&&) = delete;

  // Reads --cloud-config and watches it. Failure: not_found or permission_denied with the path.
  Status load_cloud_config();

  // Makes the component called `name`, as the manifest lists it. A provider comes before the
  // controllers, at most one. Failures are the plugin's, not_found when the manifest has no such
  // component, already_exists when it was made before.
  boost::asio::awaitable<Status> create_provider(plugin_files::LoadedPlugin plugin,
                                                 std::string name);
  boost::asio::awaitable<Status> create_controller(plugin_files::LoadedPlugin plugin,
                                                   std::string name);

  // Runs the provider's initialize until it succeeds, with back-off; then what it offers is there
  // for all controllers. Returns ok, or invalid_argument with the provider's message, which is
  // fatal, or cancelled by stop(). ok without a provider.
  boost::asio::awaitable<Status> start_provider();
  [[nodiscard]] bool provider_ready() const;

  // After start_provider(): runs a controller's setup and registers its watches. false: it has
  // nothing to do here, which was logged (HOST-86, 87). A failure is fatal.
  boost::asio::awaitable<Result<bool>> setup_controller(std::string name);

  // This process leads: reconciles begin when the caches are synced and the provider is ready.
  void start_controllers();
  // When this process leads, starts the controllers that had to wait, for may_start or for their
  // setup.
  void start_allowed_controllers();

  // Whether the provider marks its resources with a cluster id (HOST-9); true when it does not say.
  [[nodiscard]] bool has_cluster_id();

  // No controller takes a key any more, and running reconciles are cancelled. Waits for their end
  // up to `limit`; failed_precondition when some are still running.
  boost::asio::awaitable<Status> stop_controllers(std::chrono::milliseconds limit);

  // An operation that runs on a worker and may write through a plugin's own connections, which pass
  // no gate: "COMPONENT: OPERATION". nullopt when there is none.
  [[nodiscard]] std::optional<std::string> unseen_write() const;

  // Ends the reconciles if not done yet, then all controllers, the provider, and the plugins as a
  // whole, each of the four within `limit`; the provider's log-out before its end has 5 s of its
  // own. Returns the first fault; a component that did not end stays in memory.
  boost::asio::awaitable<Status> stop(std::chrono::milliseconds limit);

  // Null before create_provider(). For tools that call it themselves.
  [[nodiscard]] std::shared_ptr<plugin::LiveComponent> provider() const;
  // The cloud as the provider offers it: instances, routes, brakes, budgets.
  [[nodiscard]] const CloudConnection& cloud() const;
  // `fn` is called whenever the cloud's health has changed, or it failed again; once.
  void on_cloud_health(std::function<void()> fn);
  [[nodiscard]] std::vector<ComponentReport> components() const;
  // The waiting objects of each controller, up to `limit` each, the longest waiting first.
  [[nodiscard]] std::vector<plugin::ObjectReport> unsettled(std::size_t limit) const;
  // Each controller's report on one key.
  [[nodiscard]] std::vector<plugin::ObjectReport> object(std::string_view key) const;
  // The results of the last attempts of unsettled keys, by controller.
  [[nodiscard]] std::map<std::string, plugin::Outcomes> outcomes() const;
  // The last Warning Events of plugins about the object with that key.
  [[nodiscard]] std::vector<plugin::WarningReport> warnings_of(std::string_view key) const;
  // The call of a plugin that currently holds the loop. Any thread.
  [[nodiscard]] std::optional<runtime::Watchdog::Running> running() const;
  [[nodiscard]] plugin::CompletionFaults completion_faults() const;
  // Configurations that plugins cannot use, so that earlier ones stay in force.
  [[nodiscard]] std::vector<plugin::ConfigRejection> config_rejections() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace ccm::plugin_host
