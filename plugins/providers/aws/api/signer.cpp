#include "signer.hpp"

#include <ccm/hexadecimal.hpp>
#include <ccm/timestamp.hpp>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace ccm::aws {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

// "20261127T093000Z"
std::string basic_time(std::chrono::milliseconds now) {
  std::string text = timestamp(now);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

struct UrlParts {
  std::string host;  // with its port when it is not the scheme's
  std::string path;
};

UrlParts parts_of(std::string_view url) {
  const size_t begin = url.find("://") + 3;
  const size_t slash = std::min(url.find('/', begin), url.size());
  std::string host(url.substr(begin, slash - begin));
  const bool usual = (url.starts_with("https:") && host.ends_with(":443")) ||
                     (url.starts_with("http:") && host.ends_with(":80"));
  if (usual) host.resize(host.rfind(':'));
  std::string path(url.substr(slash));
  return {host, path.empty() ? "/" : path};
}

using Headers = std::map<std::string, std::string>;

// The headers in an ordered map: both lists have the order that the signature asks for.
Headers signed_headers(const HttpRequest& request, const std::string& host) {
  Headers headers{{"host", host}};
  for (const HttpHeader& header : request.headers) {
    if (header.name == "content-type" || header.name.starts_with("x-amz-")) {
      headers[header.name] = header.value;
    }
  }
  return headers;
}

Result<std::string> signing_key(const Crypto& crypto, const Keys& keys, const std::string& day,
                                const Endpoint& endpoint) {
  Result<std::string> key = "AWS4" + keys.secret_access_key.reveal();
  for (const std::string_view part :
       {std::string_view(day), std::string_view(endpoint.signing_region),
        std::string_view(endpoint.signing_name), std::string_view("aws4_request")}) {
    key = crypto.hmac_sha256(*key, part);
    if (!key.ok()) return key;
  }
  return key;
}

}  // namespace

Status sign(const Crypto& crypto, const Keys& keys, const Endpoint& endpoint,
            std::chrono::milliseconds now, HttpRequest& request) {
  const std::string time = basic_time(now);
  const std::string day = time.substr(0, 8);
  const UrlParts url = parts_of(request.url);
  request.headers.push_back({"x-amz-date", time});
  if (!keys.session_token.empty()) {
    request.headers.push_back({"x-amz-security-token", keys.session_token.reveal()});
    request.secrets.push_back(keys.session_token.reveal());
  }
  std::string names;
  std::string canonical = joined({request.method, "\n", url.path, "\n\n"});
  for (const auto& [name, value] : signed_headers(request, url.host)) {
    canonical += joined({name, ":", value, "\n"});
    names += joined({names.empty() ? "" : ";", name});
  }
  const auto payload = crypto.sha256(request.body);
  if (!payload.ok()) return payload.status();
  canonical += joined({"\n", names, "\n", hexadecimal(*payload)});
  const auto digest = crypto.sha256(canonical);
  if (!digest.ok()) return digest.status();
  const std::string scope =
      joined({day, "/", endpoint.signing_region, "/", endpoint.signing_name, "/aws4_request"});
  const auto key = signing_key(crypto, keys, day, endpoint);
  if (!key.ok()) return key.status();
  const auto signature = crypto.hmac_sha256(
      *key, joined({kAlgorithm, "\n", time, "\n", scope, "\n", hexadecimal(*digest)}));
  if (!signature.ok()) return signature.status();
  request.headers.push_back(
      {"authorization",
       joined({kAlgorithm, " Credential=", keys.access_key_id, "/", scope,
               ", SignedHeaders=", names, ", Signature=", hexadecimal(*signature)})});
  return {};
}

}  // namespace ccm::aws
