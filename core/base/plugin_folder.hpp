// Where a prefix has its plugins. Any thread.
#pragma once

#include <string_view>

namespace ccm {

// "lib/ccm", or what CCM_PLUGIN_DIR of CMake says: "lib64/ccm", "lib/x86_64-linux-gnu/ccm".
std::string_view plugin_folder();

}  // namespace ccm
