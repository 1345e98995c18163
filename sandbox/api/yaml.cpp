#include "api/yaml.hpp"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace sandbox {
namespace {

constexpr int kMaxDepth = 100;

Json scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  // yaml-cpp marks quoted scalars with the tag "!".
  if (node.Tag() == "!") return text;
  if (text.empty() || text == "~" || text == "null") return nullptr;
  if (text == "true") return true;
  if (text == "false") return false;
  const char* end = text.data() + text.size();
  long long integer = 0;
  auto whole = std::from_chars(text.data(), end, integer);
  if (whole.ec == std::errc() && whole.ptr == end) return integer;
  double number = 0;
  auto real = std::from_chars(text.data(), end, number);
  if (real.ec == std::errc() && real.ptr == end) return number;
  return text;
}

class Converter {
 public:
  Json convert(const YAML::Node& node, int depth) {
    if (depth > kMaxDepth) throw std::invalid_argument("YAML is nested too deeply");
    if (values_left_-- == 0) throw std::invalid_argument("YAML has too many values");
    if (node.IsScalar()) return scalar(node);
    if (node.IsSequence()) {
      Json list = Json::array();
      for (const YAML::Node& item : node) list.push_back(convert(item, depth + 1));
      return list;
    }
    return node.IsMap() ? map(node, depth) : Json();
  }

 private:
  // With the maps of a merge key (<<), which replace nothing.
  Json map(const YAML::Node& node, int depth) {
    Json object = Json::object();
    Json merged = Json::array();
    for (const auto& item : node) {
      if (!item.first.IsScalar()) throw std::invalid_argument("a YAML key has to be a string");
      Json value = convert(item.second, depth + 1);
      if (item.first.Scalar() != "<<" || item.first.Tag() == "!") {
        object[item.first.Scalar()] = std::move(value);
      } else if (value.is_array()) {
        for (Json& each : value) merged.push_back(std::move(each));
      } else {
        merged.push_back(std::move(value));
      }
    }
    for (Json& each : merged) {
      if (!each.is_object()) throw std::invalid_argument("the YAML key << merges maps only");
      for (auto& [name, value] : each.items()) object.emplace(name, std::move(value));
    }
    return object;
  }

  // Aliases make a short text a large tree, or one without an end.
  std::size_t values_left_ = 500'000;
};

}  // namespace

Json parse_yaml(const std::string& text) {
  try {
    return Converter().convert(YAML::Load(text), 0);
  } catch (const YAML::Exception& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace sandbox
