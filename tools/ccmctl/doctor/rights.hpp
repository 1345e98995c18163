// Whether a user may do all that `ccmctl rbac` prints for the chosen plugins.
#pragma once

#include "ccmctl/manager/manager_query.hpp"
#include "ccmctl/manager_flags.hpp"
#include "report.hpp"

#include <string>
#include <vector>

namespace ccm::ctl {

// "system:serviceaccount:NAMESPACE:NAME", which kubectl calls --as; empty = the kubeconfig's user.
struct ManagerUser {
  std::string name;
  std::vector<std::string> groups;
};
// The user for "NAMESPACE/NAME"; empty when it is not of that form.
ManagerUser service_account_user(const std::string& account);

// Asks SelfSubjectAccessReviews, in that user's place.
Finding check_rights(const ManagerFlags& flags, const ManagerOptions& cluster,
                     const ManagerUser& user);

}  // namespace ccm::ctl
