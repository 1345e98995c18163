// --plugin-path, as the manager has it.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace ccm::ctl {

// Adds "--plugin-path FOLDER", which may be repeated. `folders` must outlive `command`; it stays
// empty when the flag is not given, which means the default folder.
void add_plugin_path(CLI::App& command, std::vector<std::string>& folders);

}  // namespace ccm::ctl
