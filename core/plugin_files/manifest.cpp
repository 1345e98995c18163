#include "plugin_files/manifest.hpp"

#include "base/duration.hpp"
#include "plugin_files/manifest_reader.hpp"

#include <ccm/abi/config.h>
#include <ccm/abi/controller.h>
#include <ccm/abi/crypto.h>
#include <ccm/abi/ctx.h>
#include <ccm/abi/event.h>
#include <ccm/abi/file.h>
#include <ccm/abi/hint.h>
#include <ccm/abi/http.h>
#include <ccm/abi/http_client.h>
#include <ccm/abi/instances.h>
#include <ccm/abi/kube.h>
#include <ccm/abi/leader.h>
#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/log.h>
#include <ccm/abi/metrics.h>
#include <ccm/abi/object.h>
#include <ccm/abi/queue.h>
#include <ccm/abi/routes.h>
#include <ccm/abi/timer.h>
#include <ccm/abi/worker.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <set>
#include <utility>

namespace ccm::plugin_files {
using nlohmann::json;

namespace {

using Presence = ManifestReader::Presence;

// A manifest has some kilobytes; larger texts are refused.
constexpr size_t kMaxManifestBytes = 1U << 20;
constexpr int64_t kMaxParallel = 1024;

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// MAJOR.MINOR.PATCH, then Semantic Versioning's optional parts.
bool is_version(std::string_view text) {
  const size_t end = std::min(text.find_first_of("-+"), text.size());
  std::string_view numbers = text.substr(0, end);
  for (int i = 0; i < 2; ++i) {
    const size_t dot = numbers.find('.');
    if (dot == std::string_view::npos || !is_number(numbers.substr(0, dot))) return false;
    numbers.remove_prefix(dot + 1);
  }
  if (!is_number(numbers)) return false;
  const std::string_view rest = text.substr(end);
  return rest.size() != 1 && std::all_of(rest.begin(), rest.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '.' || c == '-' || c == '+';
         });
}

// "ccm.host.http_client/1": an underscore joins words as a dash does.
bool is_interface_id(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  std::string name(text.substr(0, slash));
  std::replace(name.begin(), name.end(), '_', '-');
  return is_plugin_id(name) && is_number(text.substr(slash + 1));
}

void check_interfaces(ManifestReader& reader, const char* field,
                      const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    if (!is_interface_id(id)) {
      reader.fault(field, "\"" + id + "\" is no interface id such as ccm.host.log/1");
    }
  }
}

void read_abi(ManifestReader& reader, Manifest& manifest) {
  const std::string text = reader.string("abi", Presence::required);
  if (text.empty()) return;
  const size_t dot = text.find('.');
  const std::string_view view = text;
  if (dot == std::string::npos || !is_number(view.substr(0, dot)) ||
      !is_number(view.substr(dot + 1))) {
    reader.fault("abi", "must be MAJOR.MINOR such as \"1.0\", not \"" + text + "\"");
    return;
  }
  std::from_chars(text.data(), text.data() + dot, manifest.abi_major);
  std::from_chars(text.data() + dot + 1, text.data() + text.size(), manifest.abi_minor);
}

void read_names(ManifestReader& reader, Component& component) {
  component.name = reader.string("name", Presence::required);
  if (!component.name.empty() && !is_name(component.name)) {
    reader.fault("name", "\"" + component.name + "\" must be of a-z, 0-9 and single dashes");
  }
  component.aliases = reader.strings("aliases");
  for (const std::string& alias : component.aliases) {
    if (!is_name(alias) || alias == component.name) {
      reader.fault("aliases",
                   "\"" + alias + "\" must be of a-z, 0-9 and single dashes, and not the name");
    }
  }
  component.client_name = reader.string("clientName");
  if (component.client_name.empty()) component.client_name = component.name;
  // It becomes a word of the user agent and the name of a service account.
  if (!component.client_name.empty() && !is_name(component.client_name)) {
    reader.fault("clientName", "must be of a-z, 0-9 and single dashes");
  }
}

