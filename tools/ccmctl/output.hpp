// How ccmctl prints: aligned columns, or JSON.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace ccm::ctl {

enum class Format { table, json };

// Adds "-o, --output table|json".
void add_format(CLI::App& command, Format& format);

// Rows of cells, columns as wide as their widest cell, two spaces between them, none at a line's
// end.
std::string align(const std::vector<std::vector<std::string>>& rows);

// Cells that come from a file may hold anything: control characters become '?', so that a manifest
// cannot steer the terminal.
std::string printable(std::string_view text);

// "a, b"; "-" when there is none.
std::string join(const std::vector<std::string>& items);

}  // namespace ccm::ctl
