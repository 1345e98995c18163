// The text of --help.
#include "app/flags/flag_set.hpp"

#include <algorithm>

namespace ccm::app {
namespace {

constexpr std::size_t kIndent = 16;

// Appends `text` in lines of at most `width` columns, each indented; its own newlines stay.
void append_wrapped(std::string& out, std::string_view text, std::size_t width) {
  const std::size_t room = width > kIndent + 20 ? width - kIndent : 20;
  while (!text.empty()) {
    std::size_t length = std::min(text.find('\n'), text.size());
    if (length > room) {
      const std::size_t space = text.substr(0, room + 1).rfind(' ');
      length = space == std::string_view::npos || space == 0 ? std::min(text.find(' '), text.size())
                                                             : space;
    }
    out.append(kIndent, ' ').append(text.substr(0, length)).append("\n");
    text.remove_prefix(std::min(length + 1, text.size()));
  }
}

// Defaults that say nothing are not shown, nor those that the usage explains.
bool is_empty_default(const Flag& flag) {
  if (flag.usage.find("If unset, ") != std::string::npos) return true;
  const std::string& text = flag.default_text;
  return text.empty() || (flag.value->type() == "bool" && text == "false") ||
         (flag.value->type() == "int" && text == "0") || text == "0s";
}

void append_flag(std::string& out, const Flag& flag, std::size_t width) {
  out += flag.shorthand == 0 ? "      --" : std::string("  -") + flag.shorthand + ", --";
  out += flag.name;
  const std::string_view type = flag.value->type();
  if (type == "bool") {
    if (!is_empty_default(flag)) out += "[=true|false]";
  } else if (!flag.value->implied().empty()) {
    out.append("[=").append(type).append("]");
  } else {
    out.append(" ").append(type);
  }
  out += "\n";
  std::string usage = flag.usage;
  if (!is_empty_default(flag)) {
    const bool quoted = type == "string";
    usage += quoted ? " (default \"" + flag.default_text + "\")"
                    : " (default " + flag.default_text + ")";
  }
  append_wrapped(out, usage, width);
}

}  // namespace

std::string FlagSet::help(std::size_t width) const {
  std::string out;
  const std::string* section = nullptr;
  for (const Flag* flag : sorted()) {
    if (!flag->deprecated.empty()) continue;
    if (section == nullptr || *section != flag->section) {
      out += "\n" + flag->section + ":\n\n";
      section = &flag->section;
    }
    append_flag(out, *flag, width);
  }
  return out;
}

}  // namespace ccm::app
