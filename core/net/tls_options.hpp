// The trust and the credential of a TLS client. A value; any thread.
#pragma once

#include <string>

namespace ccm::net {

// PEM texts, never paths: owners of files re-read them and call set_tls().
struct TlsOptions {
  std::string ca_pem;           // empty = the system's roots
  std::string certificate_pem;  // client certificate chain, leaf first
  std::string private_key_pem;  // never logged
  std::string server_name;      // overrides SNI and the verified name (API-105)
  bool insecure_skip_verify = false;
};

}  // namespace ccm::net
