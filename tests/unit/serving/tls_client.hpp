// A blocking client that sends exactly the bytes a test wants.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ccm::test {

struct TlsClientOptions {
  bool tls = true;
  int max_version = 0;      // TLS1_2_VERSION, ...
  std::string server_name;  // SNI
  std::string ciphers;
  std::string certificate_pem;  // of the client; empty: it shows none
  std::string key_pem;
  std::string chain_pem;  // further certificates, shown after it
  std::string groups;
  std::string from;  // an address of this machine; empty: the system chooses
};

class TlsClient {
 public:
  // Connects to 127.0.0.1; connected() says whether the handshake went well.
  explicit TlsClient(std::uint16_t port, const TlsClientOptions& options = {});
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  [[nodiscard]] bool connected() const;
  [[nodiscard]] std::string peer_pem() const;  // the server's certificate
  [[nodiscard]] std::string cipher() const;    // of the session
  [[nodiscard]] std::string protocol() const;  // "TLSv1.3"

  bool send(std::string_view bytes);
  // Asks for another handshake, as TLS 1.2 allows; false when the server ends the connection.
  bool renegotiate();
  // One answer with Content-Length, as text; what came until the end or for 10 s otherwise.
  std::string read_answer();
  // Whether the server has said or done something that was not read yet.
  [[nodiscard]] bool readable() const;
  // True when the server closes within 10 s without a further byte.
  bool closed_by_server();

  // send() and read_answer().
  std::string ask(std::string_view bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ccm::test
