// Name patterns and tags of subnets, and node selectors (plugins/providers/openstack): users write
// them into annotations.
// Input: a pattern, a newline, a name.
// Properties: "!" turns the answer round, a pattern without a special character fits itself alone,
// a query of tags is one parameter of a URL, and none of it takes long: the steps that a pattern
// takes are counted, and stay below its size times the name's.
#include "fuzz.hpp"
#include "openstack/load_balancers/options.hpp"
#include "openstack/network/name_pattern.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace ccm::fuzz {
namespace {

using openstack::NamePattern;

constexpr std::size_t kLongestSubnetName = 255;  // of Neutron
constexpr std::size_t kLongestRefusal = 1024;

void check_pattern(const std::string& text, const std::string& name) {
  const auto pattern = NamePattern::parse(text);
  if (!pattern.ok()) {
    require(pattern.status().error_class() == ErrorClass::invalid_spec, "the user's fault");
    require(pattern.status().message().size() <= kLongestRefusal, "in a few words");
    return;
  }
  const bool fits = pattern->fits(name);
  require(fits == pattern->fits(name), "the same answer twice");
  if (!text.starts_with('!')) {
    const auto others = NamePattern::parse("!" + text);
    require(!others.ok() || others->fits(name) != fits, "! turns it round");
  }
  if (text.find_first_of("!~*?[]{}\\") == std::string::npos) {
    require(fits == (text == name), "a name fits itself alone");
  }
}

void check_work(const Result<Pattern>& pattern, const std::string& name) {
  if (!pattern.ok()) return;
  require(pattern->size() <= Pattern::kMostSteps, "no large program");
  uint64_t steps = 0;
  (void)pattern->fits(name, steps);
  require(steps <= (pattern->size() + 1) * (name.size() + 1), "linear time");
}

void check_tags(const std::string& text) {
  const std::string query = openstack::tag_query(text);
  if (query.empty()) return;
  require(query.front() == '&' && std::count(query.begin(), query.end(), '&') == 1 &&
              std::count(query.begin(), query.end(), '=') == 1,
          "tags are one parameter");
}

void check_selector(const std::string& text) {
  for (const auto& [key, value] : openstack::parse_node_selector(text)) {
    require(key.find('=') == std::string::npos, "a key ends at the first =");
    require(key.find(',') == std::string::npos, "and at a comma");
    require(!value || value->find(',') == std::string::npos, "as its value does");
  }
}

}  // namespace

void name_pattern_target(std::string_view bytes) {
  Input input(bytes);
  // An annotation and a name are texts without a NUL byte.
  const auto text_of_line = [](std::string_view line) {
    return std::string(line.substr(0, line.find('\0')));
  };
  const std::string pattern = text_of_line(input.line());
  const std::string name = text_of_line(input.rest()).substr(0, kLongestSubnetName);
  check_pattern(pattern, name);
  check_work(Pattern::regular_expression(pattern), name);
  check_work(Pattern::glob(pattern), name);
  check_tags(pattern);
  check_selector(pattern);
}

}  // namespace ccm::fuzz
