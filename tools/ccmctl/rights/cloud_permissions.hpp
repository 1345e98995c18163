// What the manager has to be allowed to do in the cloud, as a provider's manifest says
// ("cloudPermissions").
#pragma once

#include "app/flags/options_command_line.hpp"

#include <ccm/status.hpp>

#include <set>
#include <string>
#include <vector>

namespace ccm::ctl {

struct CloudPermissions {
  std::string form;             // "iam-policy", "list"
  std::set<std::string> names;  // of all that these controllers need
  // The flag, without dashes, with which the provider's log-in tries them; empty: it cannot.
  std::string trial_flag;
  std::string not_tried;  // those that the trial leaves out, in words
};

// With these controllers. Runs no code of the plugin. Failures: there is no such provider, or its
// manifest lists none.
Result<CloudPermissions> read_cloud_permissions(const app::EarlyOptions& options,
                                                const std::vector<std::string>& controllers);

}  // namespace ccm::ctl
