#include "cloud_config.hpp"

#include <ccm/json.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace sandbox {
namespace {

using ccm::Code;
using ccm::ErrorClass;
using ccm::Status;
using nlohmann::json;

Status wrong(const std::string& what) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec, "--cloud-config: " + what)
      .with_reason("InvalidCloudConfig");
}

// A text member; empty when it is missing. Failure when it is something else.
ccm::Result<std::string> text_member(const json& object, const char* name) {
  const auto place = object.find(name);
  if (place == object.end()) return std::string();
  if (!place->is_string()) return wrong(std::string("\"") + name + "\" must be a text");
  return place->get<std::string>();
}

bool is_http_url(std::string_view url) {
  const bool plain = url.starts_with("http://");
  if (!plain && !url.starts_with("https://")) return false;
  url.remove_prefix(plain ? 7 : 8);
  return !url.empty() && url.front() != '/' && url.find_first_of(" \t\r\n?#") == url.npos;
}

ccm::Result<CloudConfig> read_members(const json& document) {
  CloudConfig config;
  for (const auto& [name, target] :
       {std::pair("endpoint", &config.endpoint), std::pair("token", &config.token),
        std::pair("machines_file", &config.machines_file)}) {
    auto text = text_member(document, name);
    if (!text.ok()) return text.status();
    *target = *std::move(text);
  }
  return config;
}

}  // namespace

ccm::Result<CloudConfig> parse_cloud_config(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return wrong(
        "is empty; name a file with {\"endpoint\": ..., \"token\": ...} or "
        "{\"machines_file\": ...}");
  }
  const ccm::Result<json> document = ccm::read_json(text);
  if (!document.ok() || !document->is_object()) return wrong("is not a JSON object");
  for (const auto& [name, value] : document->items()) {
    if (name != "endpoint" && name != "token" && name != "machines_file") {
      return wrong("unknown field \"" + name + "\"; known are endpoint, token, machines_file");
    }
  }
  auto config = read_members(*document);
  if (!config.ok()) return config;
  if (!config->machines_file.empty()) {
    if (!config->endpoint.empty() || !config->token.empty()) {
      return wrong("\"machines_file\" excludes \"endpoint\" and \"token\"");
    }
    return config;
  }
  if (!is_http_url(config->endpoint)) {
    return wrong("\"endpoint\" must be an http or https URL such as http://127.0.0.1:8080");
  }
  if (config->token.empty()) return wrong("\"token\" is missing");
  if (std::any_of(config->token.begin(), config->token.end(),
                  [](unsigned char c) { return c <= 0x20 || c == 0x7F; })) {
    return wrong("\"token\" holds spaces or control characters");
  }
  while (config->endpoint.ends_with('/')) config->endpoint.pop_back();
  return config;
}

}  // namespace sandbox
