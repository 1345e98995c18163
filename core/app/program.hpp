// cloud-controller-manager from its arguments to its exit code.
#pragma once

#include <span>
#include <string>

namespace ccm::app {

// Reads the command line, finds and checks the plugins, reads the credentials, then runs the
// manager until a signal ends it. First reports all errors that can be found without contacting a
// server, all at once; nothing has been written by then. Exit codes: ending.hpp. Main thread;
// once.
int run_program(const std::string& program, std::span<const std::string> arguments);

}  // namespace ccm::app
