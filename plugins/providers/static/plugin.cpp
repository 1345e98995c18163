#include "ccm_plugin_manifest.h"
#include "provider.hpp"

#include <ccm/plugin.hpp>

CCM_PLUGIN(ccm::component<ccm::static_provider::Provider>("static"));
