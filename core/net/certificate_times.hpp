// The times between which certificates are valid. Pure; any thread.
#pragma once

#include <openssl/x509.h>

#include <chrono>
#include <optional>
#include <string_view>

namespace ccm::net {

struct CertificateTimes {
  std::chrono::system_clock::time_point not_before;
  std::chrono::system_clock::time_point not_after;
};

std::optional<CertificateTimes> times_of(const X509* certificate);

// Of the first certificate in a PEM text; none when there is none.
std::optional<CertificateTimes> times_of_first(std::string_view pem);

// When the last of the certificates in a PEM text expires: from then on none of these authorities
// is good.
std::optional<std::chrono::system_clock::time_point> last_expiry(std::string_view pem);

}  // namespace ccm::net
