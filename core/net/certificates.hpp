// Certificates of TLS as PEM texts, and the times between which they are valid. Values; any thread.
#pragma once

#include <openssl/x509.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::net {

// The trust and the credential of a TLS client: PEM texts, never paths: owners of files re-read
// them and call set_tls().
struct TlsOptions {
  std::string ca_pem;           // empty = the system's roots
  std::string certificate_pem;  // client certificate chain, leaf first
  std::string private_key_pem;  // never logged
  std::string server_name;      // overrides SNI and the verified name (API-105)
  // SHA-256 of the server's certificate as hexadecimal digits, colons between them allowed. That
  // one certificate is trusted instead of those that the authorities signed for a name.
  std::string server_fingerprint;
  bool insecure_skip_verify = false;
  bool operator==(const TlsOptions&) const = default;
};

struct CertificateTimes {
  std::chrono::system_clock::time_point not_before;
  std::chrono::system_clock::time_point not_after;
};

std::optional<CertificateTimes> times_of(const X509* certificate);

// The times of the first certificate in a PEM text; none when there is none.
std::optional<CertificateTimes> times_of_first(std::string_view pem);

// When the last of the certificates in a PEM text expires: from then on none of these authorities
// is good.
std::optional<std::chrono::system_clock::time_point> last_expiry(std::string_view pem);

}  // namespace ccm::net
