#include "schema.hpp"

#include <regex>
#include <utility>

namespace ccm::digitalocean_api {
namespace {

using nlohmann::json;

std::vector<std::string> segments(const std::string& path) {
  std::vector<std::string> parts;
  size_t begin = 1;
  while (begin <= path.size()) {
    const size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool fits_template(const std::string& pattern, const std::string& path) {
  const auto wanted = segments(pattern);
  const auto is = segments(path);
  if (wanted.size() != is.size()) return false;
  for (size_t i = 0; i < is.size(); ++i) {
    if (!wanted[i].starts_with('{') && wanted[i] != is[i]) return false;
  }
  return true;
}

// The description's lists of values that trail the product or the Go client (DO-61, DO-354).
bool open_list(const std::string& place) {
  return place.ends_with("/region") || place.ends_with("/slug") ||
         place.ends_with("/resource_type") || place.ends_with("/sizes");
}

bool has_type(const std::string& type, const json& value) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  return type != "number" || value.is_number();
}

}  // namespace

const json& Description::resolved(const json& schema) const {
  const json* found = &schema;
  while (found->is_object() && found->contains("$ref")) {
    found = &document_.at(json::json_pointer(found->at("$ref").get<std::string>().substr(1)));
  }
  return *found;
}

const json* Description::operation(const std::string& method, const std::string& path) const {
  std::string lower = method;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [pattern, methods] : document_.at("paths").items()) {
    if (!fits_template(pattern, path)) continue;
    const auto found = methods.find(lower);
    return found == methods.end() ? nullptr : &*found;
  }
  return nullptr;
}

std::vector<std::string> Description::check(const std::string& method, const std::string& path,
                                            const std::string& request_body, int status,
                                            const std::string& response_body) const {
  const json* described = operation(method, path);
  if (described == nullptr) return {method + " " + path + " is not described"};
  std::vector<std::string> faults;
  // A request that was refused need not be right.
  if (!request_body.empty() && status < 400 && described->contains("requestBody")) {
    const json& body = resolved(described->at("requestBody"));
    const json& schema = body.at("content").at("application/json").at("schema");
    valid(schema, json::parse(request_body), "request", faults);
  }
  const json& responses = described->at("responses");
  const std::string code = std::to_string(status);
  if (!responses.contains(code) && status < 400) {
    faults.push_back(method + " " + path + " is not answered with " + code);
    return faults;
  }
  const json& response = resolved(responses.at(responses.contains(code) ? code : "default"));
  if (response_body.empty() || !response.contains("content")) return faults;
  valid(response.at("content").at("application/json").at("schema"), json::parse(response_body),
        "answer", faults);
  return faults;
}

bool Description::valid(const json& reference, const json& value, const std::string& place,
                        std::vector<std::string>& faults) const {
  const json& schema = resolved(reference);
  if (value.is_null() && schema.value("nullable", false)) return true;
  const size_t before = faults.size();
  valid_combination(schema, value, place, faults);
  if (valid_type(schema, value, place, faults)) valid_members(schema, value, place, faults);
  return faults.size() == before;
}

bool Description::valid_combination(const json& schema, const json& value, const std::string& place,
                                    std::vector<std::string>& faults) const {
  for (const json& part : schema.value("allOf", json::array())) valid(part, value, place, faults);
  for (const char* kind : {"oneOf", "anyOf"}) {
    if (!schema.contains(kind)) continue;
    std::vector<std::string> inner;
    bool any = false;
    for (const json& part : schema.at(kind)) any = valid(part, value, place, inner) || any;
    if (!any) faults.push_back(place + " fits none of " + kind + ": " + inner.front());
  }
  return true;
}

bool Description::valid_type(const json& schema, const json& value, const std::string& place,
                             std::vector<std::string>& faults) const {
  const auto note = [&](const std::string& what) {
    faults.push_back(place + " " + what + ": " + value.dump().substr(0, 80));
    return false;
  };
  if (schema.contains("type") && !has_type(schema.at("type"), value)) {
    return note("is not of type " + schema.at("type").get<std::string>());
  }
  if (schema.contains("enum") && !open_list(place)) {
    bool listed = false;
    for (const json& allowed : schema.at("enum")) {
      // YAML reads the droplet's status "off" as a boolean.
      listed = listed || allowed == value || (allowed == false && value == "off");
    }
    if (!listed) return note("is no value of the list");
  }
  if (value.is_string() && schema.contains("pattern") &&
      !std::regex_search(value.get<std::string>(),
                         std::regex(schema.at("pattern").get<std::string>()))) {
    return note("does not fit the pattern");
  }
  if (value.is_number()) {
    if (schema.contains("minimum") && value < schema.at("minimum")) return note("is too small");
    if (schema.contains("maximum") && value > schema.at("maximum")) return note("is too large");
  }
  return true;
}

bool Description::valid_members(const json& schema, const json& value, const std::string& place,
                                std::vector<std::string>& faults) const {
  for (const json& name : schema.value("required", json::array())) {
    // The description wants ports also for icmp; the API does not (DO-351).
    const bool icmp = name == "ports" && value.value("protocol", "") == "icmp";
    if (value.is_object() && !value.contains(name) && !icmp) {
      faults.push_back(place + " lacks " + name.get<std::string>());
    }
  }
  if (value.is_object() && schema.contains("properties")) {
    for (const auto& [name, member] : schema.at("properties").items()) {
      if (value.contains(name)) valid(member, value.at(name), place + "/" + name, faults);
    }
  }
  if (value.is_array()) {
    if (schema.contains("minItems") && value.size() < schema.at("minItems")) {
      faults.push_back(place + " is too short");
    }
    for (const json& item : value) {
      if (schema.contains("items")) valid(schema.at("items"), item, place, faults);
    }
  }
  return true;
}

}  // namespace ccm::digitalocean_api
