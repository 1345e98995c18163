// The inside of a PluginHost. Loop thread.
#pragma once

#include "plugin/host_services/file_service.hpp"
#include "plugin/host_services/hint_service.hpp"
#include "plugin/host_services/metrics_service.hpp"
#include "plugin_host/plugin_host.hpp"
#include "plugin_host/plugin_metrics.hpp"
#include "plugin_host/provider_start.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

// Shared with the coroutines that run for it.
struct PluginHost::Impl {
  using Unit = std::shared_ptr<ComponentUnit>;
  using EndUnit = std::function<void(const Unit&, std::function<void(Status)> done)>;

  explicit Impl(PluginHostDependencies wanted);

  boost::asio::awaitable<Status> create(ComponentKind kind, LoadedPlugin plugin, std::string name);
  boost::asio::awaitable<Result<Unit>> open(const LoadedPlugin& plugin);
  [[nodiscard]] RecordEvent noting_warnings(const ComponentIdentity& component) const;
  // By the provider's manifest; null when it lists no annotations.
  [[nodiscard]] std::shared_ptr<AnnotationWarnings> annotation_warnings_of(
      const Manifest& manifest, const ComponentIdentity& identity) const;
  [[nodiscard]] std::function<bool()> may_write() const;
  void add_services(ComponentUnit& unit);
  void held_the_loop(const runtime::Watchdog::Stall& stall);
  void dropped_completion(const char* kind);  // any thread
  void retry_failed(std::chrono::nanoseconds outage);
  void hinted(const CloudHint& hint);
  void start_ready_controllers();
  void pause_before_next_start();
  boost::asio::awaitable<Status> each(const std::vector<Unit>& units, EndUnit end);
  void destroy(const Unit& unit, std::chrono::milliseconds limit, std::function<void(Status)> done);
  [[nodiscard]] Unit find(std::string_view controller) const;
  // Controllers that have a queue.
  [[nodiscard]] std::vector<Unit> with_queue() const;
  // The shared state of plugins that have no component left in memory.
  [[nodiscard]] std::vector<Unit> closable() const;
  // The provider, if there is one, then the controllers.
  [[nodiscard]] std::vector<Unit> units() const;

  PluginHostDependencies deps;
  PluginMetrics metrics;
  MetricsRegistry plugin_metrics;
  std::shared_ptr<WarningNotes> warnings;  // for components' Events
  CloudConfig cloud_config;
  ConfigRejections config_rejections;
  WatchedFiles files;
  CloudConnection cloud;
  ProviderStart provider_start;
  runtime::Watchdog watchdog;
  std::unique_ptr<CompletionTable> completions;
  ComponentRuntime runtime;
  std::map<std::string, Unit> opened;  // what the components of a plugin share, by plugin
  Unit provider;
  std::shared_ptr<AnnotationWarnings> annotation_warnings;
  std::vector<Unit> controllers;
  std::vector<Unit> unfinished;        // whose create was not completed in time
  runtime::Timers::Id next_start = 0;  // of a controller, while it has to wait; else 0
  bool leading = false;
  bool stopping = false;
  bool controllers_stopped = false;
  bool leaked = false;  // a component stays in memory, and with it all that it uses
};

}  // namespace ccm::plugin
