// A self-signed certificate, for a server without a configured one (HOST-53, HOST-106).
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <vector>

namespace ccm::serving {

struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;  // never logged
};

// For localhost, 127.0.0.1 and `addresses`, valid for one year from now, P-256. Any thread.
Result<KeyPair> make_self_signed(const std::vector<std::string>& addresses);

}  // namespace ccm::serving
