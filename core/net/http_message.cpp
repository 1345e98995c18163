#include "net/http_message.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <strings.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ccm::net {
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

void ResponseParser::on_response_impl(int code, string_view, int, error_code&) {
  response.status = static_cast<unsigned>(code);
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

std::size_t ResponseParser::on_chunk_body_impl(std::uint64_t, string_view body, error_code& error) {
  return on_body_impl(body, error);
}

}  // namespace ccm::net
