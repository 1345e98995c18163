#include "ccm_plugin_manifest.h"
#include "controller.hpp"

#include <ccm/plugin.hpp>

CCM_PLUGIN(ccm::component<ccm::node_lifecycle::Controller>("cloud-node-lifecycle-controller"));
