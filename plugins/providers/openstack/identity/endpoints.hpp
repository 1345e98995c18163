// URLs of services: which entry of the catalog, and where its API begins (OS-81, OS-91..OS-98).
#pragma once

#include "openstack/config/settings.hpp"
#include "token.hpp"

#include <ccm/status.hpp>

#include <string>
#include <string_view>

namespace ccm::openstack {

// Where the requests of a service go, without a slash at its end: ".../v2.1", ".../v2.0",
// ".../v2.0/lbaas", ".../v1". Failure: not_found, class unsupported, with service, interface and
// region, when the catalog has no such endpoint.
Result<std::string> service_url(const Token& token, const std::string& endpoint_type,
                                const std::string& region, const std::string& service);

// The URL up to a segment that is a version ("v2.0"), which is left out with all after it.
std::string without_version(std::string_view url);
// Whether the last segment of a URL is a version, or with `anywhere` any segment of its path.
bool has_version(std::string_view url, bool anywhere = false);

// The URL of Keystone's API v3, out of the answer to a GET of `auth_url` (OS-79). Its host is that
// of `auth_url`, which is known to be reached from here. Failure: bad_answer().
Result<std::string> identity_url(const std::string& auth_url, std::string_view versions);

}  // namespace ccm::openstack
