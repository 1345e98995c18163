// The HTTPS endpoint of the process (HOST-51..58): connections, their limits, and a site's pages.
// Home thread: the executor's; every public function of SecureServer is called there.
#pragma once

#include "serving/site.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ccm::serving {

// A further certificate for clients that name one of its hosts (HOST-58).
struct SniCertificate {
  std::string certificate_file;
  std::string key_file;
  std::vector<std::string> patterns;  // "a.example" or "*.example"; empty = the certificate's own
};

struct ServingOptions {
  std::string bind_address = "0.0.0.0";  // unspecified = all families (HOST-51)
  std::uint16_t port = 10258;            // 0 = nothing is served (HOST-52)
  bool any_port = false;                 // the system picks a port; `port` is not looked at
  bool permit_port_sharing = false;      // SO_REUSEPORT

  // The pair wins over the folder; without both the certificate is self-signed, in memory.
  std::string certificate_file;  // re-read when it changes (HOST-54)
  std::string private_key_file;
  std::string certificate_directory;  // its pair is generated when absent (HOST-53)
  std::vector<SniCertificate> sni_certificates;

  int min_tls_version = 0x0303;     // TLS 1.2, as in SSL_CTX_set_min_proto_version (HOST-56)
  std::string cipher_list;          // OpenSSL's names for TLS 1.2 and before; empty = ours
  std::string ciphersuites;         // for TLS 1.3; empty = OpenSSL's
  std::vector<std::string> groups;  // OpenSSL's names; empty = Go's (HOST-57)

  // HOST-105. Less than Go's 1 MiB: a request here has only a token and some groups of its user.
  std::size_t max_header_bytes = 64u << 10;
  std::chrono::milliseconds read_header_timeout{32'000};  // also the limit of the TLS handshake
  std::chrono::milliseconds idle_timeout{90'000};
  // Limits of all clients, and of those without an allowed request so far. Beyond the limit one of
  // these makes room for the new one: of the address with the most connections, the one that has
  // been silent for longest.
  std::size_t max_connections = 256;
  std::size_t max_strangers = 128;
  // Their share of a core, and how much of it they can use at once.
  double strangers_share = 0.025;
  std::chrono::nanoseconds strangers_saved{std::chrono::milliseconds(100)};
  // Limit of the unanswered requests of all connections. Beyond it, requests above 16 KiB are
  // refused.
  std::size_t max_unread_bytes = 2u << 20;
  // Called with the SHA-256 of the certificate that clients see who name no host, whenever it is
  // read; may be empty.
  std::function<void(std::string fingerprint)> certificate_in_use;
};

class SecureServer {
 public:
  SecureServer(boost::asio::any_io_executor executor, ServingOptions options,
               std::shared_ptr<Site> site);
  ~SecureServer();  // stop()
  SecureServer& operator=(SecureServer&&) = delete;

  // Reads or makes the certificates, binds and starts to accept. Failures, each one clear line:
  // invalid_argument for a bad certificate, key, cipher or address; unavailable when the address
  // cannot be had ("cannot listen on 0.0.0.0:10258: address already in use; …").
  Status start();

  // The port that is listened on; 0 before start() and when nothing is served.
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;
  // Bytes of requests that were received and have no answer yet, in all connections together.
  [[nodiscard]] std::size_t unread_bytes() const;

  // Closes the listener and all connections. Cannot be started again.
  void stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace ccm::serving
