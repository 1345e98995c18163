// The server's certificates: their sources, and re-reading them when their files change. The
// server's thread. Internal to serving.
#pragma once

#include "kube/file_text.hpp"
#include "net/tls_context.hpp"
#include "serving/secure_server.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace ccm::serving {

class ServingCertificates {
 public:
  explicit ServingCertificates(const ServingOptions& options) : options_(options) {}
  ~ServingCertificates();
  ServingCertificates& operator=(ServingCertificates&&) = delete;

  // First loading: a failure names the file and what is wrong with it.
  Status load();

  // A server session with the files' current content. Checks them on each connection, which costs
  // two stat() calls and needs no watch; an unusable new pair is logged and the old one stays in
  // use.
  net::TlsSession new_session();

 private:
  struct Pair {
    std::string certificate_file;  // empty = the generated one, which never changes
    std::string key_file;
    std::vector<std::string> patterns;
    std::vector<kube::FileStamp> stamps;
    net::Openssl<SSL_CTX> context;
    std::vector<std::string> names;  // by which clients request it
    std::chrono::steady_clock::time_point retry_at;
  };

  Status find_default_pair(Pair* pair);
  Status load_pair(Pair* pair);
  void refresh(Pair* pair);
  void report_expiry() const;
  void report_certificate() const;
  Result<net::Openssl<SSL_CTX>> make_context(const std::string& certificate_pem,
                                             const std::string& key_pem, const std::string& what);
  Status configure(SSL_CTX* context);
  static int on_server_name(SSL* session, int*, void* self);

  const ServingOptions& options_;
  Pair default_;
  std::vector<Pair> sni_;
};

}  // namespace ccm::serving
