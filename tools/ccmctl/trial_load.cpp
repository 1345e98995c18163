#include "trial_load.hpp"

#include "plugin_files/loader.hpp"

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
#include <iterator>
#include <sstream>
#include <system_error>

namespace ccm::ctl {
namespace {

using Clock = std::chrono::steady_clock;

// The child's report is lines, each with a letter first: 'w' a warning, 'f' why it was refused, 'l'
// it was loaded. Output after 'l' comes from the end of the process.
constexpr char kWarning = 'w';
constexpr char kFailure = 'f';
constexpr char kLoaded = 'l';

void report(int fd, char kind, const std::string& text) {
  const std::string line = kind + text + "\n";
  for (size_t written = 0; written < line.size();) {
    const ssize_t n = ::write(fd, line.data() + written, line.size() - written);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) written += static_cast<size_t>(n);
  }
}

long count_threads() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return error ? 0 : std::distance(begin(tasks), end(tasks));
}

[[noreturn]] void run_child(const std::filesystem::path& path, int fd) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  // A plugin's output must not mix with the result.
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, standard);

  const long threads = count_threads();
  plugin::Loader loader;
  const auto loaded = loader.load(path);
  if (!loaded) {
    report(fd, kFailure, loaded.status().message());
  } else {
    const long started = count_threads() - threads;
    // Go's runtime starts its threads when it is loaded; nobody can change that.
    const bool go = loaded->manifest.language == "go";
    if (started > 0 && !go) {
      report(fd, kWarning,
             fmt::format("plugin {}: started {} threads when it was loaded; start them in create",
                         path.string(), started));
    }
    report(fd, kLoaded, "");
  }
  // Not _exit: exit handlers of the plugin are part of the trial.
  std::exit(0);
}

// Reads until the child closed its end; false when `deadline` passed first.
bool read_report(int fd, Clock::time_point deadline, std::string& text) {
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

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name == nullptr ? fmt::format("signal {}", number) : fmt::format("SIG{}", name);
}

// Splits the child's report; true when it says that the plugin was loaded.
bool read_lines(const std::string& text, TrialResult& result) {
  bool loaded = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line[0] == kWarning) result.warnings.push_back(line.substr(1));
    if (line[0] == kFailure) result.failure = line.substr(1);
    if (line[0] == kLoaded) loaded = true;
  }
  return loaded;
}

std::string judge(int status, bool loaded, bool in_time, std::chrono::milliseconds limit) {
  const std::string when = loaded ? "when the process ended" : "while it was loaded";
  if (!in_time) {
    return fmt::format("did not return within {} s {}; loading, " CCM_PLUGIN_ENTRY
                       " and exit handlers must not wait for anything",
                       limit.count() / 1000.0, when);
  }
  if (WIFSIGNALED(status)) {
    return fmt::format("crashed with {} {}; run it under a debugger", signal_name(WTERMSIG(status)),
                       when);
  }
  if (!loaded || WEXITSTATUS(status) != 0) {
    return fmt::format("ended the process with exit code {} {}; a plugin must never call exit",
                       WEXITSTATUS(status), when);
  }
  return {};
}

}  // namespace

TrialResult trial_load(const std::filesystem::path& path, std::chrono::milliseconds limit) {
  TrialResult result;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    result.failure = std::string("ccmctl: pipe: ") + std::strerror(errno);
    return result;
  }
  const pid_t child = ::fork();
  if (child == 0) run_child(path, ends[1]);
  ::close(ends[1]);
  if (child < 0) {
    result.failure = std::string("ccmctl: fork: ") + std::strerror(errno);
    ::close(ends[0]);
    return result;
  }
  std::string text;
  const bool in_time = read_report(ends[0], Clock::now() + limit, text);
  ::close(ends[0]);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const bool loaded = read_lines(text, result);
  if (result.failure.empty()) {
    const std::string fault = judge(status, loaded, in_time, limit);
    if (!fault.empty()) result.failure = "plugin " + path.string() + ": " + fault;
  }
  return result;
}

}  // namespace ccm::ctl
