#include "child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace ccm::ctl {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void be_child(const std::function<void(int)>& work, int report) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // nohup and some CI runners leave signals ignored; the trial begins as a new process would.
  for (const int number :
       {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2, SIGALRM}) {
    ::signal(number, SIG_DFL);
  }
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  // Its output must not mix with the result.
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, standard);
  work(report);
  // Not _exit: exit handlers of the plugin are part of the trial.
  std::exit(0);
}

// Reads until the child closed its end; false when `deadline` passed first.
bool read_all(int fd, Clock::time_point deadline, std::string& text) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{fd, POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    char buffer[4096];
    const ssize_t n = ::read(fd, buffer, sizeof(buffer));
    if (n == 0) return true;
    if (n > 0) text.append(buffer, static_cast<size_t>(n));
    if (n < 0 && errno != EINTR) return true;
  }
}

}  // namespace

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name == nullptr ? fmt::format("signal {}", number) : fmt::format("SIG{}", name);
}

void write_report(int report, const std::string& text) {
  for (size_t written = 0; written < text.size();) {
    const ssize_t n = ::write(report, text.data() + written, text.size() - written);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) written += static_cast<size_t>(n);
  }
}

ChildEnd run_in_child(const std::function<void(int)>& work, std::chrono::milliseconds limit) {
  ChildEnd end;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    end.failure = std::string("ccmctl: pipe: ") + std::strerror(errno);
    return end;
  }
  const pid_t child = ::fork();
  if (child == 0) be_child(work, ends[1]);
  ::close(ends[1]);
  if (child < 0) {
    end.failure = std::string("ccmctl: fork: ") + std::strerror(errno);
    ::close(ends[0]);
    return end;
  }
  end.in_time = read_all(ends[0], Clock::now() + limit, end.report);
  ::close(ends[0]);
  if (!end.in_time) ::kill(child, SIGKILL);
  while (::waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
  }
  return end;
}

}  // namespace ccm::ctl
