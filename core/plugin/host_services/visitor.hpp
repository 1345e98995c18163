// Calls of a plugin's visitor from within a host function that the plugin called: an exception of
// the visitor would otherwise cross the host on its way back.
#pragma once

#include "plugin/live_component.hpp"

#include <memory>
#include <string_view>

namespace ccm::plugin {

// Returns the result of `visit()`; false, which ends the visit, when it throws. `function` is the
// host's: "object.each". Any thread.
template <typename Visit>
bool guarded_visit(const std::shared_ptr<LiveComponent>& component, std::string_view function,
                   const Visit& visit) {
  try {
    return visit();
  } catch (...) {
    report_exception(component ? component->identity() : ComponentIdentity(), function);
    return false;
  }
}

}  // namespace ccm::plugin
