// The certificates that a client showed in its handshake. The handshake proves that it has the key
// of the first one; the signers are checked with the first request, and again when the authorities
// have changed. The server's thread.
#pragma once

#include "net/tls_context.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace ccm::serving {

class Authority;

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

}  // namespace ccm::serving
