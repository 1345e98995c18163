// Notices that a plugin replaced a signal handler of the host, names the plugin, and restores the
// handler: else SIGTERM would not end this process any more, and Kubernetes would kill it after its
// grace period, with the Lease still held. One thread.
#pragma once

#include "app/stop_signals.hpp"
#include "plugin_files/loader.hpp"

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace ccm::app {

class SignalGuard {
 public:
  // `signals` must outlive it.
  explicit SignalGuard(StopSignals& signals) : signals_(signals) {}

  // Attributes code of that file to the plugin from now on. Call it right after loading: a library
  // may replace a handler at that time.
  void loaded(const plugin::LoadedPlugin& plugin);

  // The plugin operation since the last check, such as "create", and its plugin, for a signal whose
  // handler lies in no plugin's file.
  void check(std::string_view since, std::string_view plugin = {});

 private:
  StopSignals& signals_;
  std::map<std::string, std::string> plugins_;  // ids by file
  // When each replacement was last logged, by signal and plugin.
  std::map<std::pair<int, std::string>, std::chrono::steady_clock::time_point> told_;
};

}  // namespace ccm::app
