#include "ccm_plugin_manifest.h"
#include "controller.hpp"

#include <ccm/plugin.hpp>

CCM_PLUGIN(ccm::component<ccm::service::Controller>("service-lb-controller"));
