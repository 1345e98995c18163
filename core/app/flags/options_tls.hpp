// TLS flags by Go's names, and their OpenSSL equivalents. Pure; any thread.
#pragma once

#include "app/flags/options.hpp"

#include <ccm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::app {

struct TlsParameters {
  int min_version = 0x0303;         // as in SSL_CTX_set_min_proto_version
  std::string cipher_list;          // TLS 1.2 and before; empty: the library's
  std::string ciphersuites;         // TLS 1.3; empty: the library's
  std::vector<std::string> groups;  // empty: the library's
};

// Appends one line to `errors` for each value that is not known or not offered (HOST-55..57).
// `prefix` is the beginning of the flags' names: "" or "webhook-".
TlsParameters tls_parameters(const TlsFlags& options, std::string_view prefix,
                             std::vector<std::string>& errors);

}  // namespace ccm::app
