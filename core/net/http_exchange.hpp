// One request and its answer on one connection. Internal to net.
#pragma once

#include "net/connection_pool.hpp"
#include "net/http_message.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::net {

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
  [[nodiscard]] bool reusable(const Connection& connection) const;
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
