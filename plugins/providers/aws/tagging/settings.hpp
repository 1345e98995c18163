// The flags of the tagging controller (AWS-5). Plain values.
#pragma once

#include <ccm/config.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace ccm::aws {

using InstanceTagMap = std::map<std::string, std::string>;

struct TaggingSettings {
  InstanceTagMap tags;
  double rate = 0;   // Nodes a second; counts when `burst` is above 0, too (AWS-130)
  double burst = 0;  // Nodes at once
  uint32_t workers = 0;
};

// invalid_argument, one line that names the flag, for tags that are missing, that AWS would refuse,
// or that say whose an instance is.
Result<TaggingSettings> read_tagging_settings(const Config& config);

// The value of the Node's label, as the Go manager writes it (AWS-127).
std::string digest_of(const InstanceTagMap& tags);

}  // namespace ccm::aws
