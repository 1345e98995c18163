// A bundle of certificate authorities whose client certificates are believed. Immutable; the
// server's thread.
#pragma once

#include "serving/auth/peer_certificates.hpp"

#include <ccm/status.hpp>

#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>

namespace ccm::serving {

class Authority {
 public:
  // invalid_argument when the text has no certificate or a damaged one; `what` starts the message.
  static Result<std::shared_ptr<const Authority>> parse(const std::string& pem,
                                                        std::string_view what);

  // Whether the chain leads to one of these, is in its time and may be used by a client.
  // Failure: unauthenticated, with one clause about what is wrong.
  [[nodiscard]] Status verify(const PeerCertificates& peer) const;

 private:
  struct StoreDelete {
    void operator()(X509_STORE* store) const { X509_STORE_free(store); }
  };
  std::unique_ptr<X509_STORE, StoreDelete> store_;
};

}  // namespace ccm::serving
