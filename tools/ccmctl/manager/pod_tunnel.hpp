// A port on loopback that leads to a Pod's, through the API server: one connection, which belongs
// to one request of ccmctl. The bytes on it are TLS between ccmctl and the Pod. Loop thread.
#pragma once

#include "port_forward.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace ccm::ctl {

class PodTunnel {
 public:
  // `loop` must outlive it. `api`: the API server, with the user's credential.
  PodTunnel(boost::asio::io_context& loop, kube::ClientConfig api, PodPort target,
            std::chrono::seconds timeout);
  ~PodTunnel();
  PodTunnel(const PodTunnel&) = delete;
  PodTunnel& operator=(const PodTunnel&) = delete;

  // Connects to the Pod, and listens.
  boost::asio::awaitable<Status> open();
  // "https://127.0.0.1:PORT".
  [[nodiscard]] std::string endpoint() const;
  // What the kubelet said, or what broke; ok: nothing.
  [[nodiscard]] const Status& failure() const;

 private:
  struct Stream;
  boost::asio::awaitable<void> accept(std::shared_ptr<Stream> stream);
  static boost::asio::awaitable<void> upwards(std::shared_ptr<Stream> stream);
  static boost::asio::awaitable<void> downwards(std::shared_ptr<Stream> stream);

  boost::asio::io_context& loop_;
  const kube::ClientConfig api_;
  const PodPort target_;
  const std::chrono::seconds timeout_;
  std::shared_ptr<Stream> stream_;
};

}  // namespace ccm::ctl
