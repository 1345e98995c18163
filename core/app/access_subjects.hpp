// What the access check asks about, and how its findings are told. Loop thread.
#pragma once

#include "app/access_check.hpp"
#include "app/options.hpp"
#include "app/plugin_selection.hpp"
#include "serving/health_registry.hpp"

#include <vector>

namespace ccm::app {

// The host first, then each plugin once, with what their manifests declare.
std::vector<AccessSubject> access_subjects(const LoadedSelection& selection,
                                           const LeaderElectionOptions& election);

// One line of the log, and the check "permissions-PLUGIN" of /readyz from the first fault on.
// Nothing waits for the host's own rights, which are the Lease and Events.
void tell_access(const AccessSubject& subject, const std::vector<plugin::Permission>& missing,
                 serving::HealthRegistry& health);

}  // namespace ccm::app
