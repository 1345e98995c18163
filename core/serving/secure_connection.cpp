#include "serving/secure_connection.hpp"

#include "base/log.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <sys/socket.h>

#include <ctime>
#include <utility>

namespace ccm::serving {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using net::IoError;
using net::IoResult;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t kPiece = 4096;
constexpr std::size_t kMaxBody = 64u << 10;  // nothing here takes one; a small one is ignored
constexpr std::chrono::seconds kWriteTimeout{60};
constexpr std::chrono::seconds kLinger{1};
constexpr std::size_t kMaxDropped = 4u << 20;

std::string_view reason_phrase(unsigned status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Internal Server Error";
  }
}

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  tm parts{};
  gmtime_r(&now, &parts);
  char text[40];
  std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return text;
}

std::string render(const Answer& answer, bool head_only, bool keep_alive) {
  std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " ";
  text += reason_phrase(answer.status);
  text +=
      "\r\nCache-Control: no-cache, private\r\n"  // HOST-100
      "Content-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\nDate: ";
  text += date_now();
  text += "\r\nContent-Length: " + std::to_string(answer.body.size()) + "\r\n";
  if (!answer.allow.empty()) text += "Allow: " + std::string(answer.allow) + "\r\n";
  if (!keep_alive) text += "Connection: close\r\n";
  text += "\r\n";
  if (!head_only) text += answer.body;
  return text;
}

}  // namespace

struct SecureConnection::Parser {
  explicit Parser(std::size_t max_header) {
    message.header_limit(static_cast<std::uint32_t>(max_header));
    message.body_limit(kMaxBody);
    message.eager(true);
  }
  http::request_parser<http::string_body> message;
};

asio::awaitable<void> SecureConnection::run(net::TlsSession session) {
  const std::shared_ptr<net::Transport> transport = transport_;
  bool open = co_await handshake(std::move(session));
  while (open) {
    Parser parser(options_.max_header_bytes);
    const Read read = co_await read_request(&parser);
    if (read == Read::refused) co_await refuse(refusal_);
    if (read != Read::request) break;
    open = co_await respond(&parser);
  }
  transport->close();
}

asio::awaitable<bool> SecureConnection::handshake(net::TlsSession session) {
  if (!session.ssl) co_return false;
  transport_->set_deadline(steady_clock::now() + options_.read_header_timeout);
  const IoResult result = co_await transport_->handshake(std::move(session));
  if (result.error == IoError::none) co_return true;
  const std::string& why = transport_->error_text();
  if (result.error == IoError::tls && why.find("http request") != std::string::npos) {
    constexpr std::string_view kHint =
        "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n"
        "this port speaks HTTPS; the request was plain HTTP\n";
    const auto descriptor = transport_->socket().native_handle();
    // Best effort: whoever does not read it learns from the closed connection.
    (void)(::send(descriptor, kHint.data(), kHint.size(), MSG_NOSIGNAL) < 0);
    ::shutdown(descriptor, SHUT_WR);
  }
  if (result.error == IoError::tls) {
    if (const auto verbose = log::v(2)) verbose.info("TLS handshake failed", {{"err", why}});
  }
  co_return false;
}

asio::awaitable<SecureConnection::Read> SecureConnection::read_request(Parser* parser) {
  bool begun = !received_.empty();
  const auto limit = begun ? options_.read_header_timeout : options_.idle_timeout;
  transport_->set_deadline(steady_clock::now() + limit);
  while (true) {
    if (!received_.empty()) {
      boost::beast::error_code error;
      const std::size_t used =
          parser->message.put(asio::const_buffer(received_.data(), received_.size()), error);
      received_.erase(0, used);
      if (error == http::error::need_more) error = {};
      if (error) {
        refusal_ = error == http::error::header_limit ? 431
                   : error == http::error::body_limit ? 413
                                                      : 400;
        co_return Read::refused;
      }
      if (parser->message.is_done()) break;
    }
    if (received_.size() > options_.max_header_bytes + kPiece) {
      refusal_ = 431;
      co_return Read::refused;
    }
    char piece[kPiece];
    const IoResult got = co_await transport_->read_some(piece, sizeof piece);
    if (got.error != IoError::none) co_return Read::end;
    received_.append(piece, got.bytes);
    if (!begun) transport_->set_deadline(steady_clock::now() + options_.read_header_timeout);
    begun = true;
  }
  active_ = steady_clock::now();
  const auto& request = parser->message.get();
  const bool host_missing = request.version() == 11 && request.count(http::field::host) != 1;
  if (!host_missing) co_return Read::request;
  refusal_ = 400;
  co_return Read::refused;
}

asio::awaitable<bool> SecureConnection::respond(const Parser* parser) {
  const auto& request = parser->message.get();
  const std::string_view method(request.method_string().data(), request.method_string().size());
  const std::string_view target(request.target().data(), request.target().size());
  const Answer answer = answer_request(method, target, registry_);
  co_return co_await send(answer, method == "HEAD", parser->message.keep_alive());
}

asio::awaitable<void> SecureConnection::refuse(unsigned status) {
  Answer answer;
  answer.status = status;
  answer.body = std::to_string(status) + " " + std::string(reason_phrase(status)) + "\n";
  co_await send(answer, false, false);
  // Closing on bytes that nobody read would reset the connection, and the answer with it.
  transport_->set_deadline(steady_clock::now() + kLinger);
  char piece[kPiece];
  for (std::size_t dropped = 0; dropped < kMaxDropped;) {
    const IoResult got = co_await transport_->read_some(piece, sizeof piece);
    if (got.error != IoError::none) break;
    dropped += got.bytes;
  }
}

asio::awaitable<bool> SecureConnection::send(Answer answer, bool head_only, bool keep_alive) {
  transport_->set_deadline(steady_clock::now() + kWriteTimeout);
  const std::string text = render(answer, head_only, keep_alive);
  const IoResult sent = co_await transport_->write(text);
  co_return sent.error == IoError::none&& keep_alive;
}

}  // namespace ccm::serving
