// This controller's flags, checked (IPAM-1..17).
#pragma once

#include <ccm/cidr.hpp>
#include <ccm/config.hpp>

#include <string>
#include <vector>

namespace ccm::ipam {

// One cluster CIDR and the prefix length of its blocks.
struct PoolSettings {
  Cidr cluster;
  unsigned block_prefix = 0;
};

struct Settings {
  std::vector<PoolSettings> pools;  // in the order of --cluster-cidr; at most one of each family
  std::vector<Cidr> service_ranges;
};

struct SettingsReport {
  Settings settings;                  // usable when there are no errors
  std::vector<std::string> errors;    // one sentence for each fault
  std::vector<std::string> warnings;  // worth a log line
};

// [create]
SettingsReport read_settings(const Config& config);

}  // namespace ccm::ipam
