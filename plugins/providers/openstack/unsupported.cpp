#include "unsupported.hpp"

#include "config/invalid_configuration.hpp"

namespace ccm::openstack {

Status refuse_unsupported(const GlobalSettings& global) {
  const std::string& url = global.auth_url;
  const size_t host = url.find("://");
  if (host != std::string::npos && url.substr(0, url.find('/', host + 3)).find('@') != url.npos) {
    return invalid_configuration("[Global] auth-url must not hold a user's name");
  }
  if (url.find("/v2.0") != std::string::npos) {
    return invalid_configuration(
        "[Global] auth-url: version 2.0 of Keystone's API is not supported, only v3");
  }
  return {};
}

}  // namespace ccm::openstack
