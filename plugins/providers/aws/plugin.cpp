#include "ccm_plugin_manifest.h"
#include "provider.hpp"

#include <ccm/plugin.hpp>

CCM_PLUGIN(ccm::component<ccm::aws::Provider>("aws"));
