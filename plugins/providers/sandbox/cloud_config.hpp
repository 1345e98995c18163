// What --cloud-config says: where the sandbox cloud is, or which file holds the machines.
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <string_view>

namespace sandbox {

struct CloudConfig {
  std::string endpoint;       // http://127.0.0.1:8080, no slash at its end
  std::string token;          // never logged
  std::string machines_file;  // instead of an endpoint
};

// JSON with either {"endpoint", "token"} or {"machines_file"}. Failure: invalid_argument, one line.
ccm::Result<CloudConfig> parse_cloud_config(std::string_view text);

}  // namespace sandbox
