#include "unsupported.hpp"

#include "config/invalid_configuration.hpp"

#include <utility>

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

std::vector<std::string> without_effect(const Settings& settings) {
  const LoadBalancerSettings& set = settings.load_balancer;
  const std::pair<const char*, bool> options[] = {
      {"floating-subnet", !set.floating_subnet.empty()},
      {"floating-subnet-tags", !set.floating_subnet_tags.empty()},
      {"manage-security-groups", set.manage_security_groups},
      {"node-selector", !set.node_selector.empty()},
      {"flavor-id", !set.flavor_id.empty()},
      {"availability-zone", !set.availability_zone.empty()},
      {"enable-ingress-hostname", set.enable_ingress_hostname},
      {"default-tls-container-ref", !set.default_tls_container_ref.empty()},
      {"provider-requires-serial-api-calls", set.provider_requires_serial_api_calls}};
  std::vector<std::string> lines;
  for (const auto& [name, given] : options) {
    if (given) lines.push_back("[LoadBalancer] " + std::string(name) + " is not supported yet");
  }
  if (!settings.load_balancer_classes.empty()) {
    lines.push_back("[LoadBalancerClass] is not supported yet");
  }
  return lines;
}

}  // namespace ccm::openstack
