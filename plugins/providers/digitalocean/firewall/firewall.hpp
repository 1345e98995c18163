// The cloud firewall for the cluster's public ports, as wanted and as in the API's answers (DO-264,
// DO-265, DO-272, DO-349..DO-352). Any thread; takes any bytes.
#pragma once

#include "digitalocean/firewall/rules.hpp"

#include <ccm/status.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::digitalocean {

struct WantedFirewall {
  std::string name;
  std::vector<std::string> tags;
  std::set<FirewallRule> open;
  // Rules of Services in doubt: not opened, but whatever is open for these ports, or from these
  // load balancers, is left open.
  std::set<FirewallRule> kept;
};

struct ExistingFirewall {
  std::string id;
  std::string name;
  std::string status;  // waiting, succeeded, failed
  // Rules as JSON in one form, whatever the order of their members and whatever the API fills in.
  std::set<std::string> inbound;
  std::set<std::string> outbound;
  std::set<std::string> tags;
  // Peers of other kinds, droplets or tags, that were added to a rule by hand: by its form, by
  // their kind, each as JSON.
  using AddedPeers = std::map<std::string, std::map<std::string, std::set<std::string>>>;
  AddedPeers added_sources;
  AddedPeers added_destinations;
  std::vector<int64_t> droplet_ids;  // attached one by one, by hand
  bool operator==(const ExistingFirewall&) const = default;
};

// Whether nothing has to be written. The order of rules, tags and addresses does not matter.
bool satisfies(const WantedFirewall& wanted, const ExistingFirewall& existing);

// Body of POST and PUT. `existing` may be null; droplets that are attached to it stay so (DO-265).
std::string firewall_body(const WantedFirewall& wanted, const ExistingFirewall* existing);

struct FirewallPage {
  std::vector<ExistingFirewall> firewalls;
  int64_t total = 0;
};

// Failure: data_loss when the answer cannot be used.
Result<FirewallPage> parse_firewalls(std::string_view json_text);
Result<ExistingFirewall> parse_firewall(std::string_view json_text);

}  // namespace ccm::digitalocean
