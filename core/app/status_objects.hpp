// The objects that wait, as parts of /statusz. Loop thread.
#pragma once

#include "app/status_json.hpp"
#include "plugin/plugin_host.hpp"

namespace ccm::app {

// [{"controller", "key", "state", "step", "waitsFor", "class", "reason", "since",
//   "unsettledSince", "attempts", "nextTry", "lastCloudAnswer"}]; what is not known is left out.
StatusJson objects_json(const plugin::PluginHost& plugins, std::size_t limit);

// {"key", "controllers": [as above]}
StatusJson object_json(const plugin::PluginHost& plugins, const std::string& key);

// {"node", "routes": [{"destination", "state": "present" or "failed", ...}]}
StatusJson routes_json(const plugin::PluginHost& plugins, const std::string& node);

// Why a controller takes no keys at all; empty when it does.
std::string holdup(const plugin::ComponentReport& component, bool leading, bool provider_ready);

}  // namespace ccm::app
