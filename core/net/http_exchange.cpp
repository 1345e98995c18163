#include "net/http_exchange.hpp"

namespace ccm::net {

namespace asio = boost::asio;

namespace {
constexpr std::size_t kScratchBytes = 32u << 10;
constexpr std::size_t kJoinedBody = 16u << 10;  // sent together with the header
constexpr unsigned kMaxInterim = 16;
}  // namespace

bool refuses_our_certificate(const std::string& text) {
  // "sslv3 alert bad certificate", "tlsv13 alert certificate required", "tlsv1 alert unknown ca"
  return text.find("alert") != std::string::npos &&
         (text.find("certificate") != std::string::npos ||
          text.find("unknown ca") != std::string::npos ||
          text.find("access denied") != std::string::npos);
}

Status io_failure(const Transport& transport, IoError error, std::string_view doing) {
  const std::string where = " while " + std::string(doing);
  switch (error) {
    case IoError::timed_out:
      return Status(Code::deadline_exceeded, ErrorClass::unavailable, "timed out" + where);
    case IoError::cancelled:
      return Status(Code::cancelled, "cancelled" + where);
    case IoError::end:
      return Status(Code::unavailable, ErrorClass::unavailable,
                    "the server closed the connection" + where);
    default:
      if (error == IoError::tls && refuses_our_certificate(transport.error_text())) {
        return Status(Code::unauthenticated, ErrorClass::auth,
                      "the server refused our client certificate (" + transport.error_text() + ")");
      }
      return Status(Code::unavailable, ErrorClass::unavailable,
                    "the connection broke" + where + ": " + transport.error_text());
  }
}

// ---- ResponseReader ----

ResponseReader::ResponseReader(bool head_request, std::size_t max_body)
    : head_request_(head_request), max_body_(max_body) {
  parser_.emplace(head_request_, max_body_);
}

bool ResponseReader::reusable(const Connection& connection) const {
  return parser_->is_done() && parser_->keep_alive() && connection.leftover.empty();
}

Status ResponseReader::parse(Connection* connection, std::string_view received) {
  std::string& leftover = connection->leftover;
  const bool joined = !leftover.empty();
  if (joined) leftover.append(received);
  std::string_view data = joined ? std::string_view(leftover) : received;
  std::size_t consumed = 0;
  while (!parser_->is_done() && consumed < data.size()) {
    const Result<std::size_t> count = parser_->feed(data.substr(consumed));
    if (!count.ok()) return count.status();
    consumed += *count;
    const bool interim = parser_->is_done() && parser_->response.status / 100 == 1;
    if (!interim) {
      if (!parser_->is_done()) break;
      continue;
    }
    if (parser_->response.status == 101 || ++interim_ > kMaxInterim) {
      return Status(Code::unavailable, ErrorClass::unavailable,
                    "the server answered with an unexpected interim status");
    }
    parser_.emplace(head_request_, max_body_);
  }
  if (joined) {
    leftover.erase(0, consumed);
  } else if (consumed < data.size()) {
    leftover.assign(data.substr(consumed));
  }
  if (leftover.size() > kMaxHeaderBytes + kScratchBytes) {
    return Status(Code::unavailable, ErrorClass::unavailable,
                  "malformed HTTP answer: a line without an end");
  }
  return {};
}

asio::awaitable<Status> ResponseReader::receive_some(Connection* connection, Scratch* scratch) {
  if (scratch->empty()) scratch->resize(kScratchBytes);
  Transport& transport = *connection->transport;
  const IoResult result = co_await transport.read_some(scratch->data(), scratch->size());
  if (result.error == IoError::none) {
    any_byte_ = true;
    co_return parse(connection, std::string_view(scratch->data(), result.bytes));
  }
  if (result.error == IoError::end) {
    ended_early_ = !any_byte_;
    co_return parser_->finish();
  }
  ended_early_ = !any_byte_ && (result.error == IoError::cut || result.error == IoError::reset);
  const bool in_body = parser_->is_header_done();
  co_return io_failure(transport, result.error,
                       in_body ? "reading the answer's body" : "waiting for the answer");
}

asio::awaitable<Status> ResponseReader::receive(Connection* connection, Scratch* scratch,
                                                bool whole) {
  while (whole ? !parser_->is_done() : !parser_->is_header_done()) {
    Status status = co_await receive_some(connection, scratch);
    if (!status.ok()) co_return status;
  }
  co_return Status();
}

// ---- exchange ----

asio::awaitable<ExchangeOutcome> exchange(Connection* connection, const Request* request,
                                          std::string head, ResponseReader* reader,
                                          Scratch* scratch, bool whole) {
  Transport& transport = *connection->transport;
  const bool joined = request->body.size() <= kJoinedBody;
  if (joined) head.append(request->body);
  IoResult sent = co_await transport.write(head);
  if (sent.error == IoError::none && !joined) sent = co_await transport.write(request->body);

  ExchangeOutcome outcome;
  const bool broke = sent.error != IoError::none;
  // A server that refuses a large body may answer and close before it has read all of it.
  const bool answer_possible =
      !broke || (sent.error == IoError::reset && !(joined && sent.bytes == 0));
  if (answer_possible) outcome.status = co_await reader->receive(connection, scratch, whole);
  if (broke && !(answer_possible && outcome.status.ok())) {
    outcome.status = io_failure(transport, sent.error, "sending the request");
  }
  if (outcome.status.ok()) co_return outcome;

  const bool lost = broke ? sent.error == IoError::reset : reader->ended_early();
  const bool nothing_sent = broke && joined && sent.bytes == 0;
  outcome.repeatable = connection->used && lost && !reader->any_byte() &&
                       (nothing_sent || is_safe_method(request->method));
  co_return outcome;
}

}  // namespace ccm::net
