// cloud.conf, the configuration of the OpenStack provider (plugins/providers/openstack/config).
// Input: the text of the file.
// Properties: what was read, written with every value in quotes, is read again as the same;
// messages are one line each, of a bounded length, and show no password; what is wrong has a line.
#include "fuzz.hpp"
#include "gcfg/gcfg.hpp"
#include "openstack/config/cloud_conf.hpp"

#include <string>

namespace ccm::fuzz {
namespace {

constexpr std::size_t kLongestMessage = 400;
constexpr std::string_view kPassword = "Ki8Rarely-typed";

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string written(const std::vector<GcfgSection>& sections) {
  std::string text;
  for (const auto& section : sections) {
    const std::string name = section.subsection.empty() ? "" : " " + in_quotes(section.subsection);
    text += "[" + section.name + name + "]\n";
    for (const auto& variable : section.variables) {
      text += variable.name + (variable.value ? " = " + in_quotes(*variable.value) : "") + "\n";
    }
  }
  return text;
}

void check_message(std::string_view line, std::string_view input) {
  require(line.find('\n') == line.npos, "a message is one line");
  const bool known_otherwise = input.find(kPassword) != input.npos;
  require(known_otherwise || line.find(kPassword) == line.npos, "no message shows a password");
}

void check_syntax(std::string_view text) {
  const auto sections = parse_gcfg(text);
  if (!sections.ok()) {
    require(sections.status().message().starts_with("line "), "a fault has its line");
    require(sections.status().message().size() <= text.size() + kLongestMessage, "and is short");
    return;
  }
  const std::string canonical = written(*sections);
  const auto again = parse_gcfg(canonical);
  require(again.ok(), "what was read can be written and read");
  require_equal(canonical, written(*again), "and is the same");
}

}  // namespace

void cloud_conf_target(std::string_view bytes) {
  const Exact text(bytes);
  check_syntax(text.view());
  const std::string with_password =
      std::string(bytes) + "\n[Global]\npassword = " + std::string(kPassword) + "\n";
  const auto conf = openstack::read_cloud_conf(with_password);
  if (!conf.ok()) return check_message(conf.status().message(), bytes);
  for (const std::string& warning : conf->warnings) check_message(warning, bytes);
}

}  // namespace ccm::fuzz
