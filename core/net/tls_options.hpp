// What a TLS client trusts and shows. A value; any thread.
#pragma once

#include <string>

namespace ccm::net {

// PEM texts, never paths: who owns a file re-reads it and calls set_tls().
struct TlsOptions {
  std::string ca_pem;           // empty = the system's roots
  std::string certificate_pem;  // client certificate chain, leaf first
  std::string private_key_pem;  // never logged
  std::string server_name;      // overrides SNI and the verified name (API-105)
  bool insecure_skip_verify = false;
};

}  // namespace ccm::net
