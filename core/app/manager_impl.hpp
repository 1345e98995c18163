// Internals of Manager: its parts (manager.cpp) and its start (manager_start.cpp). Loop thread,
// unless stated otherwise.
#pragma once

#include "app/access/access_check.hpp"
#include "app/access/access_subjects.hpp"
#include "app/client_factory.hpp"
#include "app/cloud_news.hpp"
#include "app/dry_run/dry_run.hpp"
#include "app/ending.hpp"
#include "app/endpoint.hpp"
#include "app/leadership.hpp"
#include "app/manager.hpp"
#include "app/orderly_stop.hpp"
#include "app/status/config_page.hpp"
#include "app/stop_signals.hpp"
#include "kube/informer.hpp"
#include "net/write_gate.hpp"
#include "plugin/host_services/event_service.hpp"
#include "plugin_host/plugin_host.hpp"
#include "runtime/controller_runner.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/watchdog.hpp"
#include "runtime/worker_pool.hpp"
#include "serving/health_registry.hpp"
#include "serving/metrics/client_metrics.hpp"
#include "serving/metrics/loop_lag.hpp"
#include "serving/metrics/sampled.hpp"

#include <boost/asio/awaitable.hpp>
#include <prometheus/registry.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::app {

struct Manager::Impl final : plugin::FlagSource {
  Impl(const CommandLine& line, kube::ClientConfig config, LoadedSelection chosen,
       MigrationPlan plan, SignalGuard& signal_guard,
       std::shared_ptr<plugin::HttpRecording> exchanges);

  std::optional<std::string> flag(std::string_view name) const override;
  bool given(std::string_view name) const override;

  // manager.cpp
  [[nodiscard]] bool may_write() const;
  std::shared_ptr<plugin::ObjectApi> object_api(const plugin::ComponentIdentity& identity);
  plugin::PluginHostDependencies dependencies();
  // The service account of a component; empty: the program's own identity.
  [[nodiscard]] std::string account_of(const plugin::ComponentIdentity& identity) const;
  [[nodiscard]] bool may_start(const plugin::ComponentIdentity& controller) const;
  void add_pages();
  [[nodiscard]] ConfigInForce config_in_force() const;
  void watch_signals();
  Status alive(bool holding) const;
  void set_back(const std::string& reason);
  void listen();
  void fail(const Status& status);
  void begin_stop();
  boost::asio::awaitable<void> stop();

  // manager_start.cpp
  boost::asio::awaitable<void> start();
  boost::asio::awaitable<Status> await_api_server();
  boost::asio::awaitable<Status> make_components();
  boost::asio::awaitable<Status> set_up_controllers();
  void check_access();
  void tell_of_cloud();
  void find_waiting_nodes(std::function<void(CloudNews::Nodes)> done);
  boost::asio::awaitable<void> list_nodes(std::function<void(CloudNews::Nodes)> done);
  boost::asio::awaitable<void> run_provider();
  boost::asio::awaitable<void> tell_synced();
  boost::asio::awaitable<void> look_up_trust();
  void watch_health(const std::string& component);
  void lead();
  boost::asio::awaitable<void> finish_dry_run();

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
  serving::ClientMetrics client_metrics{metrics};
  std::shared_ptr<net::WriteGate> write_gate;
  std::shared_ptr<net::WriteGate> event_gate;  // a late Event does no harm
  ClientFactory clients;
  kube::InformerSet informers;
  runtime::InformerSource event_source{informers};
  plugin::InformerCache cache;
  plugin::EventRecorders recorders;
  Leadership leadership;
  DryRun dry_run{options.dry_run, cache, event_source, loop};
  std::optional<CloudNews> cloud_news;  // called by `plugins` until they are gone
  plugin::PluginHost plugins;
  std::optional<AccessCheck> access;  // since the components were created
  std::shared_ptr<serving::HealthRegistry> health = std::make_shared<serving::HealthRegistry>();
  AccessNews access_news{*health};
  runtime::StallMonitor monitor{loop, [this] { return plugins.running(); }};
  Endpoint endpoint;
  serving::LoopLag loop_lag{loop.executor(), metrics};
  SignalGuard& guard;
  StopSignals& signals{StopSignals::install()};
  OrderlyStop orderly_stop{{loop, plugins, recorders, leadership, write_gate, event_gate}};
};

}  // namespace ccm::app
