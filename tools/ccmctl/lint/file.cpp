#include "file.hpp"

#include "kube/yaml_fields.hpp"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <utility>

namespace ccm::ctl {
namespace {

using kube::yaml_member;
using kube::yaml_members;

std::string text_of(const YAML::Node& node) {
  return node && node.IsScalar() ? node.Scalar() : std::string();
}

// A plain scalar that the core schema reads as another type.
bool reads_as_string(const YAML::Node& node) {
  if (!node.IsScalar()) return false;
  if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") return true;  // in quotes
  const std::string& text = node.Scalar();
  for (const char* word : {"", "~", "null", "Null", "NULL", "true", "True", "TRUE", "false",
                           "False", "FALSE", "yes", "Yes", "no", "No", "on", "On", "off", "Off"}) {
    if (text == word) return false;
  }
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  return stop != end || fault == std::errc::invalid_argument;
}

ManifestService read_service(const YAML::Node& object) {
  ManifestService service;
  const YAML::Node metadata = yaml_member(object, "metadata");
  const YAML::Node spec = yaml_member(object, "spec");
  service.name = text_of(yaml_member(metadata, "name"));
  service.namespace_name = text_of(yaml_member(metadata, "namespace"));
  for (const auto& [name, value] : yaml_members(yaml_member(metadata, "annotations"))) {
    service.annotations[name] = {text_of(value), reads_as_string(value)};
  }
  if (const std::string type = text_of(yaml_member(spec, "type")); !type.empty()) {
    service.type = type;
  }
  const YAML::Node ports = yaml_member(spec, "ports");
  if (!ports || !ports.IsSequence()) return service;
  for (const YAML::Node& port : ports) {
    const std::string text = text_of(yaml_member(port, "port"));
    int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    service.ports.push_back(number);
  }
  return service;
}

void add_object(const YAML::Node& object, LintFile& file) {
  if (!object || !object.IsMap()) return;
  const std::string kind = text_of(yaml_member(object, "kind"));
  const YAML::Node items = yaml_member(object, "items");
  if (kind.ends_with("List") && items && items.IsSequence()) {
    for (const YAML::Node& item : items) add_object(item, file);
  } else if (kind == "Service" && text_of(yaml_member(object, "apiVersion")) == "v1") {
    file.services.push_back({read_service(object), static_cast<size_t>(object.Mark().line + 1)});
  }
}

}  // namespace

LintFile read_services(const std::string& text) {
  LintFile file;
  try {
    for (const YAML::Node& document : YAML::LoadAll(text)) add_object(document, file);
  } catch (const YAML::Exception& error) {
    file.fault = "line " + std::to_string(error.mark.line + 1) + ": " + error.msg;
  }
  return file;
}

}  // namespace ccm::ctl
