#include "doctor_report.hpp"

#include "output.hpp"

#include <algorithm>

namespace ccm::ctl {
namespace {

std::string word_of(Health health) {
  switch (health) {
    case Health::ok:
      return "OK";
    case Health::warning:
      return "WARNING";
    case Health::problem:
      break;
  }
  return "PROBLEM";
}

}  // namespace

bool has_problem(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& one) { return one.result == Health::problem; });
}

std::string findings_table(const std::vector<Finding>& findings) {
  std::vector<std::vector<std::string>> rows{{"RESULT", "CHECK", "FOUND"}};
  for (const Finding& finding : findings) {
    rows.push_back({word_of(finding.result), finding.check, printable(finding.text)});
    if (!finding.advice.empty()) rows.push_back({"", "", "To do: " + printable(finding.advice)});
  }
  return align(rows);
}

nlohmann::ordered_json findings_json(const std::vector<Finding>& findings) {
  auto array = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    nlohmann::ordered_json item{
        {"check", finding.check}, {"result", word_of(finding.result)}, {"found", finding.text}};
    if (!finding.advice.empty()) item["toDo"] = finding.advice;
    array.push_back(std::move(item));
  }
  return array;
}

}  // namespace ccm::ctl
