#include "yaml_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ccm::ctl {
namespace {

using nlohmann::ordered_json;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Whether any reader of YAML takes the bare text for a string.
bool may_stand_bare(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kWords{"true", "false", "yes",  "no",
                                                          "on",   "off",   "null", "y"};
  const bool letter =
      !text.empty() && is_alphanumeric(text.front()) && (text.front() < '0' || text.front() > '9');
  const bool word = text.size() < 6 && std::any_of(kWords.begin(), kWords.end(), [&](auto known) {
                      return std::equal(text.begin(), text.end(), known.begin(), known.end(),
                                        [](char a, char b) { return (a | 0x20) == b; });
                    });
  return letter && !word && text != "n" && text != "N" && text.back() != ':' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '/';
         });
}

std::string json_text(const ordered_json& value) {
  return value.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

std::string scalar(const ordered_json& value) {
  if (value.is_string() && may_stand_bare(value.get_ref<const std::string&>())) {
    return value.get<std::string>();
  }
  return json_text(value);
}

bool is_flow(const ordered_json& list) {
  return std::none_of(list.begin(), list.end(),
                      [](const ordered_json& item) { return item.is_structured(); });
}

std::string flow(const ordered_json& list) {
  std::string text;
  for (const ordered_json& item : list) {
    text += (text.empty() ? "" : ", ") + (item.is_string() ? json_text(item) : scalar(item));
  }
  std::string result = "[";
  result += text;
  result += "]";
  return result;
}

void write_members(const ordered_json& object, const std::string& indent, std::string& out);

void write_list(const ordered_json& list, const std::string& indent, std::string& out) {
  for (const ordered_json& item : list) {
    if (!item.is_object() || item.empty()) {
      out += indent + "- " + (item.is_array() ? flow(item) : scalar(item)) + "\n";
      continue;
    }
    if (const auto comment = item.find(kComment); comment != item.end()) {
      out += indent + "# " + comment->get<std::string>() + "\n";
    }
    std::string members;
    write_members(without_comments(item), indent + "  ", members);
    members.replace(indent.size(), 1, "-");
    out += members;
  }
}

void write_members(const ordered_json& object, const std::string& indent, std::string& out) {
  if (const auto comment = object.find(kComment); comment != object.end()) {
    out += indent + "# " + comment->get<std::string>() + "\n";
  }
  for (const auto& [key, value] : object.items()) {
    if (key == kComment) continue;
    out += indent + scalar(key) + ":";
    if (value.is_array() && !is_flow(value)) {
      out += "\n";
      write_list(value, indent + "  ", out);
    } else if (value.is_object() && !value.empty()) {
      out += "\n";
      write_members(value, indent + "  ", out);
    } else {
      out += " " + (value.is_array() ? flow(value) : scalar(value)) + "\n";
    }
  }
}

}  // namespace

std::string to_yaml(const ordered_json& object) {
  std::string text;
  write_members(object, "", text);
  return text.empty() ? "{}\n" : text;
}

ordered_json without_comments(const ordered_json& value) {
  if (!value.is_structured()) return value;
  ordered_json bare = value.is_array() ? ordered_json::array() : ordered_json::object();
  for (const auto& [key, member] : value.items()) {
    if (value.is_array()) {
      bare.push_back(without_comments(member));
    } else if (key != kComment) {
      bare[key] = without_comments(member);
    }
  }
  return bare;
}

}  // namespace ccm::ctl
