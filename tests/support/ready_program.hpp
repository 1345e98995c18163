// A fake as a program: PROGRAM --directory DIR. Ends at SIGTERM or SIGINT.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>

namespace ccm::support {

// `start` starts the servers, which the caller owns, and returns the content of DIR/ready. Returns
// the exit code of main().
int run_ready_program(int argc, char** argv, const std::function<nlohmann::json()>& start);

}  // namespace ccm::support
