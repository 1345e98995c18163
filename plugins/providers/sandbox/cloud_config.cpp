#include "cloud_config.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace sandbox {
namespace {

ccm::Status wrong(const std::string& what) {
  return ccm::Status(
      ccm::Code::invalid_argument, ccm::ErrorClass::invalid_spec,
      "--cloud-config of the sandbox provider: " + what +
          R"(; it takes {"endpoint":"http://HOST:PORT","token":"..."} or {"machines_file":"PATH"})");
}

}  // namespace

ccm::Result<CloudConfig> parse_cloud_config(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return wrong("it is no JSON object");
  CloudConfig config;
  for (const auto& [key, value] : json.items()) {
    std::string* field = key == "endpoint"        ? &config.endpoint
                         : key == "token"         ? &config.token
                         : key == "machines_file" ? &config.machines_file
                                                  : nullptr;
    if (field == nullptr) return wrong("\"" + key + "\" is no field of it");
    if (!value.is_string()) return wrong("\"" + key + "\" must be a string");
    *field = value.get<std::string>();
  }
  if (config.endpoint.empty() == config.machines_file.empty()) {
    return wrong("it must have exactly one of \"endpoint\" and \"machines_file\"");
  }
  if (!config.endpoint.empty() && !config.endpoint.starts_with("http://") &&
      !config.endpoint.starts_with("https://")) {
    return wrong("\"endpoint\" must start with http:// or https://");
  }
  while (config.endpoint.ends_with('/')) config.endpoint.pop_back();
  return config;
}

}  // namespace sandbox
