// Checks of the whole command line that single values cannot make (HOST-5). Finds every fault of
// all groups at once; the program prints them together and exits with 1 before it contacts any
// server. Pure; any thread.
#pragma once

#include "app/flags/controller_selection.hpp"
#include "app/flags/options.hpp"

#include <span>
#include <string>
#include <vector>

namespace ccm::app {

struct IdleFlag {
  std::string flag;
  std::string why;
};

struct Validation {
  std::vector<std::string> errors;   // one line each
  std::vector<IdleFlag> idle;        // flags that were given and have no effect
  std::vector<std::string> enabled;  // canonical names of the controllers to run
};

// `controllers`: those of all plugins found, and upstream's that no plugin brings.
Validation validate(const Options& options, std::span<const KnownController> controllers);

// Whether errors go to stderr and the rest to stdout, by the format in use.
bool log_splits_streams(const LoggingOptions& options);

}  // namespace ccm::app
