// What the access check asks about, and how its findings are told. Loop thread.
#pragma once

#include "app/access/access_check.hpp"
#include "app/flags/options.hpp"
#include "app/plugin_selection.hpp"
#include "serving/health_registry.hpp"

#include <map>
#include <string>
#include <vector>

namespace ccm::app {

// The host first, then each plugin once, with what their manifests declare. The endpoint's reviews
// count where they have the same credential as the rest.
std::vector<AccessSubject> access_subjects(const LoadedSelection& selection,
                                           const Options& options);

// One line of the log for what is needed and one for what is optional, when it has changed. From
// the first fault on there is the check "permissions-PLUGIN" of /readyz, which what is optional
// does not fail. No controller waits for the host's own rights: without those to its Lease it
// stands by.
class AccessNews {
 public:
  explicit AccessNews(serving::HealthRegistry& health) : health_(health) {}
  void tell(const AccessSubject& subject, const plugin::Permissions& missing);

 private:
  serving::HealthRegistry& health_;
  std::map<std::string, plugin::Permissions> told_;  // by subject
};

}  // namespace ccm::app
