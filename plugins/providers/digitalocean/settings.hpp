// The provider's configuration: flags, which also take the environment variables of DigitalOcean's
// own manager (DO-6..DO-24). Plain values; any thread.
#pragma once

#include <ccm/config.hpp>
#include <ccm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::digitalocean {

inline constexpr std::string_view kTokenVariable = "DO_ACCESS_TOKEN";

// What a wrong value of the configuration is reported as: class invalid_spec, reason
// "InvalidConfiguration".
Status invalid_configuration(std::string message);

struct Settings {
  std::string api_url;       // without a slash at its end
  std::string metadata_url;  // the same
  std::string region;        // slug; empty = ask the metadata service (DO-10)
  std::string cluster_id;    // empty = load balancers carry no cluster tag (DO-12)
  std::string vpc_id;        // empty = the region's default VPC (DO-13)
  std::string default_lb_type = "REGIONAL_NETWORK";  // DO-14
  std::string firewall_name;                         // empty = no firewall is managed (DO-15)
  std::vector<std::string> firewall_tags;
  std::string target_tag;       // load balancers find droplets by it; empty = they list them
  double calls_per_second = 0;  // 0 = no limit of our own (DO-17)

  // "k8s:" and the cluster's id; empty without one.
  [[nodiscard]] std::string cluster_tag() const;
};

// Whether DigitalOcean takes the text as a tag (DO-353).
bool is_tag(std::string_view text);

// Failure: invalid_argument with one line that names the flag and its variable.
Result<Settings> read_settings(const Config& config);

// The token as it is now (DO-6, DO-7): blanks around it are no part of it. Failure:
// invalid_argument when there is none or when it cannot be sent in a header. The message never
// holds the token.
Result<std::string> read_token(const Config& config);

}  // namespace ccm::digitalocean
