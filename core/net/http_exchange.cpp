#include "net/http_exchange.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <strings.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ccm::net {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

constexpr std::size_t kTypicalHeaders = 10;
// Without the target and the request's own headers, with a small body after it.
constexpr std::size_t kTypicalHead = 768;
constexpr std::string_view kLastChunk = "0\r\n\r\n";

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool is_field_byte(char c) {
  return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

// Not zero when one of eight bytes is below `limit` (at most 0x80), and only then.
constexpr std::uint64_t kEachByte = 0x0101010101010101;
constexpr std::uint64_t any_below(std::uint64_t bytes, unsigned char limit) {
  return (bytes - kEachByte * limit) & ~bytes & (kEachByte * 0x80);
}

// Eight bytes at a time: a token of a thousand goes out with every request.
bool is_field_value(std::string_view text) {
  for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data(), sizeof(bytes));
    if ((any_below(bytes, 0x20) | any_below(bytes ^ (kEachByte * 0x7f), 1)) == 0) continue;
    // A tab is allowed.
    if (!std::all_of(text.begin(), text.begin() + sizeof(bytes), is_field_byte)) return false;
  }
  return std::all_of(text.begin(), text.end(), is_field_byte);
}

Status bad_request(std::string why) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(why));
}

Status garbage(const std::string& why) {
  return Status(Code::unavailable, ErrorClass::unavailable, "malformed HTTP answer: " + why);
}

bool has_body_by_habit(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

void add(std::string* head, std::string_view name, std::string_view value) {
  head->append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

bool Header::is(std::string_view wanted) const {
  return name.size() == wanted.size() &&
         strncasecmp(name.data(), wanted.data(), wanted.size()) == 0;
}

std::string_view Response::header(std::string_view name) const {
  for (const Header& entry : headers) {
    if (entry.is(name)) return entry.value;
  }
  return {};
}

bool is_safe_method(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "TRACE";
}

Result<std::string> request_head(const Request& request, const Url& url,
                                 std::string_view user_agent, bool absolute_form,
                                 std::string_view proxy_authorization) {
  if (!is_token(request.method)) return bad_request("the request's method is not a token");
  std::size_t size = kTypicalHead + url.target.size();
  for (const Header& entry : request.headers) size += entry.name.size() + entry.value.size();
  std::string head;
  head.reserve(size);
  head.append(request.method).append(" ");
  if (absolute_form) head.append(url.scheme).append("://").append(url.host_header());
  head.append(url.target).append(" HTTP/1.1\r\n");

  bool has_host = false;
  bool has_agent = user_agent.empty();
  for (const Header& entry : request.headers) {
    if (!is_token(entry.name) || !is_field_value(entry.value)) {
      return bad_request("a request header has a character that headers do not have");
    }
    if (entry.is("content-length") || entry.is("transfer-encoding")) {
      return bad_request("the header " + entry.name + " follows from the body, do not set it");
    }
    has_host = has_host || entry.is("host");
    has_agent = has_agent || entry.is("user-agent");
  }
  if (!has_host) add(&head, "Host", url.host_header());
  if (!has_agent) {
    if (!is_field_value(user_agent)) return bad_request("the user agent is not a header's value");
    add(&head, "User-Agent", user_agent);
  }
  for (const Header& entry : request.headers) add(&head, entry.name, entry.value);
  if (!proxy_authorization.empty()) add(&head, "Proxy-Authorization", proxy_authorization);
  if (!request.body.empty() || has_body_by_habit(request.method)) {
    add(&head, "Content-Length", std::to_string(request.body.size()));
  }
  head.append("\r\n");
  return head;
}

ResponseParser::ResponseParser(bool head_request, std::size_t max_body) : max_body_(max_body) {
  eager(true);
  skip(head_request);
  header_limit(kMaxHeaderBytes);
  // We enforce the limit: Beast's own is checked against Content-Length even for HEAD.
  body_limit(boost::none);
  response.headers.reserve(kTypicalHeaders);
}

Result<std::size_t> ResponseParser::feed(std::string_view data) {
  // Beast 1.81 asserts that "0\r\n" of the last chunk is passed again with two more bytes, not with
  // one.
  if (rest_ && is_header_done() && chunked() && data.size() < kLastChunk.size()) {
    return std::size_t{0};
  }
  std::size_t consumed = 0;
  while (!is_done()) {
    error_code error;
    const std::size_t count =
        put(boost::asio::const_buffer(data.data() + consumed, data.size() - consumed), error);
    consumed += count;
    if (error == http::error::need_more) break;
    if (error == http::error::header_limit) {
      return Status(Code::resource_exhausted,
                    "the answer's header is larger than 1 MiB or has more than " +
                        std::to_string(kMaxHeaderFields) + " fields");
    }
    if (error == http::error::body_limit) {
      return Status(Code::resource_exhausted,
                    "the answer's body is larger than " + std::to_string(max_body_) + " bytes");
    }
    if (error) return garbage(error.message());
    if (consumed == data.size()) break;
  }
  rest_ = consumed < data.size();
  return consumed;
}

Status ResponseParser::finish() {
  if (!got_some()) {
    return Status(Code::unavailable, ErrorClass::unavailable,
                  "the server closed the connection without an answer");
  }
  error_code error;
  if (!is_done()) put_eof(error);
  if (!error) return {};
  const std::string what = is_header_done() ? "body" : "header";
  return Status(Code::unavailable, ErrorClass::unavailable,
                "the connection ended in the middle of the answer's " + what);
}

// Beast's own limit applies to what arrives at once, so fields could go on without end.
void ResponseParser::on_field_impl(field name, string_view text, string_view value,
                                   error_code& error) {
  if (header_done_) return;  // a trailer: it must not be taken for a header
  // Beast takes any other one for none, and so the body's framing for its content.
  if (name == field::transfer_encoding && !boost::beast::iequals(value, "chunked")) {
    error = http::error::bad_transfer_encoding;
    return;
  }
  header_bytes_ += text.size() + value.size() + std::string_view(": \r\n").size();
  if (header_bytes_ > kMaxHeaderBytes || response.headers.size() == kMaxHeaderFields) {
    error = http::error::header_limit;
    return;
  }
  response.headers.push_back(
      Header{std::string(text.data(), text.size()), std::string(value.data(), value.size())});
}

void ResponseParser::on_header_impl(error_code& error) {
  header_done_ = true;
  // Beast has derived this from the fields before it calls this; is_done() = no body.
  if (is_done() || max_body_ == 0) return;
  const auto length = content_length_remaining();
  if (!length) return;
  if (*length > max_body_) {
    error = http::error::body_limit;
    return;
  }
  // The announced size is believed up to a size that costs nothing.
  response.body.reserve(std::min<std::uint64_t>(*length, 1u << 20));
}

std::size_t ResponseParser::on_body_impl(string_view body, error_code& error) {
  if (max_body_ != 0 && body.size() > max_body_ - response.body.size()) {
    error = http::error::body_limit;
    return 0;
  }
  response.body.append(body.data(), body.size());
  return body.size();
}

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
