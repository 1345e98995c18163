#include "base/plugin_folder.hpp"

#include "base/version_values.hpp"

namespace ccm {

std::string_view plugin_folder() { return CCM_PLUGIN_FOLDER; }

}  // namespace ccm
