// SIGTERM and SIGINT. The handler only wakes a thread, so that a signal counts even when the loop
// and the plugins are blocked. It runs on the alternate stack of whichever thread the signal
// arrives on (Go code has no other stack to spare) and interrupts no system call. That thread also
// limits how long the stop may take.
#pragma once

#include "plugin_files/loader.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::app {

// From the first signal to the end of the process, whatever its plugins do.
inline constexpr std::chrono::milliseconds kStopLimit{10'000};

class StopSignals {
 public:
  // All called on the thread of the signals.
  struct Callbacks {
    std::function<void(int number)> first;
    std::function<void()> again;  // a second one
    std::function<void()> late;   // the process is still there kStopLimit later
  };

  // Each of these signals ends the process at once, with that exit code.
  static Callbacks leave_with(int exit_code);

  // A signal whose handler is not ours.
  struct Taken {
    int number = 0;
    std::string file;  // owner of the handler; empty when the signal is ignored or kills
  };

  // Installs the handlers. Before any plugin is loaded, once; never destroyed, since exit handlers
  // of plugins may block too. Until listen() a signal ends the process at once, with exit code 0:
  // nothing has begun.
  static StopSignals& install();

  // Any thread.
  void listen(Callbacks callbacks);

  // The process ends for another reason than a signal: the limit counts from now. Any thread.
  void begin_limit();

  // Restores handlers that were replaced. Any thread.
  std::vector<Taken> take_back();

 private:
  StopSignals();
  void run();

  int pipe_ = -1;  // the end for reading of the one that the handler writes to
  std::mutex mutex_;
  Callbacks callbacks_;
};

// "SIGTERM".
std::string signal_name(int number);

// Notices that a plugin replaced a signal handler of the host, names the plugin, and restores the
// handler: else SIGTERM would not end this process any more, and Kubernetes would kill it after its
// grace period, with the Lease still held. One thread.
class SignalGuard {
 public:
  // `signals` must outlive it.
  explicit SignalGuard(StopSignals& signals) : signals_(signals) {}

  // Attributes code of that file to the plugin from now on. Call it right after loading: a library
  // may replace a handler at that time.
  void loaded(const plugin_files::LoadedPlugin& plugin);

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
