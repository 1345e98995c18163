// --cloud-config of the Go manager (AWS-10 to AWS-24). Any thread.
#pragma once

#include "settings.hpp"

#include <ccm/pattern.hpp>
#include <ccm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::aws {

struct CloudConfig {
  Settings settings;
  std::vector<std::string>
      warnings;  // "line 3: unknown option [Global] vpcid"; it works all the same
};

// Unknown sections and keys are warnings, as the Go manager ignores them. Failure:
// invalid_argument, one line with all faults, each with its line.
Result<CloudConfig> read_cloud_config(std::string_view text);

// The value of SupportedTopologyInstanceTypePattern, for whole instance types (AWS-22).
Result<Pattern> topology_pattern(std::string_view text);

// The region of a zone: "us-east-1" of "us-east-1a" and of the local zone "us-east-1-bos-1a". Empty
// when the text is no zone (AWS-11).
[[nodiscard]] std::string region_of_zone(std::string_view zone);

Status invalid_configuration(std::string message);

}  // namespace ccm::aws
