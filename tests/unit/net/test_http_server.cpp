#include "test_http_server.hpp"

#include "../../support/eventually.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <strings.h>
#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

namespace ccm::test {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

std::string ServerRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key.size() == name.size() && strncasecmp(key.data(), name.data(), name.size()) == 0) {
      return value;
    }
  }
  return {};
}

namespace {

std::string render(const ServerReply& reply, bool* chunked) {
  *chunked = false;
  if (!reply.raw.empty()) return reply.raw;
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " Scripted\r\n";
  for (const auto& [name, value] : reply.headers) head += name + ": " + value + "\r\n";
  if (!reply.chunks.empty() || reply.no_last_chunk) {
    *chunked = true;
    return head + "Transfer-Encoding: chunked\r\n\r\n";
  }
  if (reply.status != 204 && reply.status != 304) {
    head += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n";
  }
  return head + "\r\n" + reply.body;
}

std::string chunk(const std::string& data) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", data.size());
  return size + data + "\r\n";
}

}  // namespace

struct TestHttpServer::Impl {
  struct Peer {
    explicit Peer(asio::io_context& context) : socket(context) {}
    tcp::socket socket;
    unsigned number = 0;
    bool finished = false;
    std::thread thread;
  };

  Impl(Handler given, ServerOptions wanted)
      : handler(std::move(given)),
        options(std::move(wanted)),
        tls(ssl::context::tls_server),
        acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    if (options.certificate) set_up_tls();
    port = acceptor.local_endpoint().port();
    accepting = std::thread([this] { accept_all(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
      changed.notify_all();
    }
    ::shutdown(acceptor.native_handle(), SHUT_RDWR);
    accepting.join();
    for (auto& peer : peers) {
      shut(*peer);
      peer->thread.join();
    }
  }

  void set_up_tls() {
    tls.use_certificate_chain(asio::buffer(options.certificate->certificate_pem));
    tls.use_private_key(asio::buffer(options.certificate->key_pem), ssl::context::pem);
    static const unsigned char kContextId[] = "test";
    SSL_CTX_set_session_id_context(tls.native_handle(), kContextId, sizeof kContextId - 1);
    if (options.max_tls_version != 0) {
      SSL_CTX_set_max_proto_version(tls.native_handle(), options.max_tls_version);
    }
    if (!options.client_authority_pem.empty()) {
      tls.add_certificate_authority(asio::buffer(options.client_authority_pem));
      tls.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
    }
  }

  void accept_all() {
    while (true) {
      auto peer = std::make_unique<Peer>(context);
      error_code error;
      acceptor.accept(peer->socket, error);
      const std::lock_guard lock(mutex);
      if (stopping) return;
      if (error) continue;
      error_code ignored;
      peer->socket.set_option(tcp::no_delay(true), ignored);
      peer->number = ++accepted;
      ++open;
      changed.notify_all();
      Peer* raw = peer.get();
      peers.push_back(std::move(peer));
      raw->thread = std::thread([this, raw] { serve(*raw); });
    }
  }

  // From another thread only shutdown() is safe; the owner closes.
  void shut(Peer& peer) {
    const std::lock_guard lock(mutex);
    if (!peer.finished) ::shutdown(peer.socket.native_handle(), SHUT_RDWR);
  }

  void serve(Peer& peer) {
    if (options.raw_connection) {
      options.raw_connection(peer.socket.native_handle(), peer.number);
    } else if (options.certificate) {
      ssl::stream<tcp::socket&> stream(peer.socket, tls);
      error_code error;
      stream.handshake(ssl::stream_base::server, error);
      if (!error && talk(peer, stream, stream.native_handle())) stream.shutdown(error);
    } else {
      talk(peer, peer.socket, nullptr);
    }
    const std::lock_guard lock(mutex);
    peer.finished = true;
    error_code ignored;
    peer.socket.close(ignored);
    --open;
    changed.notify_all();
  }

  // True for an orderly end.
  template <typename Stream>
  bool talk(Peer& peer, Stream& stream, SSL* session) {
    boost::beast::flat_buffer buffer;
    for (unsigned number = 1;; ++number) {
      http::request_parser<http::string_body> parser;
      parser.body_limit(boost::none);
      parser.header_limit(1u << 20);
      error_code error;
      http::read(stream, buffer, parser, error);
      if (error) return error == http::error::end_of_stream;
      const ServerRequest request = record(parser.get(), peer, number, session);
      const ServerReply reply = handler(request);
      if (!answer(peer, stream, request, reply)) return false;
      if (reply.close || !parser.get().keep_alive()) return true;
    }
  }

  ServerRequest record(const http::request<http::string_body>& message, const Peer& peer,
                       unsigned number, SSL* session) {
    ServerRequest request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    for (const auto& field : message) {
      request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    request.body = message.body();
    request.connection = peer.number;
    request.number = number;
    if (session != nullptr) describe_tls(session, &request);
    const std::lock_guard lock(mutex);
    if (recorded.size() < 10000) recorded.push_back(request);
    ++seen;
    changed.notify_all();
    return request;
  }

  static void describe_tls(SSL* session, ServerRequest* request) {
    request->resumed = SSL_session_reused(session) == 1;
    const char* name = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
    if (name != nullptr) request->server_name = name;
    if (X509* certificate = SSL_get0_peer_certificate(session)) {
      char text[256];
      X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text,
                                sizeof text);
      request->client_subject = std::string("CN=") + text;
    }
  }

  // False when the connection is over.
  template <typename Stream>
  bool answer(Peer& peer, Stream& stream, const ServerRequest& request, const ServerReply& reply) {
    if (reply.delay.count() > 0) {
      std::unique_lock lock(mutex);
      changed.wait_for(lock, reply.delay, [this] { return stopping; });
    }
    if (reply.reset) {
      peer.socket.set_option(asio::socket_base::linger(true, 0));
      return false;
    }
    bool chunked = false;
    std::string bytes = render(reply, &chunked);
    if (request.method == "HEAD") bytes.resize(bytes.find("\r\n\r\n") + 4);
    if (reply.cut_after) bytes.resize(std::min(bytes.size(), *reply.cut_after));
    error_code error;
    asio::write(stream, asio::buffer(bytes), error);
    if (error || reply.cut_after) return false;
    if (!chunked || request.method == "HEAD") return true;
    for (std::size_t i = 0; i < reply.chunks.size(); ++i) {
      if (reply.before_chunk) reply.before_chunk(i);
      asio::write(stream, asio::buffer(chunk(reply.chunks[i])), error);
      if (error) return false;
    }
    if (reply.before_chunk) reply.before_chunk(reply.chunks.size());
    if (reply.no_last_chunk) return false;
    asio::write(stream, asio::buffer(std::string("0\r\n\r\n")), error);
    return !error;
  }

  Handler handler;
  ServerOptions options;
  asio::io_context context;
  ssl::context tls;
  tcp::acceptor acceptor;
  std::uint16_t port = 0;
  std::thread accepting;
  std::list<std::unique_ptr<Peer>> peers;

  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  bool stopping = false;
  unsigned accepted = 0;
  unsigned open = 0;
  std::size_t seen = 0;
  std::vector<ServerRequest> recorded;
};

TestHttpServer::TestHttpServer(Handler handler, ServerOptions options)
    : impl_(std::make_unique<Impl>(std::move(handler), std::move(options))) {}

TestHttpServer::~TestHttpServer() = default;

std::uint16_t TestHttpServer::port() const { return impl_->port; }

std::string TestHttpServer::url(std::string_view target) const {
  return std::string(impl_->options.certificate ? "https" : "http") +
         "://127.0.0.1:" + std::to_string(port()) + std::string(target);
}

unsigned TestHttpServer::connections() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->accepted;
}

unsigned TestHttpServer::open_connections() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->open;
}

std::vector<ServerRequest> TestHttpServer::requests() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->recorded;
}

bool TestHttpServer::wait_for_requests(std::size_t count) const {
  std::unique_lock lock(impl_->mutex);
  return impl_->changed.wait_for(lock, support::patience(), [&] { return impl_->seen >= count; });
}

bool TestHttpServer::wait_for_open_connections(unsigned count) const {
  std::unique_lock lock(impl_->mutex);
  return impl_->changed.wait_for(lock, support::patience(), [&] { return impl_->open == count; });
}

void TestHttpServer::close_connections() {
  const std::lock_guard lock(impl_->mutex);
  for (auto& peer : impl_->peers) {
    // Only our reading ends; the thread sees the end of the stream and closes orderly.
    if (!peer->finished) ::shutdown(peer->socket.native_handle(), SHUT_RD);
  }
}

}  // namespace ccm::test