void read_kind(ManifestReader& reader, Component& component) {
  const std::string kind = reader.string("kind", Presence::required);
  if (kind == "provider") {
    component.kind = ComponentKind::provider;
  } else if (!kind.empty() && kind != "controller") {
    reader.fault("kind", "\"" + kind + "\" is not one of controller, provider");
  }
}

Component read_component(const json& value, const std::string& path, ManifestReport& findings) {
  ManifestReader reader(value, path, findings);
  Component component;
  read_kind(reader, component);
  read_names(reader, component);
  component.enabled_by_default = reader.boolean("enabledByDefault", true);
  component.interfaces = reader.strings("interfaces");
  check_interfaces(reader, "interfaces", component.interfaces);
  component.provider_id_prefixes = reader.strings("providerIDPrefixes");
  if (component.kind == ComponentKind::controller) {
    if (!component.provider_id_prefixes.empty()) {
      reader.fault("providerIDPrefixes", "is for providers only");
    }
  } else if (!component.aliases.empty()) {
    reader.fault("aliases", "is for controllers only");
  }
  for (const std::string& prefix : component.provider_id_prefixes) {
    if (prefix.size() < 4 || !prefix.ends_with("://")) {
      reader.fault("providerIDPrefixes", "\"" + prefix + "\" must look like \"cloud://\"");
    }
  }
  reader.finish();
  return component;
}

RbacRule read_rule(const json& value, const std::string& path, ManifestReport& findings) {
  ManifestReader reader(value, path, findings);
  RbacRule rule;
  rule.api_groups = reader.strings("apiGroups", Presence::required);
  rule.resources = reader.strings("resources", Presence::required);
  rule.verbs = reader.strings("verbs", Presence::required);
  rule.resource_names = reader.strings("resourceNames");
  rule.optional = reader.boolean("optional", false);
  rule.controllers = reader.strings("controllers");
  reader.finish();
  return rule;
}

// By its name: what runs is known by names, not by aliases, and by plugin.
void check_rule_controllers(const Manifest& manifest, ManifestReport& findings) {
  if (!findings.faults.empty()) return;  // it may be one that could not be read
  for (std::size_t i = 0; i < manifest.rbac.size(); ++i) {
    for (const std::string& name : manifest.rbac[i].controllers) {
      const bool own = std::ranges::any_of(manifest.components, [&](const Component& component) {
        return component.kind == ComponentKind::controller && component.name == name;
      });
      if (own) continue;
      findings.faults.push_back("rbac[" + std::to_string(i) + "].controllers: \"" + name +
                                "\" is no controller of this plugin");
    }
  }
}

CacheRead read_cache_read(const json& value, const std::string& path, ManifestReport& findings) {
  ManifestReader reader(value, path, findings);
  CacheRead read;
  read.resource = reader.string("resource", Presence::required);
  const auto slashes = std::count(read.resource.begin(), read.resource.end(), '/');
  if (!read.resource.empty() && (slashes < 1 || slashes > 2 || read.resource.back() == '/')) {
    reader.fault("resource", "\"" + read.resource +
                                 "\" must look like \"v1/nodes\" or \"GROUP/VERSION/PLURAL\"");
  }
  read.fields = reader.strings("fields", Presence::required);
  for (const std::string& field : read.fields) {
    if (!field.starts_with('/')) {
      reader.fault("fields", "\"" + field + "\" must be a JSON pointer such as \"/spec/taints\"");
    }
  }
  reader.finish();
  return read;
}

// To list and to watch it.
RbacRule rule_of(const CacheRead& read) {
  const auto version = read.resource.find('/');
  const auto plural = read.resource.rfind('/');
  RbacRule rule;
  rule.api_groups = {version == plural ? std::string() : read.resource.substr(0, version)};
  rule.resources = {read.resource.substr(plural + 1)};
  rule.verbs = {"list", "watch"};
  return rule;
}

// Names and aliases share one list for each kind, because users type either.
void check_unique_names(const Manifest& manifest, ManifestReport& findings) {
  std::set<std::pair<ComponentKind, std::string>> seen;
  for (size_t i = 0; i < manifest.components.size(); ++i) {
    const Component& component = manifest.components[i];
    for (const std::string& name : component.names()) {
      if (!seen.emplace(component.kind, name).second && !name.empty()) {
        findings.faults.push_back("components[" + std::to_string(i) + "]: the name \"" + name +
                                  "\" is already taken by another component");
      }
    }
  }
}

