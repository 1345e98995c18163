// A dry run: all controllers work on the live cluster and cloud with reads only, until their first
// pass over all objects has ended. Loop thread.
#pragma once

#include "app/dry_run/plan.hpp"
#include "app/dry_run/planned_objects.hpp"
#include "app/flags/options.hpp"
#include "plugin_host/plugin_host.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ccm::app {

enum class DryRunResult : std::uint8_t { nothing_to_do, would_change, undetermined };

class DryRun {
 public:
  // The references must outlive it.
  DryRun(const DryRunOptions& options, const plugin::ObjectCache& cache,
         runtime::EventSource& events, runtime::EventLoop& loop)
      : options_(options), loop_(loop), objects_(cache, events, loop) {}

  [[nodiscard]] bool enabled() const { return options_.enabled; }

  // In the place of the real ones, for the plugins.
  [[nodiscard]] PlannedObjects& objects() { return objects_; }
  [[nodiscard]] plugin::WithheldWrites& writes() { return plan_; }
  [[nodiscard]] std::shared_ptr<plugin::ObjectApi> object_api(
      std::shared_ptr<plugin::ObjectApi> reads, const std::string& component);

  // After the controllers were started: waits until each object was reconciled and nothing is
  // queued for a while, or for --dry-run-timeout.
  boost::asio::awaitable<void> settle(const plugin_host::PluginHost& plugins);
  // Prints the plan to standard output.
  DryRunResult print(const plugin_host::PluginHost& plugins) const;

 private:
  [[nodiscard]] bool busy(const plugin_host::PluginHost& plugins) const;
  [[nodiscard]] bool determined(const plugin::ObjectReport& object) const;
  [[nodiscard]] std::vector<OpenObject> open_objects(const plugin_host::PluginHost& plugins) const;

  const DryRunOptions& options_;
  runtime::EventLoop& loop_;
  Plan plan_;
  PlannedObjects objects_;
  bool settled_ = false;
};

}  // namespace ccm::app
