#include "plugin/recording/redactor.hpp"

#include "net/url.hpp"
#include "plugin/host_services/http_credentials.hpp"

#include <ccm/lower_case.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace ccm::plugin {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kShortestSecret = 4;
constexpr std::string_view kPrivateKey = "PRIVATE KEY-----";

bool has_private_key(const std::string& text) {
  return text.find(kPrivateKey) != std::string::npos;
}

// Members of JSON: adminPass, private_key and all that a header might be called.
bool names_secret_member(const std::string& name) {
  const std::string lower = lower_case(name);
  return names_credential(lower) || lower == "adminpass" || lower == "passwd" ||
         lower == "private_key" || lower == "passphrase" || lower == "user_data";
}

template <typename Visit>
void each_text(ordered_json& value, bool secret, const Visit& visit) {
  if (value.is_string()) {
    visit(value.get_ref<std::string&>(), secret);
  } else if (value.is_array()) {
    for (ordered_json& item : value) each_text(item, secret, visit);
  } else if (value.is_object()) {
    // The name of an object says nothing of its members: {"token": {"expires_at": ...}}.
    for (auto item = value.begin(); item != value.end(); ++item) {
      each_text(item.value(), names_secret_member(item.key()), visit);
    }
  }
}

// Discarded when it is no JSON, or nests deeper than any answer of a cloud.
ordered_json parse_body(std::string_view body) {
  constexpr int kDeepest = 200;
  bool deep = false;
  const auto within = [&deep](int depth, ordered_json::parse_event_t, const ordered_json&) {
    deep = deep || depth > kDeepest;
    return depth <= kDeepest;
  };
  ordered_json value = ordered_json::parse(body, within, false);
  return deep ? ordered_json(ordered_json::value_t::discarded) : value;
}

// Calls back with name and value of each parameter of a query, and with what stands between them.
template <typename Parameter, typename Other>
void each_parameter(std::string_view query, const Parameter& parameter, const Other& other) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(pair.size());
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      other(pair);
    } else {
      parameter(pair.substr(0, equals), pair.substr(equals + 1));
    }
    if (query.empty()) return;
    other(query.substr(0, 1));
    query.remove_prefix(1);
  }
}

}  // namespace

void Redactor::learn(std::string_view secret) {
  if (secret.size() < kShortestSecret || secret == kRedacted) return;
  const std::lock_guard lock(mutex_);
  forms_.add(secret);
}

void Redactor::learn_headers(const std::vector<net::Header>& headers) {
  for (const net::Header& header : headers) {
    if (!names_credential(header.name)) continue;
    learn(header.value);
    for (const std::string& secret : secrets_of_header(header)) learn(secret);
  }
}

void Redactor::learn_body(std::string_view body) {
  ordered_json value = parse_body(body);
  if (value.is_discarded()) return;
  each_text(value, false, [this](const std::string& text, bool secret) {
    if (secret) learn(text);
  });
}

void Redactor::learn_from(const net::Request& request) {
  learn_headers(request.headers);
  const std::string_view url = request.url;
  const std::size_t question = url.find('?');
  if (question != std::string_view::npos) {
    each_parameter(
        url.substr(question + 1),
        [this](std::string_view name, std::string_view value) {
          if (!names_credential(name)) return;
          learn(value);
          learn(net::percent_decoded(value));
        },
        [](std::string_view) {});
  }
  learn_body(request.body);
}

void Redactor::learn_from(const net::Response& response) {
  learn_headers(response.headers);
  learn_body(response.body);
}

std::string Redactor::text(std::string_view text) const {
  const std::lock_guard lock(mutex_);
  std::string out = forms_.without(text);
  return has_private_key(out) ? std::string(kRedacted) : out;
}

std::string Redactor::url(std::string_view url) const {
  url = url.substr(0, url.find('#'));
  const std::size_t question = url.find('?');
  std::string out(url.substr(0, question));
  const std::size_t scheme = out.find("://");
  if (scheme != std::string::npos) {
    const std::size_t end = std::min(out.find('/', scheme + 3), out.size());
    const std::size_t at = out.rfind('@', end);
    if (at != std::string::npos && at > scheme) out.erase(scheme + 3, at - scheme - 2);
  }
  if (question != std::string_view::npos) {
    out += '?';
    each_parameter(
        url.substr(question + 1),
        [&out](std::string_view name, std::string_view value) {
          out.append(name).append("=").append(names_credential(name) ? kRedacted : value);
        },
        [&out](std::string_view between) { out += between; });
  }
  return text(out);
}

std::string Redactor::header(std::string_view name, std::string_view value) const {
  return names_credential(name) ? std::string(kRedacted) : text(value);
}

std::string Redactor::body(std::string_view body) const {
  ordered_json value = parse_body(body);
  if (value.is_discarded() || !value.is_structured()) return text(body);
  bool changed = false;
  each_text(value, false, [&](std::string& member, bool secret) {
    std::string clean = secret && !member.empty() ? std::string(kRedacted) : text(member);
    changed = changed || clean != member;
    member = std::move(clean);
  });
  // As the cloud wrote it, where that is possible. The names of members are texts, too.
  return text(changed ? value.dump(-1, ' ', false, ordered_json::error_handler_t::replace)
                      : std::string(body));
}

}  // namespace ccm::plugin
