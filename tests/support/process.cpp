#include "support/process.hpp"

#include "support/eventually.hpp"
#include "support/file.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

extern char** environ;

namespace ccm::support {
namespace {

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!changes.contains(text.substr(0, text.find('=')))) result.push_back(text);
  }
  for (const auto& [name, value] : changes) {
    if (!value.empty()) result.push_back(name + "=" + value);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Runs between fork and exec: system calls only. The error of a failed exec goes back by pipe.
[[noreturn]] void become(char** arguments, char** variables, int log, int errors, pid_t parent) {
  // A suite that is killed by its test driver must not leave servers behind.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  // A socket of the test that lives on in a child looks open to the other side after the test has
  // closed it: a server goes on writing to it.
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  execve(arguments[0], arguments, variables);
  const int reason = errno;
  [[maybe_unused]] const ssize_t sent = write(errors, &reason, sizeof(reason));
  _exit(127);
}

}  // namespace

Process::Process(const std::vector<std::string>& command, ProcessOptions options)
    : options_(std::move(options)) {
  std::vector<std::string> arguments = command;
  std::vector<std::string> variables = merged_environment(options_.environment);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(variables);
  const int log = open(options_.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  int errors[2] = {-1, -1};
  if (log < 0 || pipe2(errors, O_CLOEXEC) != 0) {
    throw std::runtime_error(options_.log.string() + ": " + std::strerror(errno));
  }
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    become(const_cast<char**>(argv.data()), const_cast<char**>(envp.data()), log, errors[1],
           parent);
  }
  close(log);
  close(errors[1]);
  int reason = pid_ < 0 ? errno : 0;
  if (pid_ > 0 && read(errors[0], &reason, sizeof(reason)) != sizeof(reason)) reason = 0;
  close(errors[0]);
  if (reason != 0) {
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
    throw std::runtime_error(command.at(0) + ": " + std::strerror(reason));
  }
}

Process::~Process() {
  if (running()) {
    send(SIGKILL);
    wait(std::chrono::seconds(10));
  }
}

std::string Process::log() const { return read_file(options_.log); }

bool Process::running() { return !wait(std::chrono::milliseconds(0)).has_value(); }

void Process::send(int signal) {
  if (running()) kill(pid_, signal);
}

std::optional<ExitStatus> Process::wait(std::chrono::milliseconds timeout) {
  eventually(timeout, [this] {
    if (status_) return true;
    int raw = 0;
    if (waitpid(pid_, &raw, WNOHANG) != pid_) return false;
    status_ = WIFSIGNALED(raw) ? ExitStatus{-1, WTERMSIG(raw)} : ExitStatus{WEXITSTATUS(raw), 0};
    return true;
  });
  return status_;
}

ExitStatus Process::stop(std::chrono::milliseconds grace) {
  send(SIGTERM);
  if (const auto status = wait(grace)) return *status;
  send(SIGKILL);
  return wait(std::chrono::seconds(10)).value_or(ExitStatus{});
}

}  // namespace ccm::support
