// A child process whose output goes to a file, with waits that have a deadline.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ccm::support {

struct ProcessOptions {
  std::filesystem::path log;  // receives stdout and stderr, in order
  // Added to the environment; an empty value removes the variable.
  std::map<std::string, std::string> environment;
};

// How a process ended: by itself with a code, or by a signal.
struct ExitStatus {
  int code = -1;
  int signal = 0;
};

// Owns one child. It dies with its parent, and at the end of life by SIGKILL if still running.
// Not for several threads at once.
class Process {
 public:
  // Starts command[0] (a path). Throws std::runtime_error if it cannot be executed.
  Process(const std::vector<std::string>& command, ProcessOptions options);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  const std::filesystem::path& log_file() const { return options_.log; }
  // All output so far.
  std::string log() const;
  bool running();
  // Sends a signal; nothing happens if the process has ended.
  void send(int signal);
  // Waits for the end; empty if it still runs after timeout.
  std::optional<ExitStatus> wait(std::chrono::milliseconds timeout);
  // SIGTERM, and SIGKILL after a grace time.
  ExitStatus stop(std::chrono::milliseconds grace = std::chrono::seconds(10));

 private:
  ProcessOptions options_;
  pid_t pid_ = -1;
  std::optional<ExitStatus> status_;
};

}  // namespace ccm::support
