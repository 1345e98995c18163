// The provider's configuration: flags, which also take the environment variables of DigitalOcean's
// own manager (DO-6..DO-24). Plain values; any thread.
#pragma once

#include <ccm/config.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::digitalocean {

inline constexpr std::string_view kTokenVariable = "DO_ACCESS_TOKEN";

// The failure for a wrong value of the configuration: class invalid_spec, reason
// "InvalidConfiguration".
Status invalid_configuration(std::string message);

struct Settings {
  std::string api_url;       // without a slash at its end
  std::string metadata_url;  // the same
  std::string region;        // slug; empty = ask the metadata service (DO-10)
  std::string cluster_id;    // empty = load balancers carry no cluster tag (DO-12)
  std::string cluster_uid;   // of the namespace kube-system, without an id; empty = not known
  std::string vpc_id;        // empty = the region's default VPC (DO-13)
  std::string default_lb_type = "REGIONAL_NETWORK";  // DO-14
  std::string firewall_name;                         // empty = no firewall is managed (DO-15)
  std::vector<std::string> firewall_tags;
  std::string target_tag;       // load balancers find droplets by it; empty = they list them
  double calls_per_second = 0;  // 0 = no limit of our own (DO-17)

  // "k8s:" and the cluster's id; empty without one.
  [[nodiscard]] std::string cluster_tag() const;
  // "k8s:CLUSTER:service:UID": the mark of one Service.
  [[nodiscard]] std::string service_tag(const LoadBalancerService& service) const;
  // "k8s:CLUSTER:service:UID:NAMESPACE:NAME", for people, beside the mark: older versions take it
  // alone for another Service's. Empty when a tag has no room for it.
  [[nodiscard]] std::string named_service_tag(const LoadBalancerService& service) const;
  // The cluster's id, or its substitute; empty when there is neither.
  [[nodiscard]] const std::string& cluster() const {
    return cluster_id.empty() ? cluster_uid : cluster_id;
  }
  // Whether a tag begins with this cluster's own "k8s:CLUSTER:".
  [[nodiscard]] bool is_own_tag(std::string_view tag) const;
};

// Whether DigitalOcean takes the text as a tag (DO-353).
bool is_tag(std::string_view text);

// Whether a value of --controllers lets a controller run that has no alias (HOST-77).
bool runs_controller(std::string_view controllers, std::string_view name);

// Failure: invalid_argument with one line that names the flag and its variable.
Result<Settings> read_settings(const Config& config);

// The failure of a controller's setup without settings: the provider refuses them too, and ends the
// process.
Status told_by_provider();

// The current token (DO-6, DO-7), without surrounding blanks. Failure: invalid_argument when there
// is none or when it cannot be sent in a header. The message never holds the token.
Result<std::string> read_token(const Config& config);

}  // namespace ccm::digitalocean
