// The process is the host's: ccm/abi/base.h, R-17 to R-23.
#include "case.hpp"
#include "trial.hpp"

#include <fcntl.h>
#include <fenv.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <clocale>
#include <cstring>
#include <filesystem>
#include <map>

namespace ccm::conformance {
namespace {

constexpr const char* kHeader = "ccm/abi/base.h";

// A full life with what a cloud is asked for most.
void live(Trial& trial) {
  trial.ready();
  if (trial.offers(kList)) trial.run(kList);
  trial.destroy();
}

using Handler = std::pair<void*, int>;

Handler handler_of(int number) {
  struct sigaction action {};
  ::sigaction(number, nullptr, &action);
  return {reinterpret_cast<void*>(action.sa_handler), action.sa_flags};
}

void leaves_signals_alone(Trial& trial) {
  // A runtime may have handlers for others, for faults of its own code.
  const std::array kOurs = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD, SIGPIPE, SIGALRM};
  // A plugin that took one when it was loaded shows as well: the process has default actions, but
  // for SIGPIPE, which the cloud's command needs.
  if (trial.subject().is_go()) {
    Trial::skip(
        "Go's runtime has handlers that pass a signal on, which cannot be told from others");
  }
  live(trial);
  for (const int number : kOurs) {
    void* const wanted =
        reinterpret_cast<void*>(number == SIGPIPE && trial.cloud.there() ? SIG_IGN : SIG_DFL);
    Trial::expect(handler_of(number).first == wanted,
                  fmt::format("the action of SIG{} was changed", ::sigabbrev_np(number)));
  }
  sigset_t blocked;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (const int number : kOurs) {
    Trial::expect(::sigismember(&blocked, number) == 0,
                  fmt::format("SIG{} is blocked on the host's thread", ::sigabbrev_np(number)));
  }
}

std::string environment() {
  std::string all;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    all += *each;
    all += '\n';
  }
  return all;
}

void leaves_environment_alone(Trial& trial) {
  const std::string variables = environment();
  const auto folder = std::filesystem::current_path();
  live(trial);
  Trial::expect(environment() == variables, "the environment was changed (setenv)");
  Trial::expect(std::filesystem::current_path() == folder,
                "the working directory was changed (chdir)");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  Trial::expect(mask == 022, fmt::format("the umask was changed to {:03o}", mask));
}

void leaves_locale_alone(Trial& trial) {
  const int rounding = ::fegetround();
  live(trial);
  Trial::expect(std::string_view(std::setlocale(LC_ALL, nullptr)) == "C",
                "the locale was changed (setlocale)");
  Trial::expect(::fegetround() == rounding, "the rounding mode was changed");
}

void leaves_limits_alone(Trial& trial) {
  std::map<int, std::pair<rlim_t, rlim_t>> before;
  const std::array kLimits = {RLIMIT_NOFILE, RLIMIT_STACK, RLIMIT_CORE,
                              RLIMIT_AS,     RLIMIT_NPROC, RLIMIT_FSIZE};
  const auto read = [](auto resource) {
    rlimit limit{};
    ::getrlimit(resource, &limit);
    return std::pair(limit.rlim_cur, limit.rlim_max);
  };
  if (trial.subject().is_go()) {
    Trial::skip("Go's runtime raises the limit of open files when it is loaded");
  }
  for (const auto resource : kLimits) before[resource] = read(resource);
  live(trial);
  for (const auto resource : kLimits) {
    Trial::expect(before[resource] == read(resource), "a resource limit was changed (setrlimit)");
  }
}

// The runner has put a file in their place.
void writes_nothing_on_standard_streams(Trial& trial) {
  live(trial);
  ::fflush(nullptr);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat facts {};
    if (::fstat(stream, &facts) != 0) Trial::fail("a standard stream was closed");
    if (!S_ISREG(facts.st_mode)) Trial::fail("a standard stream was put elsewhere");
    std::string text(static_cast<size_t>(std::min<off_t>(facts.st_size, 200)), '\0');
    const ssize_t n = ::pread(stream, text.data(), text.size(), 0);
    text.resize(n > 0 ? static_cast<size_t>(n) : 0);
    Trial::expect(text.empty(), "it writes on a standard stream: " + text);
  }
}

std::map<int, std::string> descriptors() {
  std::map<int, std::string> open;
  for (int fd = 3; fd < 1024; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) continue;
    std::error_code error;
    open[fd] = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", fd), error).string();
  }
  return open;
}

void opens_descriptors_with_cloexec(Trial& trial) {
  const auto before = descriptors();
  trial.ready();
  if (trial.offers(kList)) trial.run(kList);
  for (const auto& [fd, what] : descriptors()) {
    Trial::expect(before.contains(fd) || (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0,
                  fmt::format("the descriptor of {} lacks O_CLOEXEC", what));
  }
}

void leaves_no_descriptor(Trial& trial) {
  trial.ready();
  const bool lists = trial.offers(kList) && trial.run(kList).problems.empty();
  trial.destroy();  // what stays after the first time is the runtime's
  const auto before = descriptors();
  testing::FakeComponent again(trial.host, trial.subject().plugin, trial.subject().component);
  trial.run_now([&] { return again.created().ok(); });
  (void)again.initialize();
  if (lists) (void)again.list();
  Trial::destroy(again);
  const auto after = descriptors();
  for (const auto& [fd, what] : after) {
    Trial::expect(before.contains(fd), fmt::format("a descriptor of {} stays open", what));
  }
}

void leaves_no_thread(Trial& trial) {
  if (trial.subject().is_go()) Trial::skip("the threads of Go's runtime may stay");
  const long before = count_threads();
  live(trial);
  trial.run_now([&] { return count_threads() <= before; });
  Trial::expect(count_threads() <= before,
                fmt::format("{} threads still run when the component was destroyed",
                            count_threads() - before));
}

}  // namespace

void add_process_cases(Cases& cases) {
  cases.insert(
      cases.end(),
      {{"PROCESS-01", "actions and masks of signals stay as they are", kHeader, "R-17",
        &leaves_signals_alone},
       {"PROCESS-02", "environment, working directory and umask stay as they are", kHeader, "R-19",
        &leaves_environment_alone},
       {"PROCESS-03", "locale and rounding mode stay as they are", kHeader, "R-19",
        &leaves_locale_alone},
       {"PROCESS-04", "resource limits stay as they are", kHeader, "R-19", &leaves_limits_alone},
       {"PROCESS-05", "nothing is written on the standard streams", kHeader, "R-19",
        &writes_nothing_on_standard_streams},
       {"PROCESS-06", "descriptors are opened with O_CLOEXEC", kHeader, "R-20",
        &opens_descriptors_with_cloexec},
       {"PROCESS-07", "no descriptor stays open after `destroy`", "ccm/abi/plugin.h", "R-51",
        &leaves_no_descriptor},
       {"PROCESS-08", "no thread stays after `destroy`", kHeader, "R-22", &leaves_no_thread}});
}

}  // namespace ccm::conformance
