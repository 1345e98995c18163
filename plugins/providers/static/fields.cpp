#include "fields.hpp"

#include <algorithm>
#include <utility>

namespace ccm::static_provider {

using nlohmann::json;

std::string place_of_item(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

Fields::Fields(const json& value, std::string place, std::initializer_list<std::string> known)
    : value_(value), place_(std::move(place)) {
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  if (!value.is_object()) {
    throw ConfigurationFault((place_.empty() ? "" : place_ + ": ") + "a map is wanted, with " +
                             names);
  }
  for (const auto& [name, member] : value.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    refuse(name, "unknown; known are " + names);
  }
}

std::string Fields::place_of(const std::string& name) const {
  return place_.empty() ? name : place_ + "." + name;
}

void Fields::refuse(const std::string& name, const std::string& why) const {
  throw ConfigurationFault(place_of(name) + ": " + why);
}

bool Fields::has(const std::string& name) const {
  return value_.contains(name) && !value_.at(name).is_null();
}

std::string Fields::text(const std::string& name) const {
  if (!has(name)) return {};
  const json& member = value_.at(name);
  if (!member.is_string()) refuse(name, "a text is wanted; write it in quotes");
  return member.get<std::string>();
}

std::string Fields::required_text(const std::string& name) const {
  std::string found = text(name);
  if (found.empty()) refuse(name, "missing");
  return found;
}

bool Fields::flag(const std::string& name, bool otherwise) const {
  if (!has(name)) return otherwise;
  const json& member = value_.at(name);
  if (!member.is_boolean()) refuse(name, "true or false is wanted");
  return member.get<bool>();
}

std::vector<json> Fields::list(const std::string& name) const {
  if (!has(name)) return {};
  const json& member = value_.at(name);
  if (!member.is_array()) refuse(name, "a list is wanted");
  return member.get<std::vector<json>>();
}

json Fields::map(const std::string& name) const {
  if (!has(name)) return json::object();
  const json& member = value_.at(name);
  if (!member.is_object()) refuse(name, "a map is wanted");
  return member;
}

}  // namespace ccm::static_provider
