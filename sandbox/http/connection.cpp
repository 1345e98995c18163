#include "http/connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <array>
#include <cctype>
#include <cstdio>
#include <ctime>

namespace sandbox::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;
using TlsSocket = asio::ssl::stream<tcp::socket>;
using Parser = beast::http::request_parser<beast::http::string_body>;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadCeiling = 16 * 1024 * 1024;  // beyond this the connection ends
constexpr std::size_t kChunk = 64 * 1024;

tcp::socket& socket_of(tcp::socket& stream) { return stream; }
tcp::socket& socket_of(TlsSocket& stream) { return stream.next_layer(); }

template <typename Stream>
class Connection {
 public:
  Connection(Stream stream, Handler& handler)
      : stream_(std::move(stream)), signal_(stream_.get_executor()), handler_(handler) {}

  Stream& stream() { return stream_; }
  static asio::awaitable<void> run(std::shared_ptr<Connection> self);

 private:
  static asio::awaitable<void> read_ahead(std::shared_ptr<Connection> self);
  asio::awaitable<bool> read_request(Parser& parser);
  asio::awaitable<bool> answer(std::shared_ptr<Connection> self, Reply reply, bool keep_alive,
                               bool head_only);
  asio::awaitable<bool> send_stream(std::shared_ptr<Connection> self, Reply& reply,
                                    bool keep_alive);
  asio::awaitable<void> wait_until(Clock::time_point when);
  asio::awaitable<bool> write(std::string_view data);
  std::string head(const Response& response, bool chunked, bool keep_alive) const;
  void reset();

  Stream stream_;
  beast::flat_buffer buffer_;
  std::string out_;
  // Woken by stream data and by the end of read_ahead().
  asio::steady_timer signal_;
  bool reading_ahead_ = false;
  bool peer_gone_ = false;
  Handler& handler_;
};

