// How ccmctl prints: aligned columns, or JSON.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace ccm::ctl {

enum class Format { table, json, junit };

// Adds "-o, --output table|json".
void add_format(CLI::App& command, Format& format);
// As add_format(), also with "junit", XML for CI systems.
void add_format_with_junit(CLI::App& command, Format& format);

// Rows of cells, columns as wide as their widest cell, two spaces between them, none at a line's
// end.
std::string align(const std::vector<std::vector<std::string>>& rows);

// Texts from files or managers may hold anything: control characters, directional and invisible
// ones, and bytes that are not UTF-8 become '?', so that nobody can control the terminal or show
// something else than what is there.
std::string printable(std::string_view text);

// JSON of several lines in plain ASCII, for the same reason. `Json`: either type of nlohmann's.
template <typename Json>
std::string json_text(const Json& value) {
  return value.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

// "a, b"; "-" when there is none.
std::string join(const std::vector<std::string>& items);

}  // namespace ccm::ctl
