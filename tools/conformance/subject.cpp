#include "subject.hpp"

#include <ccm/status.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

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
  for (const json& component : manifest.at("components")) {
    if (component.at("kind") != "provider") continue;
    subject.component = component.at("name");
    subject.interfaces = component.value("interfaces", std::vector<std::string>());
    subject.prefixes = component.value("providerIDPrefixes", std::vector<std::string>());
    return subject;
  }
  throw std::invalid_argument("the plugin has no provider; the cases are about providers");
}

bool Subject::lists(std::string_view interface) const {
  return std::find(interfaces.begin(), interfaces.end(), interface) != interfaces.end();
}

}  // namespace ccm::conformance
