#include "clouds.hpp"

#include "invalid_configuration.hpp"
#include "options.hpp"
#include "yaml/yaml.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

// A member of `auth`, and the option that says the same.
struct AuthOption {
  const char* member;
  const char* option;
  std::string GlobalSettings::*text;
};
struct SecretOption {
  const char* member;
  const char* option;
  Secret GlobalSettings::*secret;
};
using G = GlobalSettings;
constexpr AuthOption kAuthOptions[] = {
    {"auth_url", "auth-url", &G::auth_url},
    {"username", "username", &G::username},
    {"user_id", "user-id", &G::user_id},
    {"project_id", "tenant-id", &G::tenant_id},
    {"project_name", "tenant-name", &G::tenant_name},
    {"project_domain_id", "tenant-domain-id", &G::tenant_domain_id},
    {"project_domain_name", "tenant-domain-name", &G::tenant_domain_name},
    {"user_domain_id", "user-domain-id", &G::user_domain_id},
    {"user_domain_name", "user-domain-name", &G::user_domain_name},
    {"domain_id", "domain-id", &G::domain_id},
    {"domain_name", "domain-name", &G::domain_name},
    {"application_credential_id", "application-credential-id", &G::application_credential_id},
    {"application_credential_name", "application-credential-name", &G::application_credential_name},
};
constexpr SecretOption kSecretOptions[] = {
    {"password", "password", &G::password},
    {"token", "token", &G::token},
    {"application_credential_secret", "application-credential-secret",
     &G::application_credential_secret},
};

Status in_file(const char* file, const std::string& what) {
  return invalid_configuration(std::string(file) + ": " + what);
}

Result<json> read_file(const char* file, const std::string& text) {
  auto parsed = parse_yaml(text);
  if (!parsed.ok()) return parsed.status().with_context(file);
  if (parsed->is_null()) return json::object();
  if (!parsed->is_object()) return in_file(file, "is no map");
  return parsed;
}

// A map of maps; an absent one is empty.
Result<json> entries_of(const json& document, const char* file, const char* name) {
  const auto place = document.find(name);
  if (place == document.end() || place->is_null()) return json::object();
  if (!place->is_object()) return in_file(file, std::string(name) + " is no map");
  for (const auto& [key, entry] : place->items()) {
    if (!entry.is_object()) return in_file(file, std::string(name) + "." + key + " is no map");
  }
  return *place;
}

// A key of the file for a message: on one line.
std::string printable(std::string key) {
  std::replace_if(
      key.begin(), key.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return key;
}

bool is_empty_value(const json& value) {
  return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty());
}

// OS-59: lists are joined, and an empty value replaces nothing.
void merge_over(json& under, const json& over) {
  for (const auto& [name, value] : over.items()) {
    if (is_empty_value(value)) continue;
    json& place = under[name];
    if (place.is_object() && value.is_object()) {
      merge_over(place, value);
    } else if (place.is_array() && value.is_array()) {
      place.insert(place.end(), value.begin(), value.end());
    } else {
      place = value;
    }
  }
}

