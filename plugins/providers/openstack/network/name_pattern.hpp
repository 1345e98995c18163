// Names of subnets that fit a pattern, as floating-subnet gives it (OS-244, OS-417). Any thread.
#pragma once

#include <ccm/pattern.hpp>
#include <ccm/status.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace ccm::openstack {

// "NAME*" is a glob with *, ?, [...] and {one,two}; "~REGEX" a regular expression for the whole
// name; "!" in front of either: all names that do not fit. Users write them into annotations, so
// each is matched in linear time (ccm/pattern.hpp).
class NamePattern {
 public:
  // Failure: invalid_argument.
  static Result<NamePattern> parse(std::string_view text);
  [[nodiscard]] bool fits(std::string_view name) const { return pattern_.fits(name) != negated_; }

 private:
  NamePattern(bool negated, Pattern pattern) : negated_(negated), pattern_(std::move(pattern)) {}

  bool negated_;
  Pattern pattern_;
};

// "!" and "&" in front of tags, as a query of Neutron for subnets: "&tags-any=a,b" (OS-245). Empty
// without tags.
std::string tag_query(const std::string& tags);

}  // namespace ccm::openstack
