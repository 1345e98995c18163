#include "app/stop_signals.hpp"

#include "app/ending.hpp"
#include "base/log.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <thread>

namespace ccm::app {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::array kSignals{SIGTERM, SIGINT};
constexpr unsigned char kBeginLimit = 0;  // in the pipe, where signals are their numbers

std::atomic<int> g_pipe{-1};  // its end for writing
static_assert(std::atomic<int>::is_always_lock_free);

void tell(unsigned char what) {
  // A full pipe holds enough of them.
  [[maybe_unused]] const auto written = ::write(g_pipe.load(), &what, 1);
}

extern "C" void ccm_on_stop_signal(int number) {
  const int before = errno;
  tell(static_cast<unsigned char>(number));
  errno = before;
}

struct sigaction our_action() {
  struct sigaction action {};
  action.sa_handler = &ccm_on_stop_signal;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigfillset(&action.sa_mask);
  return action;
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == &ccm_on_stop_signal;
}

std::string file_of(const struct sigaction& action) {
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return {};
  Dl_info info{};
  // The two kinds of handlers share one address.
  if (::dladdr(reinterpret_cast<void*>(action.sa_handler), &info) == 0) return {};
  return info.dli_fname == nullptr ? std::string() : std::string(info.dli_fname);
}

constexpr auto kNoLimit = Clock::time_point::max();

// The next event; nothing when the time is over first.
std::optional<unsigned char> next(int pipe, Clock::time_point limit) {
  while (true) {
    int wait = -1;
    if (limit != kNoLimit) {
      const auto left = std::chrono::ceil<milliseconds>(limit - Clock::now()).count();
      if (left <= 0) return std::nullopt;
      wait = static_cast<int>(left);
    }
    pollfd entry{pipe, POLLIN, 0};
    if (::poll(&entry, 1, wait) <= 0) continue;
    unsigned char what = 0;
    if (::read(pipe, &what, 1) == 1) return what;
  }
}

}  // namespace

StopSignals& StopSignals::install() {
  static auto& signals = *new StopSignals;
  return signals;
}

StopSignals::StopSignals() : callbacks_(leave_with(kExitOk)) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0 || ::fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "a pipe for signals");
  }
  pipe_ = ends[0];
  g_pipe = ends[1];
  std::thread([this] { run(); }).detach();
  sigset_t ours;
  sigemptyset(&ours);
  const struct sigaction action = our_action();
  for (const int number : kSignals) {
    ::sigaction(number, &action, nullptr);
    sigaddset(&ours, number);
  }
  // The parent process may have blocked them.
  ::pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
}

StopSignals::Callbacks StopSignals::leave_with(int exit_code) {
  return {[exit_code](int) { std::_Exit(exit_code); }, [exit_code] { std::_Exit(exit_code); },
          [exit_code] { std::_Exit(exit_code); }};
}

void StopSignals::listen(Callbacks callbacks) {
  const std::lock_guard lock(mutex_);
  callbacks_ = std::move(callbacks);
}

void StopSignals::begin_limit() { tell(kBeginLimit); }

void StopSignals::run() {
  auto limit = kNoLimit;
  bool signalled = false;
  while (true) {
    const auto what = next(pipe_, limit);
    std::unique_lock lock(mutex_);
    const Callbacks now = callbacks_;
    lock.unlock();
    if (!what) {
      limit = kNoLimit;
      if (now.late) now.late();
      continue;
    }
    if (limit == kNoLimit) limit = Clock::now() + kStopLimit;
    if (*what == kBeginLimit) continue;
    if (!std::exchange(signalled, true)) {
      if (now.first) now.first(*what);
    } else if (now.again) {
      now.again();
    }
  }
}

std::vector<StopSignals::Taken> StopSignals::take_back() {
  std::vector<Taken> taken;
  for (const int number : kSignals) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) != 0 || is_ours(now)) continue;
    taken.push_back({number, file_of(now)});
    const struct sigaction action = our_action();
    ::sigaction(number, &action, nullptr);
  }
  return taken;
}

std::string signal_name(int number) { return std::string("SIG") + ::sigabbrev_np(number); }

void SignalGuard::loaded(const plugin_files::LoadedPlugin& plugin) {
  plugins_.emplace(plugin.path.string(), plugin.manifest.id);
  check("load", plugin.manifest.id);
}

void SignalGuard::check(std::string_view since, std::string_view suspect) {
  constexpr std::chrono::minutes kTellAgain{1};
  for (const StopSignals::Taken& taken : signals_.take_back()) {
    const auto known = plugins_.find(taken.file);
    const std::string plugin(known != plugins_.end() ? known->second : suspect);
    const auto now = std::chrono::steady_clock::now();
    const auto [place, is_new] = told_.try_emplace({taken.number, plugin + taken.file}, now);
    if (!is_new && now - place->second < kTellAgain) continue;
    place->second = now;
    log::error("A plugin replaced the handler of a stop signal; the host has restored it",
               {{"signal", signal_name(taken.number)},
                {"plugin", plugin},
                {"file", taken.file},
                {"since", since}});
  }
}

}  // namespace ccm::app