std::string media_type(std::string_view header) {
  std::string out;
  for (char c : header.substr(0, header.find(';'))) {
    if (c != ' ') out.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return out;
}

Request make_request(Parser::value_type&& message) {
  namespace field = beast::http;
  Request request;
  request.method = message.method_string();
  std::string_view target = message.target();
  std::size_t question = target.find('?');
  request.target = target;
  request.path = target.substr(0, question);
  if (question != std::string_view::npos) request.query = Query::parse(target.substr(question + 1));
  request.authorization = message[field::field::authorization];
  request.accept = message[field::field::accept];
  request.content_type = media_type(message[field::field::content_type]);
  request.user_agent = message[field::field::user_agent];
  request.body_too_large = message.body().size() > kBodyLimit;
  if (!request.body_too_large) request.body = std::move(message.body());
  return request;
}

// "Tue, 24 Nov 2026 00:01:02 GMT", by which clients notice that a clock is wrong.
std::string date_of_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(),
          std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

template <typename Stream>
std::string Connection<Stream>::head(const Response& response, bool chunked,
                                     bool keep_alive) const {
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + ' ' +
                    reason_phrase(response.status) + "\r\nContent-Type: " + response.content_type +
                    "\r\nDate: " + date_of_now() + "\r\n";
  for (const auto& [name, value] : response.headers) out += name + ": " + value + "\r\n";
  if (chunked) {
    out += "Transfer-Encoding: chunked\r\n";
  } else {
    out += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  }
  if (!keep_alive) out += "Connection: close\r\n";
  return out + "\r\n";
}

template <typename Stream>
asio::awaitable<bool> Connection<Stream>::write(std::string_view data) {
  error_code error;
  co_await asio::async_write(stream_, asio::buffer(data.data(), data.size()),
                             asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

template <typename Stream>
void Connection<Stream>::reset() {
  error_code ignored;
  socket_of(stream_).set_option(asio::socket_base::linger(true, 0), ignored);
  socket_of(stream_).close(ignored);
}

// While a stream is being sent nobody else reads: bytes that arrive belong to the next request,
// an error means that the client has gone.
template <typename Stream>
asio::awaitable<void> Connection<Stream>::read_ahead(std::shared_ptr<Connection> self) {
  error_code error;
  auto space = self->buffer_.prepare(4096);
  std::size_t count = co_await self->stream_.async_read_some(
      space, asio::redirect_error(asio::use_awaitable, error));
  self->buffer_.commit(count);
  self->reading_ahead_ = false;
  self->peer_gone_ = static_cast<bool>(error);
  self->signal_.cancel();
}

template <typename Stream>
asio::awaitable<void> Connection<Stream>::wait_until(Clock::time_point when) {
  error_code ignored;
  signal_.expires_at(when);
  co_await signal_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

template <typename Stream>
asio::awaitable<bool> Connection<Stream>::read_request(Parser& parser) {
  parser.body_limit(kReadCeiling);
  parser.header_limit(256 * 1024);
  error_code error;
  co_await beast::http::async_read_header(stream_, buffer_, parser,
                                          asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return false;
  if (beast::iequals(parser.get()[beast::http::field::expect], "100-continue")) {
    bool sent = co_await write("HTTP/1.1 100 Continue\r\n\r\n");
    if (!sent) co_return false;
  }
  co_await beast::http::async_read(stream_, buffer_, parser,
                                   asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

template <typename Stream>
asio::awaitable<bool> Connection<Stream>::send_stream(std::shared_ptr<Connection> self,
                                                      Reply& reply, bool keep_alive) {
  BodyStream& body = *reply.stream;
  body.on_ready([weak = std::weak_ptr<Connection>(self)] {
    if (auto connection = weak.lock()) connection->signal_.cancel();
  });
  reading_ahead_ = true;
  asio::co_spawn(stream_.get_executor(), read_ahead(self), asio::detached);
  std::string head_text = head(reply.response, true, keep_alive);
  if (!co_await write(head_text)) co_return false;

  std::string data;
  char size[24];
  for (;;) {
    data.clear();
    BodyStream::State state = body.pull(data, kChunk);
    if (peer_gone_) co_return false;
    if (!data.empty()) {
      int digits = std::snprintf(size, sizeof size, "%zx\r\n", data.size());
      out_.assign(size, static_cast<std::size_t>(digits)).append(data).append("\r\n");
      if (state == BodyStream::State::kCut) out_.resize(out_.size() - data.size() / 2);
      if (!co_await write(out_)) co_return false;
    }
    if (state == BodyStream::State::kCut) {
      // A reset makes the peer's kernel drop what it has not read: let the half object arrive.
      co_await wait_until(Clock::now() + std::chrono::milliseconds(20));
      reset();
      co_return false;
    }
    if (state == BodyStream::State::kEnded) break;
    if (data.empty()) co_await wait_until(body.next_deadline());
  }
  if (!co_await write("0\r\n\r\n")) co_return false;
  // The pending read is the beginning of the next request; it cannot be taken back.
  while (keep_alive && reading_ahead_) co_await wait_until(Clock::time_point::max());
  co_return keep_alive && !peer_gone_;
}

template <typename Stream>
asio::awaitable<bool> Connection<Stream>::answer(std::shared_ptr<Connection> self, Reply reply,
                                                 bool keep_alive, bool head_only) {
  if (reply.stream) {
    bool again = co_await send_stream(self, reply, keep_alive);
    co_return again;
  }
  out_ = head(reply.response, false, keep_alive);
  if (head_only) reply.response.body.clear();
  // Small bodies go out in one TLS record with the head, large ones are not copied.
  if (reply.response.body.size() < kChunk) {
    out_ += reply.response.body;
    bool sent = co_await write(out_);
    co_return sent&& keep_alive;
  }
  bool sent = co_await write(out_);
  if (sent) sent = co_await write(reply.response.body);
  co_return sent&& keep_alive;
}

template <typename Stream>
asio::awaitable<void> Connection<Stream>::run(std::shared_ptr<Connection> self) {
  bool keep_alive = true;
  while (keep_alive) {
    Parser parser;
    if (!co_await self->read_request(parser)) break;
    keep_alive = parser.get().keep_alive();
    Request request = make_request(parser.release());
    Reply reply = self->handler_.handle(request);
    while (reply.again) {
      request.waited += reply.delay;
      co_await self->wait_until(Clock::now() + reply.delay);
      reply = self->handler_.handle(request);
    }
    if (reply.delay.count() > 0) co_await self->wait_until(Clock::now() + reply.delay);
    if (reply.cut) {
      self->reset();
      co_return;
    }
    if (reply.hang) {
      self->reading_ahead_ = true;
      co_await read_ahead(self);
      break;
    }
    bool head_only = request.method == "HEAD";
    keep_alive = co_await self->answer(self, std::move(reply), keep_alive, head_only);
  }
  error_code ignored;
  socket_of(self->stream_).shutdown(tcp::socket::shutdown_both, ignored);
}

}  // namespace

asio::awaitable<void> serve_connection(tcp::socket socket, asio::ssl::context* tls,
                                       Handler& handler) {
  error_code error;
  socket.set_option(tcp::no_delay(true), error);
  if (tls == nullptr) {
    auto connection = std::make_shared<Connection<tcp::socket>>(std::move(socket), handler);
    co_await Connection<tcp::socket>::run(connection);
    co_return;
  }
  auto connection =
      std::make_shared<Connection<TlsSocket>>(TlsSocket(std::move(socket), *tls), handler);
  co_await connection->stream().async_handshake(asio::ssl::stream_base::server,
                                                asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return;
  co_await Connection<TlsSocket>::run(connection);
}

}  // namespace sandbox::http
