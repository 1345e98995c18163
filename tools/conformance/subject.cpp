#include "subject.hpp"

#include <ccm/status.hpp>

#include <algorithm>

namespace ccm::conformance {
namespace {

using nlohmann::json;

// As the flag would be written.
std::string default_of(const json& option) {
  const json value = option.value("default", json());
  if (value.is_null()) return {};
  if (value.is_string()) return value;
  if (!value.is_array()) return value.dump();
  std::string joined;
  for (const json& item : value) {
    if (!joined.empty()) joined += ',';
    joined += item.get<std::string>();
  }
  return joined;
}

}  // namespace

Subject Subject::of(const ccm_plugin* plugin) {
  const auto manifest = json::parse(std::string(plugin->manifest.ptr, plugin->manifest.len));
  Subject subject;
  subject.plugin = plugin;
  subject.language = manifest.value("language", "");
  subject.needs = manifest.value("needs", std::vector<std::string>());
  const json options = manifest.value("options", json::object());
  for (const auto& [name, option] : options.items()) subject.flags[name] = default_of(option);
  const json reads = manifest.value("reads", json::array());
  for (const json& read : reads) {
    subject.reads[read.at("resource")] = read.at("fields").get<std::vector<std::string>>();
  }
  subject.rbac = manifest.value("rbac", json::array());
  for (const json& component : manifest.at("components")) {
    const bool provider = component.at("kind") == "provider";
    if (!provider) subject.controllers.push_back(component.at("name"));
    if (subject.has_provider || (!provider && !subject.component.empty())) continue;
    subject.has_provider = provider;
    subject.component = component.at("name");
    subject.interfaces = component.value("interfaces", std::vector<std::string>());
    subject.prefixes = component.value("providerIDPrefixes", std::vector<std::string>());
  }
  return subject;
}

bool Subject::lists(std::string_view interface) const {
  return std::find(interfaces.begin(), interfaces.end(), interface) != interfaces.end();
}

}  // namespace ccm::conformance
