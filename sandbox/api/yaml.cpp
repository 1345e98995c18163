#include "api/yaml.hpp"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <stdexcept>

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

Json convert(const YAML::Node& node, int depth) {
  if (depth > kMaxDepth) throw std::invalid_argument("YAML is nested too deeply");
  if (node.IsScalar()) return scalar(node);
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const YAML::Node& item : node) list.push_back(convert(item, depth + 1));
    return list;
  }
  if (!node.IsMap()) return nullptr;
  Json object = Json::object();
  for (const auto& item : node) {
    if (!item.first.IsScalar()) throw std::invalid_argument("a YAML key has to be a string");
    object[item.first.Scalar()] = convert(item.second, depth + 1);
  }
  return object;
}

}  // namespace

Json parse_yaml(const std::string& text) {
  try {
    return convert(YAML::Load(text), 0);
  } catch (const YAML::Exception& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace sandbox
