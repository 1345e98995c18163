#include "serving/auth/trust.hpp"

#include "net/url.hpp"

#include <ccm/lower_case.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace ccm::serving {
namespace {

using Data = std::map<std::string, std::string>;

const std::string* find(const Data& data, const char* key) {
  const auto found = data.find(key);
  return found == data.end() || found->second.empty() ? nullptr : &found->second;
}

Result<std::shared_ptr<const Authority>> read_authority(const Data& data, const char* key) {
  const std::string* pem = find(data, key);
  if (pem == nullptr) return std::shared_ptr<const Authority>();
  return Authority::parse(*pem, key);
}

Status read_list(const Data& data, const char* key, std::vector<std::string>* list) {
  const std::string* text = find(data, key);
  if (text == nullptr) return {};
  const auto parsed = nlohmann::json::parse(*text, nullptr, false);
  const bool strings =
      parsed.is_null() ||
      (parsed.is_array() && std::all_of(parsed.begin(), parsed.end(),
                                        [](const auto& item) { return item.is_string(); }));
  if (!strings) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                  std::string(key) + ": it is no JSON list of strings");
  }
  for (const auto& item : parsed) list->push_back(item.template get<std::string>());
  return {};
}

bool starts_with_header(std::string_view name, std::string_view prefix) {
  return name.size() >= prefix.size() && same_header(name.substr(0, prefix.size()), prefix);
}

std::string first_value(const Request& request, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string_view value = request.header(name);
    if (!value.empty()) return std::string(value);
  }
  return {};
}

void add_extra(const std::string& key, const std::string& value, User* user) {
  for (auto& [known, values] : user->extra) {
    if (known == key) return values.push_back(value);
  }
  user->extra.emplace_back(key, std::vector<std::string>{value});
}

}  // namespace

Result<Trust> trust_of_config_map(const Data& data) {
  Trust trust;
  auto authority = read_authority(data, "client-ca-file");
  if (!authority.ok()) return authority.status();
  trust.clients = std::move(*authority);
  FrontProxyTrust& proxies = trust.proxies;
  authority = read_authority(data, "requestheader-client-ca-file");
  if (!authority.ok()) return authority.status();
  proxies.authority = std::move(*authority);
  const std::pair<const char*, std::vector<std::string>*> lists[] = {
      {"requestheader-allowed-names", &proxies.allowed_names},
      {"requestheader-username-headers", &proxies.username_headers},
      {"requestheader-group-headers", &proxies.group_headers},
      {"requestheader-extra-headers-prefix", &proxies.extra_prefixes},
      {"requestheader-uid-headers", &proxies.uid_headers}};
  for (const auto& [key, list] : lists) {
    if (Status status = read_list(data, key, list); !status.ok()) return status;
  }
  return trust;
}

Finding user_of_front_proxy(const FrontProxyTrust& trust, const Request& request) {
  if (!trust.authority || !request.peer) return {};
  if (const Status status = request.peer->verified_by(trust.authority); !status.ok()) {
    return {std::nullopt, "front proxy: " + status.message()};
  }
  const std::string proxy = request.peer->common_name();
  const auto& allowed = trust.allowed_names;
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), proxy) == allowed.end()) {
    return {std::nullopt, "front proxy: its common name " + proxy + " is not in the allowed list"};
  }
  User user;
  user.name = first_value(request, trust.username_headers);
  if (user.name.empty()) return {};
  user.uid = first_value(request, trust.uid_headers);
  for (const std::string& name : trust.group_headers) {
    for (const std::string_view group : request.headers_named(name)) {
      if (!group.empty()) user.groups.emplace_back(group);
    }
  }
  for (const std::string& prefix : trust.extra_prefixes) {
    for (const HeaderField& field : request.headers) {
      if (!starts_with_header(field.name, prefix)) continue;
      const std::string key = lower_case(std::string_view(field.name).substr(prefix.size()));
      add_extra(net::percent_decoded(key), field.value, &user);
    }
  }
  return {std::move(user), {}};
}

Finding user_of_certificate(const std::shared_ptr<const Authority>& clients,
                            const Request& request) {
  if (!clients || !request.peer) return {};
  if (const Status status = request.peer->verified_by(clients); !status.ok()) {
    return {std::nullopt, "client certificate: " + status.message()};
  }
  User user;
  user.name = request.peer->common_name();
  if (user.name.empty()) return {};
  user.groups = request.peer->organizations();
  return {std::move(user), {}};
}

void strip_credentials(const FrontProxyTrust& trust, Request* request) {
  request->remove_header("Authorization");
  for (const auto* names : {&trust.username_headers, &trust.group_headers, &trust.uid_headers}) {
    for (const std::string& name : *names) request->remove_header(name);
  }
  std::erase_if(request->headers, [&trust](const HeaderField& field) {
    return std::any_of(
        trust.extra_prefixes.begin(), trust.extra_prefixes.end(),
        [&field](const auto& prefix) { return starts_with_header(field.name, prefix); });
  });
}

}  // namespace ccm::serving
