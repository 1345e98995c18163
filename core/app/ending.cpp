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

enum class Way {
  leave,  // at once: no destructor runs, nothing is written any more
  stop,   // in order (orderly_stop.cpp)
  stay,   // the orderly stop that runs goes on
};

struct WayOut {
  Cause cause;
  // Half of what a stop would destroy is not created yet, and nothing has been written.
  Way while_starting;
  Way while_running;
  Way while_stopping;
  std::optional<int> exit_code;  // without one: that of the orderly stop
};

constexpr std::array<WayOut, 13> kWaysOut{{
    {Cause::signal, Way::leave, Way::stop, Way::stay, kExitOk},
    {Cause::second_signal, Way::leave, Way::leave, Way::leave, kExitFatal},
    {Cause::stop_limit, Way::leave, Way::leave, Way::leave, std::nullopt},
    {Cause::failure, Way::stop, Way::stop, Way::stay, kExitFatal},
    {Cause::trust, Way::leave, Way::stop, Way::stay, kExitBadOptions},
    // As upstream (HOST-115): the code that still runs no longer belongs to a leader.
    {Cause::lease_lost, Way::leave, Way::leave, Way::leave, kExitLeadershipLost},
    // Some work may be half done, so there is no orderly stop, and the Lease has to expire.
    {Cause::exception, Way::leave, Way::leave, Way::leave, kExitFatal},
    {Cause::interrupted, Way::leave, Way::stop, Way::stay, kExitUndetermined},
    {Cause::nothing_to_do, Way::stop, Way::stop, Way::stay, kExitOk},
    {Cause::would_change, Way::stop, Way::stop, Way::stay, kExitWouldChange},
    {Cause::undetermined, Way::stop, Way::stop, Way::stay, kExitUndetermined},
    // With a lost Lease's code, so that whatever started this process starts it again.
    {Cause::outvoted, Way::stop, Way::stop, Way::stay, kExitLeadershipLost},
    // At once, since what this process holds of the cluster is of a future that was undone. Started
    // again it reads all of it from the start.
    {Cause::restored, Way::leave, Way::leave, Way::leave, kExitLeadershipLost},
}};

constexpr bool in_order_of_causes() {
  for (std::size_t row = 0; row < kWaysOut.size(); ++row) {
    if (kWaysOut[row].cause != static_cast<Cause>(row)) return false;
  }
  return true;
}
static_assert(in_order_of_causes());

constexpr std::chrono::milliseconds kLastWords{2'000};

}  // namespace

void Ending::started() {
  Phase phase = Phase::starting;
  phase_.compare_exchange_strong(phase, Phase::running);
}

bool Ending::at_once(Cause cause) const {
  const WayOut& out = kWaysOut[static_cast<std::size_t>(cause)];
  const Phase phase = phase_;
  if (phase == Phase::starting) return out.while_starting == Way::leave;
  if (phase == Phase::running) return out.while_running == Way::leave;
  return out.while_stopping == Way::leave;
}

void Ending::end(Cause cause, const std::function<void()>& last_words) {
  const int code = kWaysOut[static_cast<std::size_t>(cause)].exit_code.value_or(exit_code_);
  if (at_once(cause)) leave(code, last_words);
  last_words();
  if (phase_.exchange(Phase::stopping) == Phase::stopping) return;
  exit_code_ = code;
  stop_();
}

// A log that nobody reads blocks its writers; that must not keep this process alive.
void Ending::leave(int exit_code, const std::function<void()>& last_words) {
  try {
    std::thread([exit_code] {
      std::this_thread::sleep_for(kLastWords);
      std::_Exit(exit_code);
    }).detach();
  } catch (const std::system_error&) {
    // Without memory for a thread the signal ends the process.
    ::alarm(static_cast<unsigned>(kLastWords / std::chrono::seconds(1)));
  }
  last_words();
  std::_Exit(exit_code);
}

}  // namespace ccm::app
