#include "provider_id.hpp"

namespace ccm::openstack {

Result<ProviderId> parse_provider_id(std::string_view text) {
  const std::string whole(text);
  if (text.starts_with(kProviderIdPrefix)) {
    text.remove_prefix(kProviderIdPrefix.size());
  } else if (text.find("://") != std::string_view::npos) {
    return Status(Code::implemented_elsewhere,
                  "provider ID \"" + whole + "\" does not begin with openstack://");
  }
  const size_t slash = text.find('/');
  const std::string_view server =
      slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1);
  if (server.empty() || server.find('/') != std::string_view::npos) {
    return Status(Code::invalid_argument,
                  "provider ID \"" + whole +
                      "\" is neither openstack:///UUID nor openstack://REGION/UUID")
        .with_reason("InvalidProviderID");
  }
  return ProviderId{std::string(text.substr(0, slash)), std::string(server)};
}

}  // namespace ccm::openstack
