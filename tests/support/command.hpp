// A command line as a user types it.
#pragma once

#include <string>

namespace ccm::support {

struct CommandOutcome {
  int exit_code = -1;  // also when a signal ended it
  std::string output;  // standard output and error
};

// Runs it in a shell, without input, and waits for its end.
CommandOutcome run_command(const std::string& command);

}  // namespace ccm::support
