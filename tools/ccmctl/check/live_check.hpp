// ccmctl plugin check --live: the harmless cases in the author's real cloud.
#pragma once

#include "conformance.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::ctl {

// What is wrong with --prefix; empty = nothing.
std::string fault_of_prefix(std::string_view prefix);

// The cases that would run, of all or of those that the options name. Throws std::invalid_argument
// for one that might do harm. `interfaces`: what the manifest lists.
std::vector<const conformance::Case*> harmless_cases(const ConformanceOptions& options,
                                                     const std::vector<std::string>& interfaces);
// What they would make, for the user's consent.
std::string live_plan(const ConformanceOptions& options,
                      const std::vector<const conformance::Case*>& cases);

struct LiveResult {
  std::vector<CaseResult> cases;
  std::size_t load_balancers = 0;  // whose making began
  std::size_t routes = 0;
  std::vector<std::string> left;  // what could not be removed, in words
  bool stopped = false;           // by a signal
};

// One after another; what each made is removed before the next begins, also when it crashed.
LiveResult run_live(const ConformanceOptions& options,
                    const std::vector<const conformance::Case*>& cases);
std::string live_summary(const LiveResult& result, uint64_t seed);

}  // namespace ccm::ctl
