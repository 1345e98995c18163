// The Services that may take over a load balancer that belongs to somebody else:
// --load-balancer-adoption. Users write the annotations that ask for it, so an administrator has to
// allow it. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::service {

class AdoptionRules {
 public:
  AdoptionRules() = default;  // nobody may
  // "shop/web=4de7ac8b, shop/*, *": a Service, or all of a namespace, or all, each with or without
  // the id of the only load balancer that it may take over. invalid_argument names the faulty item.
  static Result<AdoptionRules> parse(std::string_view text);

  [[nodiscard]] bool allow(std::string_view namespace_name, std::string_view name,
                           std::string_view id) const;

 private:
  struct Rule {
    std::string namespace_name;  // "*": any; likewise the name; an empty id: any
    std::string name;
    std::string id;
  };
  std::vector<Rule> rules_;
};

}  // namespace ccm::service
