// Why, how and with which exit code this process ends: one table of exit policies (ending.cpp).
#pragma once

#include <atomic>
#include <functional>
#include <utility>

namespace ccm::app {

// HOST-148. docs/reference/exit-codes.md has the table for users.
enum ExitCode : int {
  kExitOk =
      0,  // --help, --version, SIGTERM or SIGINT after an orderly stop, --dry-run without changes
  kExitBadOptions =
      1,  // a flag, file, plugin or trust that cannot work; found before this process leads
  kExitLeadershipLost = 1,
  kExitUndetermined = 1,  // --dry-run: not every object could be looked at
  kExitWouldChange = 2,   // --dry-run
  kExitFatal = 255,  // the API server never answered, the provider or a controller refused to start
};

// Why this process ends.
enum class Cause {
  signal,         // the first SIGTERM or SIGINT
  second_signal,  // one more
  stop_limit,     // an orderly stop took longer than kStopLimit
  failure,        // the API server, the provider or a controller failed
  trust,          // the settings of the secure port's authentication cannot work
  lease_lost,
  exception,  // a part of this program threw what it should not
  // The results of a dry run.
  interrupted,  // by SIGTERM or SIGINT
  nothing_to_do,
  would_change,
  undetermined,
  // The API server's coordinator chose another leader.
  outvoted,
  // The API server's storage was restored from a copy.
  restored,
};

class Ending {
 public:
  // `stop` begins to take everything down in order. Called at most once, on the loop.
  explicit Ending(std::function<void()> stop) : stop_(std::move(stop)) {}

  // All components are there, and the election begins. Loop thread.
  void started();
  // Any thread.
  [[nodiscard]] bool stopping() const { return phase_ == Phase::stopping; }
  // The exit code of the orderly stop that has begun, else 0. Any thread.
  [[nodiscard]] int exit_code() const { return exit_code_; }

  // This cause now ends the process at once, without an orderly stop. Any thread.
  [[nodiscard]] bool at_once(Cause cause) const;

  // Ends the process by the policy of that cause; `log_reason` logs why. Loop thread; for a cause
  // that is at_once() any thread, and then it does not return.
  void end(Cause cause, const std::function<void()>& log_reason);

  // Ends the process with that exit code, whatever the log does. Any thread.
  [[noreturn]] static void leave(int exit_code, const std::function<void()>& log_reason);

 private:
  enum class Phase { starting, running, stopping };

  std::function<void()> stop_;
  std::atomic<Phase> phase_{Phase::starting};
  std::atomic<int> exit_code_{0};
};

}  // namespace ccm::app
