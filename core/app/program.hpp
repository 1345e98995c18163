// cloud-controller-manager from its arguments to its exit code.
#pragma once

#include <span>
#include <string>

namespace ccm::app {

// Reads the command line, finds and checks the plugins, reads the credentials, then runs the
// manager until a signal ends it. Everything that can be wrong without contacting anything is told
// first, all of it at once, and nothing was written by then. Exit codes: exit_code.hpp. Main
// thread; once.
int run_program(const std::string& program, std::span<const std::string> arguments);

}  // namespace ccm::app