void read_identity(ManifestReader& reader, Manifest& manifest) {
  manifest.id = reader.string("id", Presence::required);
  if (!manifest.id.empty() && !is_plugin_id(manifest.id)) {
    reader.fault("id", "\"" + manifest.id +
                           "\" must be of a-z, 0-9, single dots and dashes, at most 128 long");
  }
  manifest.version = reader.string("version", Presence::required);
  if (!manifest.version.empty() && !is_version(manifest.version)) {
    reader.fault("version", "\"" + manifest.version + "\" must be MAJOR.MINOR.PATCH");
  }
  manifest.vendor = reader.string("vendor");
  manifest.description = reader.string("description");
  manifest.language = reader.string("language");
}

// Hosts before this one did not look at it, so a fault in it keeps no plugin from being loaded.
void read_annotation_table(const json& value, Manifest& manifest, ManifestReport& findings) {
  ManifestReport own;
  AnnotationTable table = read_service_annotations(value, own);
  if (own.faults.empty()) manifest.service_annotations = std::move(table);
  for (const std::string& fault : own.faults) {
    findings.warnings.push_back(fault + "; no annotation is checked");
  }
  std::move(own.warnings.begin(), own.warnings.end(), std::back_inserter(findings.warnings));
}

Manifest read_manifest(const json& document, ManifestReport& findings) {
  ManifestReader reader(document, "", findings);
  Manifest manifest;
  read_identity(reader, manifest);
  read_abi(reader, manifest);
  manifest.nonblocking = reader.boolean("nonblocking", false);
  manifest.max_parallel = static_cast<uint32_t>(reader.integer("maxParallel", 1, 1, kMaxParallel));
  manifest.needs = reader.strings("needs");
  check_interfaces(reader, "needs", manifest.needs);
  reader.each("components", Presence::required, [&](const json& value, const std::string& path) {
    manifest.components.push_back(read_component(value, path, findings));
  });
  check_unique_names(manifest, findings);
  manifest.options = read_options(reader, findings);
  reader.each("rbac", Presence::optional, [&](const json& value, const std::string& path) {
    manifest.rbac.push_back(read_rule(value, path, findings));
  });
  reader.each("reads", Presence::optional, [&](const json& value, const std::string& path) {
    const std::size_t faults = findings.faults.size();
    manifest.reads.push_back(read_cache_read(value, path, findings));
    if (findings.faults.size() == faults) manifest.rbac.push_back(rule_of(manifest.reads.back()));
  });
  if (const json* table = reader.any("serviceAnnotations"); table != nullptr) {
    read_annotation_table(*table, manifest, findings);
  }
  check_rule_controllers(manifest, findings);
  (void)reader.any("cloudPermissions");  // for `ccmctl permissions`, which reads it
  reader.finish();
  return manifest;
}

// The parser keeps the last of two members with one name; a reader of the text may see the first.
class DuplicateMembers {
 public:
  explicit DuplicateMembers(ManifestReport& findings) : findings_(findings) {}

  bool operator()(int /*depth*/, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event == json::parse_event_t::key) {
      const auto name = parsed.get<std::string>();
      if (!open_.back().insert(name).second) {
        findings_.faults.push_back("the member \"" + name + "\" occurs twice in one object");
      }
    }
    return true;
  }

 private:
  ManifestReport& findings_;
  std::vector<std::set<std::string>> open_;
};

}  // namespace

std::string_view to_string(ComponentKind kind) {
  return kind == ComponentKind::provider ? "provider" : "controller";
}

std::vector<std::string> Component::names() const {
  std::vector<std::string> names = aliases;
  names.push_back(name);
  return names;
}

const Component* Manifest::find(ComponentKind kind, std::string_view name) const {
  for (const Component& component : components) {
    const std::vector<std::string> names = component.names();
    const bool named = std::find(names.begin(), names.end(), name) != names.end();
    if (component.kind == kind && named) return &component;
  }
  return nullptr;
}

