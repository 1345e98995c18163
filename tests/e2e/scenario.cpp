#include "scenario.hpp"

#include "support/file.hpp"
#include "support/yaml.hpp"

#include <algorithm>
#include <regex>
#include <stdexcept>

namespace ccm::e2e {
namespace {

using nlohmann::json;

void check_keys(const json& map, const std::vector<std::string>& known, const std::string& where) {
  if (!map.is_object()) throw std::runtime_error(where + " must be a map");
  for (const auto& [key, value] : map.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw std::runtime_error(where + " has no key \"" + key + "\"");
    }
  }
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

json replaced(const json& value, const std::string& from, const std::string& to) {
  if (value.is_string()) {
    std::string text = value;
    replace_all(text, from, to);
    return text;
  }
  json result = value;
  if (value.is_structured()) {
    for (json& member : result) member = replaced(member, from, to);
  }
  return result;
}

// "${N BYTES}" is a text of N bytes: objects near the limits of a server would fill the file.
json filled(const json& value) {
  if (value.is_string()) {
    static const std::regex form(R"(\$\{(\d+) BYTES\})");
    std::smatch size;
    const std::string text = value;
    return std::regex_match(text, size, form) ? json(std::string(std::stoul(size[1]), 'x')) : value;
  }
  json result = value;
  if (value.is_structured()) {
    for (json& member : result) member = filled(member);
  }
  return result;
}

Scenario parse(const std::filesystem::path& file) {
  const json document = support::parse_yaml(support::read_file(file));
  check_keys(document, {"facts", "about", "cloud", "objects", "files", "manager", "steps"},
             "a scenario");
  Scenario result;
  result.file = file;
  result.facts = document.at("facts").get<std::vector<std::string>>();
  result.about = document.at("about");
  result.cloud = document.value("cloud", json::object());
  result.objects = document.value("objects", json::array());
  result.files = document.value("files", json::object());
  result.manager = document.value("manager", json::object());
  result.steps = document.at("steps");
  check_keys(result.cloud,
             {"machines", "generate", "loadBalancers", "routes", "settings", "faults"}, "cloud");
  check_keys(result.manager, {"flags", "controllers", "arguments", "proxy", "start"}, "manager");
  for (const json& step : result.steps) {
    if (!step.is_object() || step.size() != 1) {
      throw std::runtime_error("a step is a map with one key, not " + step.dump());
    }
  }
  return result;
}

}  // namespace

Scenario read_scenario(const std::filesystem::path& file) {
  try {
    return parse(file);
  } catch (const std::exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

std::vector<json> expand(const json& list) {
  std::vector<json> result;
  for (const json& entry : list) {
    if (!entry.contains("repeat")) {
      result.push_back(filled(entry));
      continue;
    }
    check_keys(entry, {"repeat", "object"}, "a repeated object");
    for (int i = 0; i < entry.at("repeat").get<int>(); ++i) {
      result.push_back(replaced(entry.at("object"), "{i}", std::to_string(i)));
    }
  }
  return result;
}

json substitute(const json& value, const std::vector<std::pair<std::string, std::string>>& names) {
  json result = value;
  for (const auto& [name, text] : names) result = replaced(result, "${" + name + "}", text);
  return result;
}

}  // namespace ccm::e2e
