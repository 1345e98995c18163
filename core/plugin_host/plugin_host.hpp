// PluginHost: everything that loaded plugins need from this process, and their life from creation
// to destruction. The order in which the host calls it:
//
//   load_cloud_config(); create_provider(); start_provider() in the background;
//   create_controller() and setup_controller() for each; start the informers; become leader;
//   start_controllers(); ... stop().
//
// Loop thread. Coroutines run on the loop's executor.
#pragma once

#include "cloud/broker/instances_broker.hpp"
#include "cloud/broker/load_balancer_notes.hpp"
#include "cloud/broker/provider_timeouts.hpp"
#include "cloud/broker/routes_broker.hpp"
#include "net/write_gate.hpp"
#include "plugin/completion_table.hpp"
#include "plugin/host_services/config_source.hpp"
#include "plugin/host_services/event_service.hpp"
#include "plugin/host_services/http_access.hpp"
#include "plugin/host_services/http_budgets.hpp"
#include "plugin/host_services/kube_access.hpp"
#include "plugin/host_services/leader_service.hpp"
#include "plugin/live_component.hpp"
#include "plugin/reconcile_records.hpp"
#include "plugin/warning_notes.hpp"
#include "plugin_files/loader.hpp"
#include "runtime/brake.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/event_source.hpp"
#include "runtime/worker_pool.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prometheus {
class Registry;
}

namespace ccm::plugin {

// What PluginHost builds on. References must outlive it. The functions marked so may be empty.
struct PluginHostDependencies {
  runtime::EventLoop& loop;
  runtime::Timers& timers;  // the loop's own, or a test's
  runtime::WorkerPool& workers;
  prometheus::Registry& metrics;
  const FlagSource& flags;
  const LeaderState& leader;
  runtime::EventSource& events;  // InformerSource
  const ObjectCache& cache;      // InformerCache
  // Kubernetes calls under a component's identity: make_object_api(client.derive(...)).
  std::function<std::shared_ptr<ObjectApi>(const ComponentIdentity&)> object_api;
  SendHttp send_http;        // make_send_http()
  RecordEvent record_event;  // EventRecorders::record
  // Of all writes to Kubernetes and to the cloud; null = one that asks leader.leading().
  std::shared_ptr<net::WriteGate> write_gate;
  // Of a component's HTTP requests (HOST-133); empty = none is set.
  std::function<std::string(const ComponentIdentity&)> user_agent;
  std::string cloud_config_path;                // --cloud-config
  std::chrono::milliseconds default_resync{0};  // --min-resync-period
  BrokerOptions broker;
  ProviderTimeouts provider_timeouts;
  runtime::BrakeOptions brake{};
  // Whether a controller may begin; empty = always. Asked again by start_allowed_controllers().
  std::function<bool(const ComponentIdentity&)> may_start{};
};

// For health pages.
struct ComponentReport {
  std::string name;
  std::string plugin_id;
  ComponentKind kind = ComponentKind::controller;
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
    std::size_t unsettled = 0;  // keys whose last try did not succeed, or is the first
    bool synced = false;        // its caches hold a complete list
    bool started = false;       // it takes keys
  };
  std::optional<Queue> queue;        // of a controller that was set up
  std::vector<std::string> watches;  // of a controller: "v1/nodes"
};

struct BrakeStatus {
  std::string kind;  // as in the metrics: "nodes", "loadbalancers", "routes"
  runtime::BrakeReport report;
  std::string text;  // for people
};

class PluginHost {
 public:
  explicit PluginHost(PluginHostDependencies dependencies);
  ~PluginHost();  // after stop(); what could not be freed stays in memory
  PluginHost(const PluginHost&) = delete;
  PluginHost& operator=(const PluginHost&) = delete;

  // Reads --cloud-config and watches it. Failure: not_found or permission_denied with the path.
  Status load_cloud_config();

