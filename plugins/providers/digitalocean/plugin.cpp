#include "ccm_plugin_manifest.h"
#include "firewall/controller.hpp"
#include "provider.hpp"
#include "tags/controller.hpp"

#include <ccm/plugin.hpp>

CCM_PLUGIN(ccm::component<ccm::digitalocean::Provider>("digitalocean"),
           ccm::component<ccm::digitalocean::FirewallController>("digitalocean-firewall"),
           ccm::component<ccm::digitalocean::TagController>("digitalocean-tags"));
