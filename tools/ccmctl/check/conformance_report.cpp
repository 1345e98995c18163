// The results of a conformance run as text and as JUnit's XML, which CI systems read.
#include "base/text.hpp"
#include "ccmctl/output.hpp"
#include "conformance.hpp"

#include <fmt/format.h>

namespace ccm::ctl {
namespace {

std::string xml(std::string_view text) { return escaped(printable(text), "&<>\""); }

std::string rule_of(const conformance::Case& which) {
  return fmt::format("{} ({})", which.header, which.rule);
}

bool is_case_fault(const CaseResult& result) {
  return result.verdict == Verdict::failed || result.verdict == Verdict::crashed;
}

}  // namespace

std::string table_of(const std::vector<CaseResult>& results) {
  std::vector<std::vector<std::string>> rows;
  std::string faults;
  for (const CaseResult& result : results) {
    rows.push_back({std::string(to_string(result.verdict)), result.which->id,
                    result.verdict == Verdict::skipped
                        ? result.which->title + ": " + printable(result.text)
                        : result.which->title});
    if (!is_case_fault(result)) continue;
    faults +=
        fmt::format("\n{} {}: {}\n  {}\n  rule: {}\n", result.which->id, to_string(result.verdict),
                    result.which->title, printable(result.text), rule_of(*result.which));
  }
  return align(rows) + faults;
}

std::string junit_of(const std::vector<CaseResult>& results, const std::filesystem::path& file) {
  std::string cases;
  std::size_t failed = 0;
  std::size_t crashed = 0;
  std::size_t skipped = 0;
  for (const CaseResult& result : results) {
    const std::string family = result.which->id.substr(0, result.which->id.find('-'));
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{} {}\" time=\"{:.3f}\"", family,
                         result.which->id, xml(result.which->title),
                         static_cast<double>(result.took.count()) / 1000);
    const auto element = [&](const char* name) {
      return fmt::format(">\n    <{} message=\"{}\">{}</{}>\n  </testcase>\n", name,
                         xml(result.text), xml("rule: " + rule_of(*result.which)), name);
    };
    switch (result.verdict) {
      case Verdict::passed:
        cases += "/>\n";
        break;
      case Verdict::failed:
        ++failed;
        cases += element("failure");
        break;
      case Verdict::crashed:
        ++crashed;
        cases += element("error");
        break;
      case Verdict::skipped:
        ++skipped;
        cases += fmt::format(">\n    <skipped message=\"{}\"/>\n  </testcase>\n", xml(result.text));
        break;
    }
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}</testsuite>\n",
      xml(file.string()), results.size(), failed, crashed, skipped, cases);
}

std::string junit_of_checks(const plugin_files::Examination& file) {
  std::string cases;
  std::size_t errors = 0;
  for (const plugin_files::FileCheck& check : file.checks) {
    cases += fmt::format("  <testcase classname=\"checks\" name=\"{}\"", xml(check.name));
    if (check.state == plugin_files::CheckState::failed) {
      ++errors;
      cases += fmt::format(">\n    <error message=\"{}\"/>\n  </testcase>\n", xml(check.text));
    } else {
      cases += "/>\n";
    }
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"0\" errors=\"{}\" skipped=\"0\">\n{}</testsuite>\n",
      xml(file.path.string()), file.checks.size(), errors, cases);
}

}  // namespace ccm::ctl