ManifestReport parse_manifest(std::string_view text) {
  ManifestReport report;
  if (text.size() > kMaxManifestBytes) {
    report.faults.emplace_back("the manifest is larger than 1 MiB");
    return report;
  }
  try {
    const json document = json::parse(text, DuplicateMembers(report));
    Manifest manifest = read_manifest(document, report);
    if (report.faults.empty()) report.manifest = std::move(manifest);
  } catch (const json::exception& error) {
    // Its text starts with "[json.exception.parse_error.101] ", which says nothing to an author.
    const std::string_view what = error.what();
    const size_t start = what.find("] ");
    report.faults.push_back(
        "the manifest is not valid JSON: " +
        std::string(start == std::string_view::npos ? what : what.substr(start + 2)));
  }
  return report;
}

// Reads the "options" of a manifest: the plugin's flags.

namespace {

struct TypeTexts {
  OptionType type;
  std::string_view name;
  const char* default_value;
  const char* expectation;
};
constexpr std::array<TypeTexts, 5> kTypes{
    {{OptionType::string, "string", "", "must be a string"},
     {OptionType::boolean, "boolean", "false", "must be true or false"},
     {OptionType::integer, "integer", "0", "must be an integer"},
     {OptionType::duration, "duration", "0s", "must be a duration such as \"30s\" or \"1h5m\""},
     {OptionType::string_array, "stringArray", "", "must be an array of strings without commas"}}};

const TypeTexts& texts_of(OptionType type) {
  return *std::find_if(kTypes.begin(), kTypes.end(),
                       [type](const TypeTexts& known) { return known.type == type; });
}

bool is_variable_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::ranges::all_of(
      text, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
}

// One value as a flag's text; nullopt when the JSON value has another type than the option.
std::optional<std::string> text_of(const json& value, OptionType type) {
  switch (type) {
    case OptionType::string:
      if (value.is_string()) return value.get<std::string>();
      break;
    case OptionType::boolean:
      if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
      break;
    case OptionType::integer:
      if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}) break;
      if (value.is_number_integer()) return std::to_string(value.get<int64_t>());
      break;
    case OptionType::duration:
      if (value.is_string() && parse_duration(value.get<std::string>())) {
        return value.get<std::string>();
      }
      break;
    case OptionType::string_array: {
      if (!value.is_array()) break;
      std::string joined;
      for (const json& element : value) {
        if (!element.is_string()) return std::nullopt;
        const auto text = element.get<std::string>();
        if (text.find(',') != std::string::npos) return std::nullopt;
        joined += (joined.empty() ? "" : ",") + text;
      }
      return joined;
    }
  }
  return std::nullopt;
}

// An integer as it is, a duration in nanoseconds.
std::optional<int64_t> number_of(const std::string& text, OptionType type) {
  if (type == OptionType::duration) {
    const auto duration = parse_duration(text);
    return duration ? std::optional<int64_t>(duration->count()) : std::nullopt;
  }
  if (type != OptionType::integer) return std::nullopt;
  return std::stoll(text);  // text_of made it
}

std::optional<int64_t> read_bound(ManifestReader& reader, const char* name, OptionType type) {
  const json* value = reader.any(name);
  if (value == nullptr) return std::nullopt;
  if (type != OptionType::integer && type != OptionType::duration) {
    reader.fault(name, "is for integers and durations only");
    return std::nullopt;
  }
  const auto text = text_of(*value, type);
  if (!text) {
    reader.fault(name, texts_of(type).expectation);
    return std::nullopt;
  }
  return number_of(*text, type);
}

