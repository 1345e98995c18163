#include "unsupported.hpp"

#include "config/invalid_configuration.hpp"

#include <set>
#include <string>

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
  std::set<std::string> regions{global.region};
  for (const std::string& region : global.additional_region) {
    if (global.region.empty()) {
      return invalid_configuration(
          "[Global] additional-region needs region: the name of the first");
    }
    if (region.empty() || !regions.insert(region).second) {
      return invalid_configuration("[Global] additional-region \"" + region +
                                   "\" is empty or stands there twice");
    }
  }
  return {};
}

}  // namespace ccm::openstack
