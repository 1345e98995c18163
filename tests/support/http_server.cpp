#include "support/http_server.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <list>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

namespace ccm::support {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

HttpRequest read_request(const http::request<http::string_body>& received) {
  HttpRequest request;
  request.method = std::string(received.method_string());
  request.target = std::string(received.target());
  request.body = received.body();
  for (const auto& field : received) {
    std::string name(field.name_string());
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    request.headers[std::move(name)] = std::string(field.value());
  }
  return request;
}

}  // namespace

struct HttpServer::State {
  explicit State(Handler handle) : handler(std::move(handle)) {}

  Handler handler;
  asio::io_context io{1};
  tcp::acceptor acceptor{io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  std::mutex mutex;  // of all below
  bool stopping = false;
  std::list<tcp::socket> sockets;
  std::list<std::thread> threads;
  std::thread acceptor_thread;

  void accept() {
    for (;;) {
      beast::error_code fault;
      tcp::socket socket(io);
      acceptor.accept(socket, fault);
      const std::lock_guard lock(mutex);
      if (stopping) return;
      if (fault) continue;
      sockets.push_back(std::move(socket));
      threads.emplace_back([this, &accepted = sockets.back()] { serve(accepted); });
    }
  }

  void serve(tcp::socket& socket) {
    beast::flat_buffer buffer;
    for (bool open = true; open;) {
      beast::error_code fault;
      http::request<http::string_body> received;
      http::read(socket, buffer, received, fault);
      if (fault) break;
      open = exchange(socket, received);
    }
    beast::error_code ignored;
    socket.shutdown(tcp::socket::shutdown_both, ignored);
  }

  // Whether the connection may be used again.
  bool exchange(tcp::socket& socket, const http::request<http::string_body>& received) {
    const HttpAnswer answered = handler(read_request(received));
    // The latency of what the server stands for.
    if (answered.delay > std::chrono::milliseconds(0)) std::this_thread::sleep_for(answered.delay);
    if (answered.cut) return false;
    http::response<http::string_body> response;
    response.version(received.version());
    response.result(static_cast<unsigned>(answered.status));
    for (const auto& [name, value] : answered.headers) response.set(name, value);
    response.body() = answered.body;
    response.keep_alive(received.keep_alive());
    response.prepare_payload();
    beast::error_code fault;
    if (answered.cut_body) {
      std::ostringstream head;
      head << response.base();
      asio::write(socket,
                  asio::buffer(head.str() + answered.body.substr(0, answered.body.size() / 2)),
                  fault);
      return false;
    }
    http::write(socket, response, fault);
    return !fault && received.keep_alive();
  }
};

HttpServer::HttpServer(Handler handler) : state_(std::make_unique<State>(std::move(handler))) {
  state_->acceptor_thread = std::thread([state = state_.get()] { state->accept(); });
}

HttpServer::~HttpServer() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    for (tcp::socket& socket : state_->sockets) {
      beast::error_code ignored;
      socket.shutdown(tcp::socket::shutdown_both, ignored);
    }
  }
  // A last connection wakes the acceptor.
  beast::error_code ignored;
  tcp::socket wake(state_->io);
  wake.connect(state_->acceptor.local_endpoint(), ignored);
  state_->acceptor_thread.join();
  for (std::thread& thread : state_->threads) thread.join();
}

std::string HttpServer::url() const {
  return "http://127.0.0.1:" + std::to_string(state_->acceptor.local_endpoint().port());
}

}  // namespace ccm::support
