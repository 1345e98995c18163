// The certificates that a client showed in its handshake. The handshake proves that it has the key
// of the first one; who signed it is looked at for each request, since authorities change. The
// server's thread.
#pragma once

#include "net/tls_context.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ccm::serving {

class PeerCertificates {
 public:
  // Null when the client showed none. After the handshake.
  static std::shared_ptr<const PeerCertificates> of(const SSL* session);

  [[nodiscard]] X509* leaf() const { return leaf_.get(); }
  [[nodiscard]] const std::vector<net::Openssl<X509>>& intermediates() const { return rest_; }

  // CN and all O of the leaf's subject.
  [[nodiscard]] std::string common_name() const;
  [[nodiscard]] std::vector<std::string> organizations() const;

 private:
  net::Openssl<X509> leaf_;
  std::vector<net::Openssl<X509>> rest_;
};

}  // namespace ccm::serving
