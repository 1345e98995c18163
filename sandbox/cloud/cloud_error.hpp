#pragma once

#include <string>

namespace sandbox::cloud {

// Failed call; becomes the error body of the API.
struct CloudError {
  int status;
  std::string code;  // not_found rate_limited internal unavailable unauthorized quota invalid
  std::string message;
  int retry_after_s = -1;
};

}  // namespace sandbox::cloud
