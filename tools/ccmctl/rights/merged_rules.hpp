// The rules that several subjects ask for as those of one role. Plain values; any thread.
#pragma once

#include "access/access_rules.hpp"

#include <string>
#include <vector>

namespace ccm::ctl {

// Rules with the name of their subject: a plugin's id, or plugin::kHostSubject.
struct SubjectRules {
  std::string subject;
  std::vector<plugin_files::RbacRule> rules;
};

// A rule for one resource of one API group, and all subjects that need some of it.
struct MergedRule {
  plugin_files::RbacRule rule;
  std::vector<std::string> subjects;  // in the given order
};

// The rules that grant exactly the needed rights, one for each resource and set of names, in the
// order of groups, resources and names; verbs from get to delete. Rights granted for all objects
// are not repeated for named ones.
std::vector<MergedRule> merge_rules(const std::vector<SubjectRules>& asked);

}  // namespace ccm::ctl
