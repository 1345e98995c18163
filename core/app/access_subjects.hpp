// The subjects of the access check, and the log lines and health checks for its findings. Loop
// thread.
#pragma once

#include "access/access_check.hpp"
#include "app/flags/options.hpp"
#include "app/migration_plan.hpp"
#include "app/plugin_selection.hpp"
#include "serving/health.hpp"

#include <map>
#include <string>
#include <vector>

namespace ccm::app {

// The host first, then each plugin once, with what their manifests declare. The endpoint's reviews
// count where they have the same credential as the rest.
std::vector<access::AccessSubject> access_subjects(const LoadedSelection& selection,
                                                   const MigrationPlan& migration,
                                                   const Options& options);

// One log line for missing required rights and one for optional ones, when they have changed. After
// the first missing right, /readyz has the check "permissions-PLUGIN"; missing optional rights do
// not fail it. No controller waits for the host's own rights: without access to its Lease the
// process is a standby.
class AccessFindings {
 public:
  explicit AccessFindings(serving::HealthRegistry& health) : health_(health) {}
  void tell(const access::AccessSubject& subject, const access::Permissions& missing);

 private:
  serving::HealthRegistry& health_;
  std::map<std::string, access::Permissions> logged_;  // by subject
};

}  // namespace ccm::app
