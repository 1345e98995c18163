#include "openstack/normal_form.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <set>
#include <utility>

namespace ccm::openstack_contract {
namespace {

// Members that say nothing about the cloud's behaviour: what is in them is made up each time.
bool is_made_up(const std::string& name) {
  static const std::set<std::string> kNames = {"audit_ids",
                                               "created_at",
                                               "updated_at",
                                               "expires_at",
                                               "issued_at",
                                               "created",
                                               "updated",
                                               "hostId",
                                               "revision_number",
                                               "mac_address",
                                               "OS-EXT-IPS-MAC:mac_addr",
                                               "standard_attr_id"};
  return kNames.contains(name);
}

// A member of a new pool with a monitor is NO_MONITOR or OFFLINE, by what Octavia's API happens to
// have in memory. Nothing here reads it.
json settled(const std::string& name, const json& value) {
  return name == "operating_status" && value == "NO_MONITOR" ? json("OFFLINE") : value;
}

struct Pattern {
  std::regex regex;
  std::string replacement;
};

// In texts of any kind, messages too. The addresses are those of the subnets of contents.py.
const std::vector<Pattern>& patterns() {
  const auto flags = std::regex::ECMAScript | std::regex::optimize;
  static const std::vector<Pattern> kPatterns = {
      {std::regex("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", flags), "<id>"},
      {std::regex("\\b[0-9a-f]{32}\\b", flags), "<id>"},
      {std::regex("gAAAA[0-9A-Za-z_-]+", flags), "<token>"},
      {std::regex("\\b(10\\.10\\.0|10\\.20\\.0|203\\.0\\.113)\\.[0-9]+\\b(?!/)", flags), "<$1>"},
      {std::regex("\\bfd00:20::[0-9a-f:]+", flags), "<fd00:20>"},
      // OS-454
      {std::regex("\\b\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}(?![0-9Z+])", flags),
       "<time in microseconds without a zone>"},
  };
  return kPatterns;
}

}  // namespace

void NormalForm::name(const std::string& value, const std::string& name) {
  if (value.empty()) return;
  std::erase_if(names_, [&](const auto& known) {
    return known.first == value || known.second == "{" + name + "}";
  });
  names_.emplace_back(value, "{" + name + "}");
  std::stable_sort(names_.begin(), names_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

std::string NormalForm::of(const std::string& text) const {
  std::string out = text;
  for (const auto& [value, name] : names_) {
    for (size_t at = out.find(value); at != out.npos; at = out.find(value, at + name.size())) {
      out.replace(at, value.size(), name);
    }
  }
  for (const Pattern& pattern : patterns())
    out = std::regex_replace(out, pattern.regex, pattern.replacement);
  return out;
}

json NormalForm::of(const json& body) const {
  if (body.is_string()) return of(body.get<std::string>());
  if (body.is_array()) {
    std::vector<json> items;
    for (const json& item : body) items.push_back(of(item));
    std::sort(items.begin(), items.end());
    return items;
  }
  if (!body.is_object()) return body;
  json out = json::object();
  for (const auto& [name, value] : body.items()) {
    const bool made_up = is_made_up(name) && !value.is_null();
    out[of(name)] =
        made_up ? json(std::string("<") + value.type_name() + ">") : of(settled(name, value));
  }
  return out;
}

}  // namespace ccm::openstack_contract
