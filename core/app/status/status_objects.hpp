// The waiting objects, as parts of /statusz. Loop thread.
#pragma once

#include "app/status/status_json.hpp"
#include "plugin_host/plugin_host.hpp"

#include <functional>
#include <map>
#include <string>

namespace ccm::app {

// Why controllers take no keys at all, by controller; absent for those that do.
struct Holdup {
  std::string text;        // "the caches"
  bool forbidden = false;  // "a permission"
};
using Holdups = std::map<std::string, Holdup, std::less<>>;
Holdups holdups(const StatusSources& from);

// [{"controller", "key", "state", "step", "waitsFor" or "leftAlone", "class", "reason", "since",
//   "unsettledSince", "attempts", "nextTry", "lastCloudAnswer"}]; unknown members are left out.
StatusJson objects_json(const plugin::PluginHost& plugins, const Holdups& held, std::size_t limit);

// {"key", "controllers": [as above], "warnings": [{"kind", "reason", "message", "since"}],
//  "loadBalancer": {"id", "name", "state", "addresses", "leftAlone", "since"}}; members
// of the load balancer that are not known are left out.
StatusJson object_json(const plugin::PluginHost& plugins, const Holdups& held,
                       const std::string& key);

// {"node", "routes": [{"destination", "state": "present", "held" or "failed", ...}]}
StatusJson routes_json(const plugin::PluginHost& plugins, const std::string& node);

}  // namespace ccm::app
