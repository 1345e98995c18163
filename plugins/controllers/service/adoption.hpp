// Which Services may take over a load balancer that is not theirs: --load-balancer-adoption. Users
// write the annotations that ask for it, so an administrator has to allow it. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::service {

class AdoptionRules {
 public:
  AdoptionRules() = default;  // nobody may
  // "shop/web=4de7ac8b, shop/*, *": a Service or all of a namespace or all, each with the id of the
  // only load balancer that may be taken, or without. invalid_argument names the item that is
  // wrong.
  static Result<AdoptionRules> parse(std::string_view text);

  [[nodiscard]] bool allow(std::string_view namespace_name, std::string_view name,
                           std::string_view id) const;

 private:
  struct Rule {
    std::string namespace_name;  // "*": any, as the name and, empty, the id
    std::string name;
    std::string id;
  };
  std::vector<Rule> rules_;
};

}  // namespace ccm::service
