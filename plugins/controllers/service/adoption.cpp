#include "adoption.hpp"

#include <ccm/trim.hpp>

#include <algorithm>
#include <utility>

namespace ccm::service {
namespace {

Status malformed_rule(std::string_view item) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                "--load-balancer-adoption: \"" + std::string(item) +
                    "\" is not NAMESPACE/NAME, NAMESPACE/* or *, with =ID of a load balancer or "
                    "without");
}

bool fits(std::string_view pattern, std::string_view text) {
  return pattern == "*" || pattern == text;
}

}  // namespace

Result<AdoptionRules> AdoptionRules::parse(std::string_view text) {
  AdoptionRules made;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = trim(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    const size_t equals = std::min(item.find('='), item.size());
    const std::string_view service = item.substr(0, equals);
    const size_t slash = service.find('/');
    Rule rule{"*", "*", {}};
    if (service != "*") {
      if (slash == std::string_view::npos) return malformed_rule(item);
      rule.namespace_name = service.substr(0, slash);
      rule.name = service.substr(slash + 1);
    }
    if (equals < item.size()) rule.id = item.substr(equals + 1);
    const bool complete = !rule.namespace_name.empty() && !rule.name.empty() &&
                          (equals == item.size() || !rule.id.empty());
    const bool odd = rule.name.find('/') != std::string::npos ||
                     (rule.namespace_name == "*" && rule.name != "*");
    if (!complete || odd) return malformed_rule(item);
    made.rules_.push_back(std::move(rule));
  }
  return made;
}

bool AdoptionRules::allow(std::string_view namespace_name, std::string_view name,
                          std::string_view id) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
    return fits(rule.namespace_name, namespace_name) && fits(rule.name, name) &&
           (rule.id.empty() || rule.id == id);
  });
}

}  // namespace ccm::service
