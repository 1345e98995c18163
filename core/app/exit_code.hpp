// Exit codes of the program (HOST-148). docs/reference/exit-codes.md has the table for users.
#pragma once

namespace ccm::app {

enum ExitCode : int {
  kExitOk =
      0,  // --help, --version, SIGTERM or SIGINT after an orderly stop, --dry-run without changes
  kExitBadOptions =
      1,  // a flag, file or plugin that cannot work; found before any server is contacted
  kExitLeadershipLost = 1,
  kExitUndetermined = 1,  // --dry-run: not every object could be looked at
  kExitWouldChange = 2,   // --dry-run
  kExitFatal = 255,  // the API server never answered, the provider or a controller refused to start
};

}  // namespace ccm::app
