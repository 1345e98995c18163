// A scripted HTTP(S) server on loopback for unit tests: request in, reply out, faults on demand.
// One thread per connection, so that a handler may block until the test lets it go on.
#pragma once

#include "test_certificates.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::test {

struct ServerRequest {
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  unsigned connection = 0;     // which one, counted from 1 in the order of accept()
  unsigned number = 0;         // on that connection, from 1
  bool resumed = false;        // its TLS session is a resumed one
  std::string server_name;     // SNI
  std::string client_subject;  // of the client's certificate, "CN=..."

  // Compared without case; empty when absent.
  [[nodiscard]] std::string header(std::string_view name) const;
};

struct ServerReply {
  unsigned status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::vector<std::string> chunks;  // sent one by one with chunked coding instead of `body`
  std::function<void(std::size_t)> before_chunk;  // called with its index; may block
  bool no_last_chunk = false;                     // the stream ends in a cut
  std::string raw;                                // sent as it is instead of all of the above
  std::chrono::milliseconds delay{0};    // before the first byte; ends early with the server
  std::optional<std::size_t> cut_after;  // after that many bytes of the answer, close
  bool close = false;                    // close after the answer without having said so
  bool reset = false;                    // close by RST, without any answer
};

struct ServerOptions {
  std::optional<Certificate> certificate;  // none = plain HTTP
  std::string client_authority_pem;        // not empty = a client certificate is demanded
  int max_tls_version = 0;                 // TLS1_2_VERSION, ...; 0 = the newest
  // Takes over a connection from its first byte, for what is not HTTP. (descriptor, number)
  std::function<void(int, unsigned)> raw_connection;
};

class TestHttpServer {
 public:
  using Handler = std::function<ServerReply(const ServerRequest&)>;

  explicit TestHttpServer(Handler handler, ServerOptions options = {});
  ~TestHttpServer();  // ends all connections
  TestHttpServer(const TestHttpServer&) = delete;
  TestHttpServer& operator=(const TestHttpServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::string url(std::string_view target = "/") const;  // with 127.0.0.1
  [[nodiscard]] unsigned connections() const;                          // accepted so far
  [[nodiscard]] unsigned open_connections() const;
  [[nodiscard]] std::vector<ServerRequest> requests() const;

  // False after 10 s. The predicates see the counts of connections and requests.
  bool wait_for_requests(std::size_t count) const;
  bool wait_for_open_connections(unsigned count) const;

  // Ends all connections that are open now, orderly, as a server does with idle ones.
  void close_connections();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ccm::test
