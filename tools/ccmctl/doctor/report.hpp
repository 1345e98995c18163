// The findings of ccmctl doctor, as text and JSON. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ccm::ctl {

// Unknown: it could not be looked at, so it may be well or not.
enum class Health : std::uint8_t { ok, unknown, warning, problem };

struct Finding {
  std::string check;  // "clock", "lease", ...
  Health result = Health::ok;
  std::string text;    // what was seen
  std::string advice;  // what to do; empty when it is well
};

// "a, b and 3 more".
std::string some_of(const std::vector<std::string>& names);
// "1 Node", "2 Nodes".
std::string counted(std::size_t count, const std::string& what);

// A line for each finding, and what to do below it.
std::string findings_table(const std::vector<Finding>& findings);
nlohmann::ordered_json findings_json(const std::vector<Finding>& findings);
bool has_problem(const std::vector<Finding>& findings);

}  // namespace ccm::ctl
