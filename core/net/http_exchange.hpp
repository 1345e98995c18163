// HTTP/1.1: a request as bytes, bytes as a response, and one exchange of them on a connection.
// For net, and for the port forwarding of ccmctl (Beast's parser shows).
#pragma once

#include "net/connection_pool.hpp"
#include "net/http_client.hpp"
#include "net/url.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::net {

// Limits of one answer: all header fields together.
inline constexpr std::size_t kMaxHeaderBytes = 1u << 20;
inline constexpr std::size_t kMaxHeaderFields = 512;

// Checks method and headers. A body is appended by the caller. `absolute_form`: for a plain-http
// proxy, with its credentials in `proxy_authorization`.
Result<std::string> request_head(const Request& request, const Url& url,
                                 std::string_view user_agent, bool absolute_form,
                                 std::string_view proxy_authorization);

// Parses one response, final or 1xx, without I/O. Body bytes collect in `response.body`.
class ResponseParser final : public boost::beast::http::basic_parser<false> {
 public:
  // `head_request`: the answer has no body whatever its header says. `max_body` 0 = no limit.
  ResponseParser(bool head_request, std::size_t max_body);

  // Consumes as much of `data` as possible, and returns the number of bytes. A failure names the
  // fault: resource_exhausted for a body or header over its limit, else unavailable (garbage).
  Result<std::size_t> feed(std::string_view data);

  // The connection ended. Ok when that is an orderly end of this response.
  Status finish();

  Response response;

 private:
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;
  using field = boost::beast::http::field;
  using verb = boost::beast::http::verb;

  void on_request_impl(verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int code, string_view, int, error_code&) override {
    response.status = static_cast<unsigned>(code);
  }
  void on_field_impl(field name, string_view text, string_view value, error_code& error) override;
  void on_header_impl(error_code& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code& error) override;
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code& error) override {
    return on_body_impl(body, error);
  }
  void on_finish_impl(error_code&) override {}

  std::size_t max_body_;
  std::size_t header_bytes_ = 0;
  bool header_done_ = false;
  bool rest_ = false;  // feed() left bytes for its next call
};

// A receive buffer for all connections of a thread: what is received is parsed before the next
// suspension, only an unfinished rest stays with its connection.
using Scratch = std::vector<char>;

// Whether OpenSSL's text means that the peer refuses our certificate. In TLS 1.3 this shows after
// the handshake, in place of the first answer.
bool refuses_our_certificate(const std::string& text);

// The Status of an I/O error; `doing` = "waiting for the answer".
Status io_failure(const Transport& transport, IoError error, std::string_view doing);

// Reads one answer; skips interim ones (1xx).
class ResponseReader {
 public:
  ResponseReader(bool head_request, std::size_t max_body);

  // Until the header has arrived, or, with `whole`, until the end of the body.
  boost::asio::awaitable<Status> receive(Connection* connection, Scratch* scratch, bool whole);

  // Receives once; for streams.
  boost::asio::awaitable<Status> receive_some(Connection* connection, Scratch* scratch);

  [[nodiscard]] bool done() const { return parser_->is_done(); }
  [[nodiscard]] bool any_byte() const { return any_byte_; }
  [[nodiscard]] bool ended_early() const { return ended_early_; }
  // The connection can carry another exchange.
  [[nodiscard]] bool reusable(const Connection& connection) const {
    return parser_->is_done() && parser_->keep_alive() && connection.leftover.empty();
  }
  [[nodiscard]] Response& response() { return parser_->response; }

 private:
  Status parse(Connection* connection, std::string_view received);

  bool head_request_;
  std::size_t max_body_;
  std::optional<ResponseParser> parser_;
  unsigned interim_ = 0;
  bool any_byte_ = false;
  bool ended_early_ = false;  // the connection ended or broke before one byte of the answer
};

struct ExchangeOutcome {
  Status status;
  // The server cannot have acted upon the request, or acting twice does no harm (RFC 9110 9.2.2).
  bool repeatable = false;
};

// Sends the request and reads the answer's header, with `whole` its body too.
boost::asio::awaitable<ExchangeOutcome> exchange(Connection* connection, const Request* request,
                                                 std::string head, ResponseReader* reader,
                                                 Scratch* scratch, bool whole);

}  // namespace ccm::net
