// Reads cloud.conf: the text that --cloud-config names (OS-33..OS-39).
#pragma once

#include "settings.hpp"

#include <ccm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::openstack {

struct CloudConf {
  Settings settings;
  // Lines without effect and likely mistakes, one line each, "line 3: ...", in the order of
  // the file.
  std::vector<std::string> warnings;
};

// Takes all that the Go manager takes: an unknown section or option is a warning. Failure:
// invalid_argument. Its message is one line that names everything that is wrong, "line 3: ...; line
// 9: ...", then what would be warnings, and holds no secret.
Result<CloudConf> read_cloud_conf(std::string_view text);

}  // namespace ccm::openstack
