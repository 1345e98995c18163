#include "report.hpp"

#include "ccmctl/output.hpp"

#include <algorithm>

namespace ccm::ctl {
namespace {

constexpr std::size_t kMostNames = 5;

std::string word_of(Health health) {
  switch (health) {
    case Health::ok:
      return "OK";
    case Health::unknown:
      return "UNKNOWN";
    case Health::warning:
      return "WARNING";
    case Health::problem:
      break;
  }
  return "PROBLEM";
}

}  // namespace

std::string some_of(const std::vector<std::string>& names) {
  std::vector<std::string> first(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNames)));
  std::string text = join(first);
  if (names.size() > kMostNames)
    text += " and " + std::to_string(names.size() - kMostNames) + " more";
  return text;
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

bool has_problem(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.result == Health::problem; });
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