void read_default(ManifestReader& reader, Option& option) {
  option.default_value = texts_of(option.type).default_value;
  const json* value = reader.any("default");
  if (value == nullptr) return;
  if (option.secret) {
    reader.fault("default", "is not for a secret, as everybody can read the manifest");
    return;
  }
  const auto text = text_of(*value, option.type);
  if (!text) {
    reader.fault("default", texts_of(option.type).expectation);
    return;
  }
  option.default_value = *text;
  const auto number = number_of(*text, option.type);
  if (number && ((option.minimum && *number < *option.minimum) ||
                 (option.maximum && *number > *option.maximum))) {
    reader.fault("default", "lies outside of minimum and maximum");
  }
  const auto allowed = [&option](const std::string& item) {
    return std::find(option.allowed.begin(), option.allowed.end(), item) != option.allowed.end();
  };
  if (option.allowed.empty()) return;
  if (option.type == OptionType::string && !allowed(*text)) {
    reader.fault("default", "is not one of enum");
  }
  if (option.type == OptionType::string_array) {
    for (const json& element : *value) {
      if (!allowed(element.get<std::string>())) {
        reader.fault("default", "holds \"" + element.get<std::string>() + "\", not one of enum");
      }
    }
  }
}

bool read_type(ManifestReader& reader, Option& option) {
  const std::string name = reader.string("type", ManifestReader::Presence::required);
  const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&name](const auto& known) { return known.name == name; });
  if (type == kTypes.end()) {
    if (!name.empty()) {
      reader.fault(
          "type", "\"" + name + "\" is not one of string, boolean, integer, duration, stringArray");
    }
    return false;
  }
  option.type = type->type;
  return true;
}

Option read_option(const std::string& name, const json& value, ManifestReport& findings) {
  ManifestReader reader(value, "options." + name, findings);
  Option option;
  option.name = name;
  option.description = reader.string("description", ManifestReader::Presence::required);
  option.environment = reader.string("environment");
  option.allowed = reader.strings("enum");
  option.secret = reader.boolean("secret", false);
  if (!option.environment.empty() && !is_variable_name(option.environment)) {
    reader.fault("environment", "must be a variable's name of A-Z, 0-9 and _");
  }
  if (read_type(reader, option)) {
    option.minimum = read_bound(reader, "minimum", option.type);
    option.maximum = read_bound(reader, "maximum", option.type);
    if (option.minimum && option.maximum && *option.minimum > *option.maximum) {
      reader.fault("minimum", "is above maximum");
    }
    if (!option.allowed.empty() && option.type != OptionType::string &&
        option.type != OptionType::string_array) {
      reader.fault("enum", "is for strings and lists of strings only");
    }
    read_default(reader, option);
  } else {
    for (const char* known : {"default", "minimum", "maximum"}) reader.any(known);
  }
  reader.finish();
  return option;
}

}  // namespace

std::string_view to_string(OptionType type) { return texts_of(type).name; }

std::vector<Option> read_options(ManifestReader& manifest, ManifestReport& findings) {
  std::vector<Option> options;
  const json* value = manifest.any("options");
  if (value == nullptr) return options;
  if (!value->is_object()) {
    manifest.fault("options", "must be an object of flag names");
    return options;
  }
  for (const auto& [name, option] : value->items()) {
    if (!is_name(name)) {
      manifest.fault("options", "\"" + name + "\" is no flag name: a-z, 0-9 and single dashes");
      continue;
    }
    options.push_back(read_option(name, option, findings));
  }
  return options;
}

std::span<const std::string_view> host_interfaces() {
  static constexpr std::array<std::string_view, 21> kIds{
      CCM_CLOUD_INSTANCES,  CCM_CLOUD_LOADBALANCERS,
      CCM_CLOUD_ROUTES,     CCM_HOST_CONFIG,
      CCM_HOST_CRYPTO,      CCM_HOST_CTX,
      CCM_HOST_EVENT,       CCM_HOST_FILE,
      CCM_HOST_HINT,        CCM_HOST_HTTP,
      CCM_HOST_HTTP_CLIENT, CCM_HOST_KUBE,
      CCM_HOST_LEADER,      CCM_HOST_LOG,
      CCM_HOST_METRICS,     CCM_HOST_OBJECT,
      CCM_HOST_POST,        CCM_HOST_QUEUE,
      CCM_HOST_SETUP,       CCM_HOST_TIMER,
      CCM_HOST_WORKER};
  return kIds;
}

}  // namespace ccm::plugin_files
