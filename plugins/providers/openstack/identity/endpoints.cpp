#include "endpoints.hpp"

#include "openstack/answer.hpp"
#include "openstack/json_answer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

// "v2", "v2.0", "v2.1".
bool is_version(std::string_view segment) {
  if (segment.size() < 2 || segment.front() != 'v') return false;
  segment.remove_prefix(1);
  return segment.find_first_not_of("0123456789.") == std::string_view::npos &&
         segment.front() != '.';
}

std::string_view without_slashes(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

// Where the path begins; the length of the URL when it has none.
size_t path_start(std::string_view url) {
  const size_t scheme = url.find("://");
  return std::min(url.find('/', scheme == std::string_view::npos ? 0 : scheme + 3), url.size());
}

struct ApiPath {
  std::string_view service;
  std::string_view path;
};
constexpr std::array kApiPaths = {
    ApiPath{"network", "/v2.0"},
    ApiPath{"load-balancer", "/v2.0/lbaas"},
    ApiPath{"key-manager", "/v1"},
};

// OS-95, OS-96: with and without a version in the catalog.
std::string api_url(const std::string& service, std::string_view url) {
  url = without_slashes(url);
  if (service == "compute") return std::string(url) + (has_version(url, true) ? "" : "/v2.1");
  const auto known = std::find_if(kApiPaths.begin(), kApiPaths.end(),
                                  [&](const ApiPath& entry) { return entry.service == service; });
  if (known == kApiPaths.end()) return std::string(url);
  return without_version(url) + std::string(known->path);
}

bool in_region(const Endpoint& endpoint, const std::string& region) {
  return region.empty() || endpoint.region == region || endpoint.region_id == region;
}

bool usable(const json& version) {
  std::string status = text_or_empty(version, "status");
  for (char& c : status) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return status == "current" || status == "supported" || status == "stable";
}

Result<std::string> read_identity_path(const json& document) {
  for (const json& version : part_of(part_of(document, "versions"), "values")) {
    if (!text_of(version, "id").starts_with("v3") || !usable(version)) continue;
    for (const json& link : part_of(version, "links")) {
      if (text_of(link, "rel") != "self") continue;
      const std::string href = text_of(link, "href");
      return std::string(without_slashes(href.substr(path_start(href))));
    }
  }
  return bad_answer("does not offer version 3 of Keystone's API");
}

}  // namespace

bool has_version(std::string_view url, bool anywhere) {
  url = without_slashes(url);
  url.remove_prefix(path_start(url));
  if (!anywhere) return is_version(url.substr(url.rfind('/') + 1));
  while (!url.empty()) {
    url.remove_prefix(1);
    const std::string_view segment = url.substr(0, url.find('/'));
    if (is_version(segment)) return true;
    url.remove_prefix(segment.size());
  }
  return false;
}

std::string without_version(std::string_view url) {
  url = without_slashes(url);
  for (size_t slash = path_start(url); slash < url.size();) {
    const size_t next = std::min(url.find('/', slash + 1), url.size());
    if (is_version(url.substr(slash + 1, next - slash - 1)))
      return std::string(url.substr(0, slash));
    slash = next;
  }
  return std::string(url);
}

Result<std::string> service_url(const Token& token, const std::string& endpoint_type,
                                const std::string& region, const std::string& service) {
  const std::string interface = endpoint_type.empty() ? "public" : endpoint_type;
  for (const Endpoint& endpoint : token.catalog) {
    if (endpoint.service == service && endpoint.interface == interface &&
        in_region(endpoint, region) && !endpoint.url.empty()) {
      return api_url(service, endpoint.url);
    }
  }
  return Status(Code::not_found, ErrorClass::unsupported,
                "the catalog of Keystone has no " + interface + " endpoint of the service " +
                    service + (region.empty() ? std::string() : " in region " + region) +
                    " ([Global] os-endpoint-type, region)")
      .with_reason("CloudServiceMissing");
}

Result<std::string> identity_url(const std::string& auth_url, std::string_view versions) {
  auto path = read_answer(versions, &read_identity_path);
  if (!path.ok()) return path.status();
  return auth_url.substr(0, path_start(auth_url)) + *path;
}

}  // namespace ccm::openstack
