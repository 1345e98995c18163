// A bundle of certificate authorities whose client certificates are trusted. Immutable; the
// server's thread.
#pragma once

#include "serving/auth/peer_certificates.hpp"

#include <ccm/status.hpp>

#include <openssl/x509.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace ccm::serving {

class Authority {
 public:
  // invalid_argument when the text has no certificate or a damaged one; `what` starts the message.
  static Result<std::shared_ptr<const Authority>> parse(const std::string& pem,
                                                        std::string_view what);

  // Whether the chain leads to one of these, is in its time, may be used by a client and has no
  // signature that can be forged today: no SHA-1, no RSA below 2048 bits. Failure: unauthenticated,
  // with one clause about what is wrong. Success sets `until`, the end of the first certificate of
  // the chain to expire.
  [[nodiscard]] Status verify(const PeerCertificates& peer,
                              std::chrono::system_clock::time_point* until) const;

 private:
  net::Openssl<X509_STORE> store_;
};

}  // namespace ccm::serving
