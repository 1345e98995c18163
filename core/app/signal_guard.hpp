// Notices that a plugin took a signal from the host, says which plugin, and takes it back: else
// SIGTERM would not end this process any more, and Kubernetes would kill it after its grace, with
// the Lease still held. One thread.
#pragma once

#include "app/stop_signals.hpp"
#include "plugin_files/loader.hpp"

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::app {

class SignalGuard {
 public:
  // `signals` must outlive it.
  explicit SignalGuard(StopSignals& signals) : signals_(signals) {}

  // Its code is told apart from now on. Right after it was loaded: a library may take a signal
  // then.
  void loaded(const plugin::LoadedPlugin& plugin);

  // What ran since the last check: "create", and whose code it was, for a signal whose handler lies
  // in no plugin's file.
  void check(std::string_view since, std::string_view plugin = {});

 private:
  [[nodiscard]] std::string plugin_of(const std::string& file) const;

  StopSignals& signals_;
  std::vector<std::pair<std::string, std::string>> plugins_;  // file and id
  // When each was told: by signal and plugin.
  std::map<std::pair<int, std::string>, std::chrono::steady_clock::time_point> told_;
};

}  // namespace ccm::app
