// TLS of the client side: converts PEM texts to an OpenSSL context, and a failed verification to a
// sentence with the peer's name and the fault.
// Home thread of the client; a context may be shared by clients of one thread only.
#pragma once

#include "net/certificates.hpp"
#include "net/hello_guard.hpp"

#include <ccm/status.hpp>

#include <openssl/ssl.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace ccm::net {

struct OpensslDelete {
  void operator()(SSL* p) const { SSL_free(p); }
  void operator()(SSL_CTX* p) const { SSL_CTX_free(p); }
  void operator()(SSL_SESSION* p) const { SSL_SESSION_free(p); }
  void operator()(X509* p) const { X509_free(p); }
  void operator()(X509_STORE* p) const { X509_STORE_free(p); }
  void operator()(X509_STORE_CTX* p) const { X509_STORE_CTX_free(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(BIO* p) const { BIO_free_all(p); }
};
template <typename T>
using Openssl = std::unique_ptr<T, OpensslDelete>;

class TlsContext;

// The result of verifying a peer; belongs to one TLS session and outlives its handshake.
struct PeerCheck {
  std::weak_ptr<TlsContext> context;  // where its session ticket goes
  std::string session_key;
  std::string wanted;       // the name or address that the certificate has to be for
  std::string fingerprint;  // or the certificate itself; empty = any that is trusted
  int error = X509_V_OK;
  std::string problem;  // one clause about the first failure
};

// A TLS session without a transport below it yet.
struct TlsSession {
  std::unique_ptr<PeerCheck> check;   // a client's
  std::unique_ptr<HelloGuard> guard;  // a server's
  Openssl<SSL> ssl;                   // refers to those
};

class TlsContext : public std::enable_shared_from_this<TlsContext> {
 public:
  // Fails with invalid_argument: "client certificate: …", "certificate authority: …".
  static Result<std::shared_ptr<TlsContext>> make(const TlsOptions& options);

  // A client session to `host` (a name or an address), set up to resume an earlier one with the
  // same `session_key`.
  Result<TlsSession> connect_to(std::string_view host, const std::string& session_key);

  // Keeps the newest session ticket of a peer; called by OpenSSL's hook.
  void remember(const std::string& session_key, Openssl<SSL_SESSION> session);

 private:
  TlsContext() = default;
  Openssl<SSL_CTX> context_;
  std::string server_name_;
  std::string fingerprint_;
  bool verify_ = true;
  // Reading the system's bundle takes 100 ms, so it waits for the first session: many clients never
  // have one.
  bool needs_system_authorities_ = false;
  std::map<std::string, Openssl<SSL_SESSION>> sessions_;
};

// Loads a certificate chain and its key; used by the serving side too. `what` starts the message.
Status use_certificate(SSL_CTX* context, const std::string& certificate_pem,
                       const std::string& key_pem, std::string_view what);

// SHA-256 of a certificate, 64 hexadecimal digits.
std::string fingerprint_of(const X509* certificate);

// Takes OpenSSL's errors of this thread as one text and empties the queue; "" when there are none.
std::string take_openssl_errors();

// The certificate's problem as a clause: "the certificate is for a, b; wanted c", "it expired on
// …".
std::string describe_certificate_problem(int error, int depth, X509* certificate,
                                         std::string_view wanted);

}  // namespace ccm::net
