// Runs a program and collects what it prints, without blocking the loop. Private to core/kube.
#pragma once

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::kube {

struct ProcessSpec {
  std::string command;  // found through PATH when it holds no slash
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // on top of this process' environment
  bool share_stdin = false;                              // else /dev/null
  std::chrono::milliseconds timeout{60'000};
};

struct ProcessEnd {
  // Not ok: failed_precondition (cannot be started, other exit code, killed) or deadline_exceeded.
  Status status;
  std::string output;            // its stdout, at most 1 MiB; only with an ok status
  std::string errors;            // the first 4 KiB of stderr; empty with share_stdin
  std::optional<int> exit_code;  // -1 when a signal ended it; none when it was not started
};

// Runs it to its end, and that of its output. One that writes more than 1 MiB to stdout or to
// stderr is killed. Its whole process group is killed when the time is over or the coroutine ends
// early. With share_stdin it is in this process' group, which alone may read from the terminal, is
// killed alone, and stderr is this process' own.
boost::asio::awaitable<ProcessEnd> run_process(boost::asio::any_io_executor executor,
                                               ProcessSpec spec);

}  // namespace ccm::kube