  // Makes the component called `name`, as the manifest lists it. A provider comes before the
  // controllers, at most one. Failures are the plugin's, not_found when the manifest has no such
  // component, already_exists when it was made before.
  boost::asio::awaitable<Status> create_provider(LoadedPlugin plugin, std::string name);
  boost::asio::awaitable<Status> create_controller(LoadedPlugin plugin, std::string name);

  // Runs the provider's initialize until it succeeds, with back-off. Returns ok, or
  // invalid_argument with the provider's message, which is fatal, or cancelled by stop(). ok
  // without a provider.
  boost::asio::awaitable<Status> start_provider();
  [[nodiscard]] bool provider_ready() const;

  // Runs a controller's setup and registers its watches. false: it has nothing to do here, which
  // was logged (HOST-86, 87). A failure is fatal.
  boost::asio::awaitable<Result<bool>> setup_controller(std::string name);

  // This process leads: reconciles begin when the caches are synced and the provider is ready.
  void start_controllers();
  // Begins, when this process leads, with the controllers that had to wait for may_start.
  void start_allowed_controllers();
  // Every controller's watches have delivered their first complete list.
  [[nodiscard]] bool controllers_synced() const;

  // The provider's health; unimplemented when it has no such function.
  boost::asio::awaitable<Status> provider_health();
  // Whether the provider marks its resources with a cluster id (HOST-9); true when it does not say.
  [[nodiscard]] bool has_cluster_id();

  // No controller takes a key any more, and running reconciles are cancelled. Waits for their end
  // up to `limit`; failed_precondition when some still run.
  boost::asio::awaitable<Status> stop_controllers(std::chrono::milliseconds limit);

  // What runs on a worker and may write by connections of a plugin's own, which pass no gate:
  // "COMPONENT: OPERATION". nullopt when there is no such thing.
  [[nodiscard]] std::optional<std::string> unseen_write() const;

  // Ends reconciles unless that was done, then all controllers, then the provider, each of the
  // three within `limit`. Returns the first fault; a component that did not end stays in memory.
  boost::asio::awaitable<Status> stop(std::chrono::milliseconds limit);

  // The machines of the cloud; null when the provider does not offer them.
  [[nodiscard]] InstancesBroker* instances();
  [[nodiscard]] std::vector<ComponentReport> components() const;
  // The objects that wait, of each controller up to `limit`, those first that wait for the longest
  // time.
  [[nodiscard]] std::vector<ObjectReport> unsettled(std::size_t limit) const;
  // What each controller knows of one key: one report a controller.
  [[nodiscard]] std::vector<ObjectReport> object(std::string_view key) const;
  // How the last tries of what is not settled ended, by controller.
  [[nodiscard]] std::map<std::string, std::map<ObjectState, std::size_t>> outcomes() const;
  // The load balancer of one Service, "namespace/name"; nullopt when nothing is known of one.
  [[nodiscard]] std::optional<LoadBalancerReport> load_balancer_of(std::string_view service) const;
  // The last Warning Events of plugins about the object with that key.
  [[nodiscard]] std::vector<WarningReport> warnings_of(std::string_view key) const;
  // The routes of one Node, as the broker knows them.
  [[nodiscard]] std::vector<RouteReport> routes_of(const std::string& node) const;
  // The cloud's limits of calls, one for each credential.
  [[nodiscard]] std::vector<BudgetReport> budgets() const;
  // The brake on deletions of Nodes.
  [[nodiscard]] runtime::BrakeReport node_brake() const;
  // A line for anybody, which names nothing: the brake on Nodes, and each other one that holds.
  [[nodiscard]] std::string brake_summary() const;
  // The brakes on everything that is deleted because something is missing.
  [[nodiscard]] std::vector<BrakeStatus> brakes() const;
  // The call of a plugin that holds the loop at this moment. Any thread.
  [[nodiscard]] std::optional<runtime::Watchdog::Running> running() const;
  [[nodiscard]] CompletionFaults completion_faults() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace ccm::plugin
