// The objects that wait, as parts of /statusz. Loop thread.
#pragma once

#include "app/status/status_json.hpp"
#include "plugin_host/plugin_host.hpp"

#include <functional>
#include <map>
#include <string>

namespace ccm::app {

// Why controllers take no keys at all, by their names; those that do are not in it.
struct Holdup {
  std::string text;        // "the caches"
  bool forbidden = false;  // until somebody grants a permission
};
using Holdups = std::map<std::string, Holdup, std::less<>>;
Holdups holdups(const StatusSources& from);

// [{"controller", "key", "state", "step", "waitsFor", "class", "reason", "since",
//   "unsettledSince", "attempts", "nextTry", "lastCloudAnswer"}]; what is not known is left out.
StatusJson objects_json(const plugin::PluginHost& plugins, const Holdups& held, std::size_t limit);

// {"key", "controllers": [as above], "warnings": [{"kind", "reason", "message", "since"}],
//  "loadBalancer": {"id", "name", "state", "addresses", "leftAlone", "since"}}; of the last what is
// known.
StatusJson object_json(const plugin::PluginHost& plugins, const Holdups& held,
                       const std::string& key);

// {"node", "routes": [{"destination", "state": "present", "held" or "failed", ...}]}
StatusJson routes_json(const plugin::PluginHost& plugins, const std::string& node);

}  // namespace ccm::app
