#include "ccm_plugin_manifest.h"
#include "provider.hpp"
#include "session.hpp"
#include "tagging/controller.hpp"

#include <ccm/plugin.hpp>

CCM_PLUGIN(ccm::shared<ccm::aws::Session>(),
           ccm::component<ccm::aws::Provider, ccm::aws::Session>("aws"),
           ccm::component<ccm::aws::TaggingController, ccm::aws::Session>("tagging"));