std::string names_of(const json& entries) {
  std::string names;
  for (const auto& [name, entry] : entries.items()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

Result<std::string> choose(const json& clouds, const std::string& wanted,
                           const std::string& os_cloud) {
  if (!wanted.empty() || !os_cloud.empty()) {
    const std::string& name = wanted.empty() ? os_cloud : wanted;
    if (clouds.contains(name)) return name;
    return in_file("clouds.yaml", std::string("there is no cloud ") + name + " as " +
                                      (wanted.empty() ? "$OS_CLOUD" : "[Global] cloud") +
                                      " names it, only: " + names_of(clouds));
  }
  if (clouds.size() == 1) return clouds.begin().key();
  if (clouds.empty()) return in_file("clouds.yaml", "has no clouds");
  return in_file("clouds.yaml",
                 "has several clouds: choose one by [Global] cloud: " + names_of(clouds));
}

// OS-58: the entry of `profile` lies below the cloud's own values.
Result<json> with_profile(json entry, const std::string& text) {
  for (const char* key : {"profile", "cloud"}) {
    const auto place = entry.find(key);
    if (place == entry.end() || !place->is_string()) continue;
    const std::string profile = place->get<std::string>();
    auto document = read_file("clouds-public.yaml", text);
    if (!document.ok()) return document;
    auto entries = entries_of(*document, "clouds-public.yaml", "public-clouds");
    if (!entries.ok()) return entries;
    if (!entries->contains(profile)) {
      return in_file("clouds-public.yaml", "there is no profile " + profile);
    }
    json merged = (*entries)[profile];
    merge_over(merged, entry);
    return merged;
  }
  return entry;
}

// The chosen cloud, with all files merged.
Result<json> entry_of(const CloudTexts& texts, const std::string& wanted,
                      const std::string& os_cloud) {
  auto document = read_file("clouds.yaml", texts.clouds);
  if (!document.ok()) return document;
  auto clouds = entries_of(*document, "clouds.yaml", "clouds");
  if (!clouds.ok()) return clouds;
  auto name = choose(*clouds, wanted, os_cloud);
  if (!name.ok()) return name.status();
  auto entry = with_profile((*clouds)[*name], texts.clouds_public);
  if (!entry.ok()) return entry;
  auto secure = read_file("secure.yaml", texts.secure);
  if (!secure.ok()) return secure;
  auto secrets = entries_of(*secure, "secure.yaml", "clouds");
  if (!secrets.ok()) return secrets;
  if (const auto place = secrets->find(*name); place != secrets->end()) {
    merge_over(*entry, *place);
  }
  return entry;
}

// Takes members of one map; the first that is of the wrong type is the failure.
class Taker {
 public:
  Taker(const json& from, std::string where) : from_(from), where_(std::move(where)) {}

  std::string text(const char* name) {
    const auto place = from_.find(name);
    if (place == from_.end() || place->is_null()) return {};
    if (place->is_string()) return place->get<std::string>();
    if (status_.ok()) status_ = in_file("clouds.yaml", where_ + name + " is no text");
    return {};
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  const json& from_;
  std::string where_;
  Status status_;
};

// The options of the log-in that both files have: clouds.yaml counts.
void drop_login(GlobalSettings& global, std::vector<std::string>& warnings) {
  std::string lost;
  const auto lose = [&lost](const char* option) {
    lost += (lost.empty() ? "" : ", ") + std::string(option);
  };
  for (const auto& [member, option, text] : kAuthOptions) {
    if (!std::exchange(global.*text, {}).empty()) lose(option);
  }
  for (const auto& [member, option, secret] : kSecretOptions) {
    if (!std::exchange(global.*secret, {}).empty()) lose(option);
  }
  if (lost.empty()) return;
  warnings.push_back("[Global] cloud makes clouds.yaml decide on the log-in: without effect are " +
                     lost);
}

Status take_login(GlobalSettings& global, const json& entry) {
  static const json kNothing = json::object();
  const auto place = entry.find("auth");
  const json& auth = place == entry.end() || place->is_null() ? kNothing : *place;
  if (!auth.is_object()) return in_file("clouds.yaml", "auth is no map");
  Taker taker(auth, "auth.");
  for (const auto& [member, option, text] : kAuthOptions) {
    std::string value = taker.text(member);
    if ((global.*text).empty()) global.*text = std::move(value);
  }
  for (const auto& [member, option, secret] : kSecretOptions) {
    std::string value = taker.text(member);
    if ((global.*secret).empty()) global.*secret = Secret(std::move(value));
  }
  // OS-62: the domain of user and project that have none.
  const std::string domain = taker.text("default_domain");
  if (global.domain_id.empty() && global.domain_name.empty()) global.domain_id = domain;
  return taker.status();
}

// "publicURL" is an older way to say "public".
Result<std::string> endpoint_type_of(std::string type) {
  if (type.ends_with("URL")) type.resize(type.size() - 3);
  for (const char* known : {"", "public", "internal", "admin"}) {
    if (type == known) return type;
  }
  return in_file("clouds.yaml", "interface: " + type + " is none of public, internal, admin");
}

Status take_rest(GlobalSettings& global, const json& entry) {
  Taker taker(entry, "");
  const std::string interface = taker.text("interface");
  const std::string endpoint_type = taker.text("endpoint_type");
  const auto type = endpoint_type_of(endpoint_type.empty() ? interface : endpoint_type);
  if (!type.ok()) return type.status();
  const std::pair<std::string*, std::string> members[] = {
      {&global.region, taker.text("region_name")},
      {&global.os_endpoint_type, *type},
      {&global.ca_file, taker.text("cacert")},
      {&global.cert_file, taker.text("cert")},
      {&global.key_file, taker.text("key")}};
  for (const auto& [into, value] : members) {
    if (into->empty()) *into = value;
  }
  // OS-64
  const auto verify = entry.find("verify");
  if (verify != entry.end() && *verify == false && global.tls_insecure.empty()) {
    global.tls_insecure = "true";
  }
  return taker.status();
}

bool is_any(const std::string& text, std::initializer_list<const char*> known) {
  return std::any_of(known.begin(), known.end(), [&](const char* each) { return text == each; });
}

// Whether a member of the entry needs no warning: it counts, or says what holds anyway, or is about
// services that are not used here.
bool is_known(const std::string& name, const json& value) {
  if (name.ends_with("_api_version")) return true;
  if (name == "auth_type" && value.is_string()) {
    return is_any(value.get_ref<const std::string&>(),
                  {"password", "v3password", "token", "v3token", "v3applicationcredential"});
  }
  return is_any(name, {"auth", "region_name", "interface", "endpoint_type", "cacert", "cert", "key",
                       "verify", "profile", "cloud"});
}

bool is_known_of_auth(const std::string& name) {
  const auto is = [&](const auto& each) { return name == each.member; };
  return name == "default_domain" ||
         std::any_of(std::begin(kAuthOptions), std::end(kAuthOptions), is) ||
         std::any_of(std::begin(kSecretOptions), std::end(kSecretOptions), is);
}

// cloud.conf has an option for some of what counts only there.
std::string with_option(const std::string& where, const std::string& name) {
  std::string option = name;
  std::replace(option.begin(), option.end(), '_', '-');
  const auto options = global_options();
  const bool there = std::any_of(options.begin(), options.end(),
                                 [&](const auto& each) { return each.name == option; });
  return where + name + (there ? " (cloud.conf has " + option + ")" : "");
}

void tell_unknown(const json& entry, std::vector<std::string>& warnings) {
  std::vector<std::string> names;
  for (const auto& [name, value] : entry.items()) {
    if (!is_empty_value(value) && !is_known(name, value)) names.push_back(with_option("", name));
  }
  const auto auth = entry.find("auth");
  if (auth != entry.end() && auth->is_object()) {
    for (const auto& [name, value] : auth->items()) {
      if (is_empty_value(value) || is_known_of_auth(name)) continue;
      names.push_back(with_option("auth.", name));
    }
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + printable(name);
  if (!all.empty()) warnings.push_back("clouds.yaml: without effect are " + all);
}

}  // namespace

bool wants_clouds(const GlobalSettings& global) {
  return global.use_clouds || !global.cloud.empty();
}

Result<GlobalSettings> with_cloud(GlobalSettings global, const CloudTexts& texts,
                                  const std::string& os_cloud, std::vector<std::string>& warnings) {
  auto entry = entry_of(texts, global.cloud, os_cloud);
  if (!entry.ok()) return entry.status();
  tell_unknown(*entry, warnings);
  if (!global.cloud.empty()) drop_login(global, warnings);
  if (Status status = take_login(global, *entry); !status.ok()) return status;
  if (Status status = take_rest(global, *entry); !status.ok()) return status;
  if (!global.auth_url.empty()) return global;
  return in_file("clouds.yaml", "auth.auth_url is missing, and cloud.conf has no auth-url");
}

}  // namespace ccm::openstack
