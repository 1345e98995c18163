#include "case.hpp"

#include <algorithm>

namespace ccm::conformance {

const Cases& all_cases() {
  static const Cases kCases = [] {
    Cases cases;
    add_plugin_cases(cases);
    add_process_cases(cases);
    for (Case& each : cases) each.about = About::any;
    add_provider_cases(cases);
    add_instance_cases(cases);
    add_listing_cases(cases);
    add_load_balancer_cases(cases);
    add_ownership_cases(cases);
    add_broken_read_cases(cases);
    add_crowd_cases(cases);
    add_route_cases(cases);
    add_owned_cases(cases);
    add_request_cases(cases);
    add_failure_cases(cases);
    add_ending_cases(cases);
    add_controller_life_cases(cases);
    add_controller_map_cases(cases);
    add_controller_reconcile_cases(cases);
    add_controller_request_cases(cases);
    add_controller_failure_cases(cases);
    add_controller_ending_cases(cases);
    add_controller_text_cases(cases);
    return cases;
  }();
  return kCases;
}

const Case* find_case(std::string_view id) {
  const Cases& cases = all_cases();
  const auto found =
      std::find_if(cases.begin(), cases.end(), [&](const Case& each) { return each.id == id; });
  return found != cases.end() ? &*found : nullptr;
}

}  // namespace ccm::conformance
