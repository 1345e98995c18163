// Names of subnets that fit a pattern, as floating-subnet gives it (OS-244, OS-417). Any thread.
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <vector>

namespace ccm::openstack {

// "NAME*" is a glob with *, ?, [...] and {one,two}; "~REGEX" a POSIX extended regular expression
// for the whole name; "!" in front of either: all names that do not fit.
class NamePattern {
 public:
  // Failure: invalid_argument.
  static Result<NamePattern> parse(std::string text);
  [[nodiscard]] bool fits(const std::string& name) const;

 private:
  bool negated_ = false;
  std::string regex_;               // empty = a glob
  std::vector<std::string> globs_;  // one for each choice of {...}
};

// "!" and "&" in front of tags, as a query of Neutron for subnets: "&tags-any=a,b" (OS-245). Empty
// without tags.
std::string tag_query(const std::string& tags);

}  // namespace ccm::openstack
