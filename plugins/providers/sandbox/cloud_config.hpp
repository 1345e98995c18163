// The provider's --cloud-config: the cloud's address, or a file that replaces it. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <string_view>

namespace sandbox {

struct CloudConfig {
  std::string endpoint;  // "http://127.0.0.1:8080", without a slash at the end
  std::string token;
  std::string machines_file;  // instead of the two above
};

// Failure: invalid_argument, one line that names the field and its valid values. The message never
// holds the token.
ccm::Result<CloudConfig> parse_cloud_config(std::string_view text);

}  // namespace sandbox
