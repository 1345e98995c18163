#include "server.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <list>
#include <mutex>
#include <thread>
#include <utility>

namespace ccm::digitalocean_api {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

Milliseconds since_start() {
  return std::chrono::duration_cast<Milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

struct Server::State {
  asio::io_context io{1};
  tcp::acceptor acceptor{io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  std::mutex mutex;  // of all below
  Api api{&since_start};
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
      http::request<http::string_body> request;
      http::read(socket, buffer, request, fault);
      if (fault) break;
      open = exchange(socket, request);
    }
    beast::error_code ignored;
    socket.shutdown(tcp::socket::shutdown_both, ignored);
  }

  // Whether the connection may be used again.
  bool exchange(tcp::socket& socket, const http::request<http::string_body>& request) {
    ApiRequest asked;
    asked.method = std::string(request.method_string());
    asked.target = std::string(request.target());
    asked.authorization = std::string(request[http::field::authorization]);
    asked.content_type = std::string(request[http::field::content_type]);
    asked.body = request.body();
    ApiAnswer answered;
    {
      const std::lock_guard lock(mutex);
      answered = api.handle(asked);
    }
    // The latency of the cloud, which is what this fake imitates.
    if (answered.delay > Milliseconds(0)) std::this_thread::sleep_for(answered.delay);
    if (answered.cut) return false;
    http::response<http::string_body> response;
    response.version(request.version());
    response.result(static_cast<unsigned>(answered.status));
    for (const auto& [name, value] : answered.headers) response.set(name, value);
    response.body() = answered.body;
    response.keep_alive(request.keep_alive());
    response.prepare_payload();
    beast::error_code fault;
    http::write(socket, response, fault);
    return !fault && request.keep_alive();
  }
};

Server::Server() : state_(std::make_shared<State>()) {
  state_->acceptor_thread = std::thread([state = state_.get()] { state->accept(); });
}

Server::~Server() {
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

std::string Server::url() const {
  return "http://127.0.0.1:" + std::to_string(state_->acceptor.local_endpoint().port());
}

void Server::with(const std::function<void(Api&)>& look) {
  const std::lock_guard lock(state_->mutex);
  look(state_->api);
}

}  // namespace ccm::digitalocean_api
