#include "output.hpp"

#include "base/text.hpp"

#include <ccm/shown_text.hpp>

#include <algorithm>
#include <map>

namespace ccm::ctl {

void add_format(CLI::App& command, Format& format) {
  static const std::map<std::string, Format> kFormats{{"table", Format::table},
                                                      {"json", Format::json}};
  command.add_option("-o,--output", format, "How to print: table or json")
      ->transform(CLI::CheckedTransformer(kFormats).description(""))
      ->type_name("FORMAT");
}

void add_format_with_junit(CLI::App& command, Format& format) {
  static const std::map<std::string, Format> kFormats{
      {"table", Format::table}, {"json", Format::json}, {"junit", Format::junit}};
  command.add_option("-o,--output", format, "How to print: table, json or junit")
      ->transform(CLI::CheckedTransformer(kFormats).description(""))
      ->type_name("FORMAT");
}

std::string align(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - row[i].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// C0 and C1, DEL, what turns around or hides other characters, and bytes that are not text: a
// terminal may take a lone byte for a C1 character.
std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_character(text).length;
    const auto first = static_cast<unsigned char>(text[0]);
    const bool c0 = length == 1 && (first < 0x20 || first == 0x7f);
    if (length == 0 || c0 || hidden_length(text) != 0) {
      result += '?';
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string join(const std::vector<std::string>& items) {
  std::string joined;
  for (const std::string& item : items) joined += (joined.empty() ? "" : ", ") + item;
  return joined.empty() ? "-" : joined;
}

}  // namespace ccm::ctl
