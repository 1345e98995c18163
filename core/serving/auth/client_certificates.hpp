// Client certificates, and the authorities that are trusted to sign them. The server's thread.
#pragma once

#include "net/tls_context.hpp"

#include <ccm/status.hpp>

#include <openssl/x509.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::serving {

class Authority;

// The certificates that a client showed in its handshake. The handshake proves that it has the key
// of the first one; the signers are checked with the first request, and again when the authorities
// have changed.
class PeerCertificates {
 public:
  // Null when the client showed none. After the handshake.
  static std::shared_ptr<const PeerCertificates> of(const SSL* session);

  [[nodiscard]] X509* leaf() const { return leaf_.get(); }
  [[nodiscard]] const std::vector<net::Openssl<X509>>& intermediates() const { return rest_; }

  // Authority::verify(), called once for each authority and again after the chain's end. A failure
  // is remembered for a minute.
  [[nodiscard]] Status verified_by(const std::shared_ptr<const Authority>& authority) const;

  // CN and all O of the leaf's subject.
  [[nodiscard]] std::string common_name() const;
  [[nodiscard]] std::vector<std::string> organizations() const;

 private:
  net::Openssl<X509> leaf_;
  std::vector<net::Openssl<X509>> rest_;
  struct Known {
    std::weak_ptr<const Authority> authority;
    Status status;
    std::chrono::system_clock::time_point until;
  };
  mutable std::vector<Known> known_;  // of existing authorities
};

// When it expires; 1970 when that cannot be read.
std::chrono::system_clock::time_point end_of(const X509* certificate);

// A bundle of certificate authorities whose client certificates are trusted. Immutable.
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
