// One client of the server: handshake, requests, answers, limits. Internal to serving.
// The server's thread.
#pragma once

#include "net/transport.hpp"
#include "serving/health_page.hpp"
#include "serving/request_reader.hpp"
#include "serving/secure_server.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace ccm::serving {

class SecureConnection {
 public:
  // The references outlive the connection.
  SecureConnection(std::shared_ptr<net::Transport> transport, const ServingOptions& options,
                   const HealthRegistry& registry)
      : transport_(std::move(transport)), options_(options), registry_(registry) {}

  // Until the client or a limit ends it. close() ends it too.
  boost::asio::awaitable<void> run(net::TlsSession session);

  void close() {
    closing_ = true;
    transport_->close();
  }
  [[nodiscard]] bool closing() const { return closing_; }

  [[nodiscard]] std::chrono::steady_clock::time_point last_request() const { return active_; }

 private:
  enum class Read { request, end, refused };

  boost::asio::awaitable<bool> handshake(net::TlsSession session);
  boost::asio::awaitable<Read> read_request(RequestReader* reader);
  boost::asio::awaitable<bool> respond(const RequestReader* reader);
  boost::asio::awaitable<void> refuse(unsigned status);
  boost::asio::awaitable<bool> send(Answer answer, bool head_only, bool keep_alive);

  std::shared_ptr<net::Transport> transport_;
  const ServingOptions& options_;
  const HealthRegistry& registry_;
  std::string received_;  // not yet parsed
  bool closing_ = false;
  std::chrono::steady_clock::time_point active_ = std::chrono::steady_clock::now();
};

}  // namespace ccm::serving
