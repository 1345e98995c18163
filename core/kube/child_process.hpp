// Runs a program and collects what it prints, without blocking the loop.
#pragma once

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::kube {

struct ProcessSpec {
  std::string command;  // found through PATH when it holds no slash
  std::string name{};   // what messages call it; empty = the command
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // on top of this process' environment
  bool share_stdin = false;                              // else /dev/null
  std::size_t output_limit = 1u << 20;
  std::chrono::milliseconds timeout{60'000};
};

struct ProcessEnd {
  // Not ok: failed_precondition (cannot be started, other exit code, killed) or deadline_exceeded.
  Status status;
  std::string output;            // its stdout, at most the limit; only with an ok status
  std::string errors;            // the first 4 KiB of stderr; empty with share_stdin
  std::optional<int> exit_code;  // -1 when a signal ended it; none when it was not started
};

// Runs it to its end, and that of its output. One that writes more than its limit to stdout, or
// than 1 MiB to stderr, is killed. Its whole process group is killed then, when the time is over,
// or when the coroutine ends early; nothing waits on the loop for that. With share_stdin it is in
// this process' group, which alone may read from the terminal, is killed alone, and stderr is this
// process' own.
boost::asio::awaitable<ProcessEnd> run_process(boost::asio::any_io_executor executor,
                                               ProcessSpec spec);

}  // namespace ccm::kube
