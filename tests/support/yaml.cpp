#include "support/yaml.hpp"

#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include <stdexcept>

namespace ccm::support {
namespace {

using nlohmann::json;

json convert_scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  // yaml-cpp marks quoted scalars with the non-specific tag "!".
  if (node.Tag() == "!") return text;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  // Decimal numbers only: what JSON accepts as a number is one, everything else is text.
  const json number = json::parse(text, nullptr, false);
  if (number.is_number()) return number;
  return text;
}

json convert(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return convert_scalar(node);
    case YAML::NodeType::Sequence: {
      json list = json::array();
      for (const YAML::Node& item : node) list.push_back(convert(item));
      return list;
    }
    case YAML::NodeType::Map: {
      json map = json::object();
      for (const auto& entry : node) {
        const std::string key = entry.first.Scalar();
        if (map.contains(key)) throw std::runtime_error("key \"" + key + "\" appears twice");
        map[key] = convert(entry.second);
      }
      return map;
    }
    default:
      return nullptr;
  }
}

}  // namespace

json parse_yaml(const std::string& text) {
  try {
    return convert(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    throw std::runtime_error(error.what());
  }
}

}  // namespace ccm::support
