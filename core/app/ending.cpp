#include "app/ending.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <thread>

namespace ccm::app {

namespace {

enum class Exit {
  at_once,   // no destructor runs, nothing is written any more
  in_order,  // orderly_stop.cpp
  ignored,   // the orderly stop that runs goes on
};

struct ExitPolicy {
  Cause cause;
  // Half of what a stop would destroy is not created yet, and nothing has been written.
  Exit while_starting;
  Exit while_running;
  Exit while_stopping;
  std::optional<int> exit_code;  // without one: that of the orderly stop
};

constexpr std::array<ExitPolicy, 13> kExitPolicies{{
    {Cause::signal, Exit::at_once, Exit::in_order, Exit::ignored, kExitOk},
    {Cause::second_signal, Exit::at_once, Exit::at_once, Exit::at_once, kExitFatal},
    {Cause::stop_limit, Exit::at_once, Exit::at_once, Exit::at_once, std::nullopt},
    {Cause::failure, Exit::in_order, Exit::in_order, Exit::ignored, kExitFatal},
    {Cause::trust, Exit::at_once, Exit::in_order, Exit::ignored, kExitBadOptions},
    // As upstream (HOST-115): the code that still runs no longer belongs to a leader.
    {Cause::lease_lost, Exit::at_once, Exit::at_once, Exit::at_once, kExitLeadershipLost},
    // Some work may be half done, so there is no orderly stop, and the Lease has to expire.
    {Cause::exception, Exit::at_once, Exit::at_once, Exit::at_once, kExitFatal},
    {Cause::interrupted, Exit::at_once, Exit::in_order, Exit::ignored, kExitUndetermined},
    {Cause::nothing_to_do, Exit::in_order, Exit::in_order, Exit::ignored, kExitOk},
    {Cause::would_change, Exit::in_order, Exit::in_order, Exit::ignored, kExitWouldChange},
    {Cause::undetermined, Exit::in_order, Exit::in_order, Exit::ignored, kExitUndetermined},
    // With a lost Lease's code, so that whatever started this process starts it again.
    {Cause::outvoted, Exit::in_order, Exit::in_order, Exit::ignored, kExitLeadershipLost},
    // At once, since what this process holds of the cluster is of a future that was undone. Started
    // again it reads all of it from the start.
    {Cause::restored, Exit::at_once, Exit::at_once, Exit::at_once, kExitLeadershipLost},
}};

constexpr bool in_order_of_causes() {
  for (std::size_t row = 0; row < kExitPolicies.size(); ++row) {
    if (kExitPolicies[row].cause != static_cast<Cause>(row)) return false;
  }
  return true;
}
static_assert(in_order_of_causes());

constexpr std::chrono::milliseconds kLogTimeout{2'000};

}  // namespace

void Ending::started() {
  Phase phase = Phase::starting;
  phase_.compare_exchange_strong(phase, Phase::running);
}

bool Ending::at_once(Cause cause) const {
  const ExitPolicy& out = kExitPolicies[static_cast<std::size_t>(cause)];
  const Phase phase = phase_;
  if (phase == Phase::starting) return out.while_starting == Exit::at_once;
  if (phase == Phase::running) return out.while_running == Exit::at_once;
  return out.while_stopping == Exit::at_once;
}

void Ending::end(Cause cause, const std::function<void()>& log_reason) {
  const int code = kExitPolicies[static_cast<std::size_t>(cause)].exit_code.value_or(exit_code_);
  if (at_once(cause)) leave(code, log_reason);
  log_reason();
  if (phase_.exchange(Phase::stopping) == Phase::stopping) return;
  exit_code_ = code;
  stop_();
}

// A log that nobody reads blocks its writers; that must not keep this process alive.
void Ending::leave(int exit_code, const std::function<void()>& log_reason) {
  try {
    std::thread([exit_code] {
      std::this_thread::sleep_for(kLogTimeout);
      std::_Exit(exit_code);
    }).detach();
  } catch (const std::system_error&) {
    // Without memory for a thread the signal ends the process.
    ::alarm(static_cast<unsigned>(kLogTimeout / std::chrono::seconds(1)));
  }
  log_reason();
  std::_Exit(exit_code);
}

}  // namespace ccm::app
