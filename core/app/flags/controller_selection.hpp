// --controllers (HOST-17, HOST-75..81): which of the known controllers run.
// Pure functions; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace ccm::app {

struct KnownController {
  std::string name;  // canonical
  std::vector<std::string> aliases;
  bool enabled_by_default = true;  // part of "*"
};

struct ControllerSelection {
  std::vector<std::string> enabled;  // canonical names, in the order of the known ones
  std::vector<std::string> errors;   // one line for each unknown name
};

// The items are read from left to right; the first that is NAME or -NAME decides, and "*" only
// where none is (HOST-77, 78).
ControllerSelection select_controllers(std::span<const std::string> items,
                                       std::span<const KnownController> known);

}  // namespace ccm::app
