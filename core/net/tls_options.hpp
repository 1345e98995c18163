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
  // SHA-256 of the server's certificate as hexadecimal digits, colons between them allowed. That
  // one certificate is trusted instead of those that the authorities signed for a name.
  std::string server_fingerprint;
  bool insecure_skip_verify = false;
};

}  // namespace ccm::net
