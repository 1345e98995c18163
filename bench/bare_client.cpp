#include "bare_client.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

namespace ccm::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Stream = beast::ssl_stream<tcp::socket>;
using Answer = http::response<http::string_body>;

asio::ssl::context tls_context(const Server& server) {
  asio::ssl::context context(asio::ssl::context::tls_client);
  context.set_verify_mode(asio::ssl::verify_peer);
  if (!server.ca_pem.empty()) context.add_certificate_authority(asio::buffer(server.ca_pem));
  if (!server.certificate_pem.empty()) {
    context.use_certificate_chain(asio::buffer(server.certificate_pem));
    context.use_private_key(asio::buffer(server.private_key_pem), asio::ssl::context::pem);
  }
  return context;
}

http::request<http::string_body> to_beast(const Server& server, const BareRequest& request) {
  http::request<http::string_body> message;
  message.version(11);
  message.method_string(request.method);
  message.target(request.path);
  message.set(http::field::host, server.host + ":" + server.port);
  message.set(http::field::user_agent, "ccm-bench");
  message.set(http::field::accept, request.accept);
  if (!server.token.empty()) message.set(http::field::authorization, "Bearer " + server.token);
  if (!request.content_type.empty()) message.set(http::field::content_type, request.content_type);
  message.body() = request.body;
  message.prepare_payload();
  return message;
}

// The texts of an answer, which may be protobuf.
std::string readable(std::string body) {
  std::replace_if(
      body.begin(), body.end(), [](char c) { return c < ' ' || c > '~'; }, ' ');
  return body.substr(0, 300);
}

void check(const BareRequest& request, const Answer& answer) {
  if (answer.result_int() / 100 == 2) return;
  throw std::runtime_error(request.method + " " + request.path + ": HTTP " +
                           std::to_string(answer.result_int()) + ": " + readable(answer.body()));
}

asio::awaitable<void> connect(Stream& stream, const Server& server) {
  tcp::resolver resolver(stream.get_executor());
  const auto endpoints =
      co_await resolver.async_resolve(server.host, server.port, asio::use_awaitable);
  co_await asio::async_connect(stream.next_layer(), endpoints, asio::use_awaitable);
  stream.next_layer().set_option(tcp::no_delay(true));
  co_await stream.async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
}

// One connection's work: takes the next request until none is left.
asio::awaitable<void> work(const Server& server, asio::ssl::context& tls,
                           const std::vector<BareRequest>& requests, std::size_t& next) {
  const auto executor = co_await asio::this_coro::executor;
  Stream stream(executor, tls);
  co_await connect(stream, server);
  beast::flat_buffer buffer;
  while (next < requests.size()) {
    const BareRequest& request = requests[next++];
    const auto message = to_beast(server, request);
    co_await http::async_write(stream, message, asio::use_awaitable);
    Answer answer;
    co_await http::async_read(stream, buffer, answer, asio::use_awaitable);
    check(request, answer);
  }
}

// The first event of the stream's text, which it loses; nothing while that is incomplete.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const auto line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

// Takes a message that has its length before it, in four bytes, the highest first.
std::optional<std::string_view> take_message(std::string_view& text) {
  if (text.size() < 4) return std::nullopt;
  std::size_t size = 0;
  for (const char byte : text.substr(0, 4)) size = size << 8 | static_cast<unsigned char>(byte);
  if (text.size() - 4 < size) return std::nullopt;
  const auto message = text.substr(4, size);
  text.remove_prefix(4 + size);
  return message;
}

}  // namespace

std::chrono::nanoseconds send_all(const Server& server, const std::vector<BareRequest>& requests,
                                  std::size_t connections) {
  asio::io_context io(1);
  auto tls = tls_context(server);
  std::size_t next = 0;
  std::exception_ptr failure;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < connections; ++i) {
    asio::co_spawn(io, work(server, tls, requests, next), [&](std::exception_ptr fault) {
      if (fault && !failure) {
        failure = fault;
        next = requests.size();
      }
    });
  }
  io.run();
  if (failure) std::rethrow_exception(failure);
  return std::chrono::steady_clock::now() - start;
}

struct Connection::Impl {
  explicit Impl(Server server_)
      : server(std::move(server_)), tls(tls_context(server)), stream(io, tls) {
    tcp::resolver resolver(io);
    asio::connect(stream.next_layer(), resolver.resolve(server.host, server.port));
    stream.next_layer().set_option(tcp::no_delay(true));
    if (!server.ca_pem.empty()) stream.handshake(asio::ssl::stream_base::client);
  }

  template <typename Layer>
  std::string exchange(Layer& layer, const BareRequest& request) {
    http::write(layer, to_beast(server, request));
    http::response_parser<http::string_body> parser;
    parser.body_limit(boost::none);
    http::read(layer, buffer, parser);
    check(request, parser.get());
    return std::move(parser.get().body());
  }

  Server server;
  asio::io_context io{1};
  asio::ssl::context tls;
  Stream stream;
  beast::flat_buffer buffer;
};

Connection::Connection(const Server& server) : impl_(std::make_unique<Impl>(server)) {}
Connection::~Connection() = default;

std::string Connection::send(const BareRequest& request) {
  const bool plain = impl_->server.ca_pem.empty();
  return plain ? impl_->exchange(impl_->stream.next_layer(), request)
               : impl_->exchange(impl_->stream, request);
}

std::string send_one(const Server& server, const BareRequest& request) {
  return Connection(server).send(request);
}

void watch(const Server& server, const std::string& path, Encoding encoding,
           const std::function<bool(std::string_view event)>& on_event) {
  asio::io_context io(1);
  auto tls = tls_context(server);
  Stream stream(io, tls);
  tcp::resolver resolver(io);
  asio::connect(stream.next_layer(), resolver.resolve(server.host, server.port));
  stream.handshake(asio::ssl::stream_base::client);
  const bool protobuf = encoding == Encoding::protobuf;
  const std::string accept = protobuf ? std::string(kProtobuf) + ";stream=watch" : kJson;
  http::write(stream, to_beast(server, BareRequest{"GET", path, "", "", accept}));

  beast::flat_buffer buffer;
  http::response_parser<http::buffer_body> parser;
  parser.body_limit(boost::none);
  http::read_header(stream, buffer, parser);
  if (parser.get().result_int() != 200) throw std::runtime_error("watch " + path + " was refused");
  std::string pending;
  std::vector<char> piece(1 << 16);
  while (!parser.is_done()) {
    parser.get().body().data = piece.data();
    parser.get().body().size = piece.size();
    beast::error_code error;
    http::read_some(stream, buffer, parser, error);
    if (error && error != http::error::need_buffer)
      throw std::runtime_error("watch " + path + ": " + error.message());
    pending.append(piece.data(), piece.size() - parser.get().body().size);
    std::string_view rest = pending;
    while (const auto event = protobuf ? take_message(rest) : take_line(rest)) {
      if (!on_event(*event)) return;
    }
    pending.erase(0, pending.size() - rest.size());
  }
}

}  // namespace ccm::bench
