// The numbered cases. An id is for ever: a case that is withdrawn leaves a gap.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::conformance {

class Trial;

// The components that a case is about.
enum class About { any, provider, controller };

struct Case {
  std::string id;                   // "INSTANCES-07"
  std::string title;                // what a right plugin does
  std::string header;               // that has the rule: "ccm/abi/base.h"
  std::string rule;                 // its name there: "R-91", or a function
  std::function<void(Trial&)> run;  // throws Failure or Skip
  About about = About::provider;
};

using Cases = std::vector<Case>;

// In their order.
const Cases& all_cases();
const Case* find_case(std::string_view id);

// The families.
void add_plugin_cases(Cases& cases);
void add_process_cases(Cases& cases);
void add_provider_cases(Cases& cases);
void add_instance_cases(Cases& cases);
void add_listing_cases(Cases& cases);
void add_load_balancer_cases(Cases& cases);
void add_ownership_cases(Cases& cases);
void add_broken_read_cases(Cases& cases);
void add_crowd_cases(Cases& cases);
void add_route_cases(Cases& cases);
void add_owned_cases(Cases& cases);
void add_request_cases(Cases& cases);
void add_failure_cases(Cases& cases);
void add_ending_cases(Cases& cases);
void add_controller_life_cases(Cases& cases);
void add_controller_map_cases(Cases& cases);
void add_controller_reconcile_cases(Cases& cases);
void add_controller_request_cases(Cases& cases);
void add_controller_failure_cases(Cases& cases);
void add_controller_ending_cases(Cases& cases);
void add_controller_text_cases(Cases& cases);

}  // namespace ccm::conformance
