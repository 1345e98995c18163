// An HTTP/1.1 client on Asio, Beast and OpenSSL: keep-alive pool per origin, TLS verification,
// proxies, time limits. It serves the Kubernetes client and, through the http host service, the
// plugins. Redirects are not followed and nothing is decompressed. Home thread: the one that runs
// the executor it was made with; every public function is called there. Beast stays inside net so
// that including this file compiles fast.
#pragma once

#include "net/certificates.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::net {

class WriteGate;

// The reason of a request's Status when there was no connection, or no TLS, to send it on: for
// callers that retry.
inline constexpr std::string_view kConnectFailed = "ConnectFailed";

struct Header {
  std::string name;
  std::string value;
  // Names of headers are the same in upper and lower case.
  [[nodiscard]] bool is(std::string_view wanted) const;
};

// GET and other methods that change nothing (RFC 9110 9.2.1).
[[nodiscard]] bool is_safe_method(std::string_view method);

struct Request {
  std::string method = "GET";
  std::string url;  // absolute: https://host:port/path?query
  std::vector<Header> headers;
  std::string body;
  // The whole exchange for send(), until the header for open(); 0 = none.
  std::chrono::milliseconds timeout{30'000};
  std::size_t max_response_bytes = 64u << 20;  // in the body, for send(); 0 = no limit
  // Asked right before the first byte leaves; shut, the request fails with WriteGate::refusal().
  // From then on a cancellation does not cut it: the request ends with its answer or its timeout,
  // and counts as under way until then. Null = always open, for requests that change nothing.
  std::shared_ptr<WriteGate> gate;
  // Requested on the home thread: the request ends as cancelled, except for a write that has passed
  // its gate. For send().
  std::stop_token stop{};
};

struct Response {
  unsigned status = 0;
  std::vector<Header> headers;
  std::string body;

  // The value of the first header of that name, compared without case; empty when absent.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

// A response whose body is read as it arrives (a watch). Destroying it closes the connection unless
// it was read to its end.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  [[nodiscard]] virtual const Response& head() const = 0;  // body empty
  // The next piece of the body, empty at its orderly end. A cut stream is unavailable. No time
  // limit of its own beyond `idle_timeout`, within which at least one byte has to arrive (0 =
  // none). After a failure every further call gives the same one. One call at a time.
  virtual boost::asio::awaitable<Result<std::string>> read(
      std::chrono::milliseconds idle_timeout) = 0;
};

struct ClientOptions {
  TlsOptions tls;
  std::string proxy_url;                        // http://, https:// or socks5://; empty = none
  bool proxy_from_environment = false;          // HTTP(S)_PROXY, NO_PROXY with CIDRs (API-100)
  std::size_t max_connections_per_origin = 32;  // streams are not counted (API-104)
  std::chrono::milliseconds tls_handshake_timeout{10'000};
  // When more than 4 connections are idle, the others are closed after a twentieth of it.
  std::chrono::milliseconds idle_connection_timeout{90'000};
  std::string user_agent;
};

class HttpClient {
 public:
  // `executor` must run on one thread. Bad PEM texts show on the first request, or at once through
  // check(). While connections are idle in the pool, a timer keeps io_context::run() from
  // returning; close_idle() or the destructor ends that.
  HttpClient(boost::asio::any_io_executor executor, ClientOptions options);
  ~HttpClient();  // running exchanges and open streams continue: they keep what they need alive
  HttpClient& operator=(HttpClient&&) = delete;

  // Status of the TLS texts and the proxy's URL, without any connection.
  [[nodiscard]] Status check() const;

  // One exchange. Any HTTP status is an ok Result. Failures: deadline_exceeded; unavailable
  // (refused, reset, name not found, cut body, garbage); unauthenticated for a failed verification
  // of the server (with its name and the reason) or for a refusal of our certificate;
  // resource_exhausted for a body or header above the limit; invalid_argument for a bad URL or
  // header; cancelled. Messages start with method and URL without its query.
  // A request that met a keep-alive connection which the server had closed before one byte of the
  // answer came is sent once more on a new connection (RFC 9110 9.2.2). For a method that writes
  // this needs that no byte of it was sent: else the write may have happened (API-70).
  boost::asio::awaitable<Result<Response>> send(Request request);

  // Sends a request whose answer has a body of unknown length; a stream has a separate connection.
  boost::asio::awaitable<Result<std::unique_ptr<ResponseStream>>> open(Request request);

  // New trust or credential: idle connections are closed, running exchanges end with the old one.
  // Bad texts allow no connection; check() says why.
  void set_tls(TlsOptions tls);
  void close_idle();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace ccm::net
