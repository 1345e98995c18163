// One client of the server: handshake, requests, answers, limits. Internal to serving.
// The server's thread.
#pragma once

#include "net/transport.hpp"
#include "serving/allowance.hpp"
#include "serving/auth/client_certificates.hpp"
#include "serving/message.hpp"
#include "serving/request_reader.hpp"
#include "serving/secure_server.hpp"
#include "serving/serving_certificates.hpp"
#include "serving/site.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace ccm::serving {

class SecureConnection {
 public:
  // The references outlive the connection. `unread`: the bytes that all connections together hold
  // of requests without an answer.
  SecureConnection(std::shared_ptr<net::Transport> transport, const ServingOptions& options,
                   Site& site, std::size_t& unread, std::shared_ptr<Allowance::Stranger> stranger)
      : transport_(std::move(transport)),
        options_(options),
        site_(site),
        unread_(unread),
        stranger_(std::move(stranger)) {}
  ~SecureConnection() { unread_ -= counted_; }

  // Until the client or a limit ends it. close() ends it too. On the stranger's MeteredExecutor.
  boost::asio::awaitable<void> run(ServingCertificates& certificates);

  void close();
  [[nodiscard]] const Allowance::Stranger& stranger() const { return *stranger_; }
  [[nodiscard]] bool closing() const { return closing_; }

  [[nodiscard]] std::chrono::steady_clock::time_point last_request() const { return active_; }
  // A review of its request is under way: it is not the client that is slow.
  [[nodiscard]] bool busy() const { return busy_; }

 private:
  enum class Read { request, end, refused };

  boost::asio::awaitable<bool> handshake(ServingCertificates& certificates);
  boost::asio::awaitable<Read> read_request(RequestReader* reader);
  boost::asio::awaitable<bool> respond(std::shared_ptr<Request> request, bool keep_alive);
  [[nodiscard]] bool room_for(std::size_t held);
  void forget_request();
  void trust(bool trusted);
  boost::asio::awaitable<void> refuse(unsigned status);
  boost::asio::awaitable<bool> send(Answer answer, bool head_only, bool keep_alive);

  std::shared_ptr<net::Transport> transport_;
  const ServingOptions& options_;
  Site& site_;
  std::size_t& unread_;
  std::shared_ptr<Allowance::Stranger> stranger_;
  std::size_t counted_ = 0;  // this connection's part of it
  std::shared_ptr<const PeerCertificates> peer_;
  std::string received_;  // not yet parsed
  bool busy_ = false;
  bool too_large_ = false;  // others need the room
  bool closing_ = false;
  std::chrono::steady_clock::time_point active_ = std::chrono::steady_clock::now();
};

}  // namespace ccm::serving
