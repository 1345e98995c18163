// ccmctl plugin cases: what `plugin check` looks at.
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "conformance/case.hpp"

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace ccm::ctl {
namespace {

void print_cases(Format format) {
  if (format == Format::json) {
    auto array = nlohmann::ordered_json::array();
    for (const conformance::Case& each : conformance::all_cases()) {
      array.push_back(
          {{"id", each.id}, {"title", each.title}, {"header", each.header}, {"rule", each.rule}});
    }
    std::cout << json_text(array);
    return;
  }
  std::vector<std::vector<std::string>> rows{{"CASE", "WHAT A RIGHT PLUGIN DOES", "RULE"}};
  for (const conformance::Case& each : conformance::all_cases()) {
    rows.push_back({each.id, each.title, each.header + " (" + each.rule + ")"});
  }
  std::cout << align(rows);
}

}  // namespace

void add_plugin_cases(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "cases", "List the cases of `check --conformance`, with the rule that each is about.");
  const auto format = std::make_shared<Format>(Format::table);
  add_format(*command, *format);
  command->callback([format, &exit_code] {
    print_cases(*format);
    exit_code = kOk;
  });
}

}  // namespace ccm::ctl
