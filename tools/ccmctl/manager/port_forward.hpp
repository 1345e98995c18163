// A connection to a port of a Pod through the API server, as `kubectl port-forward` makes one: a
// WebSocket whose channels 0 and 1 carry the bytes and the failure ("v4.channel.k8s.io"). The user
// needs the verbs get and create on pods/portforward. Home thread: the executor's.
#pragma once

#include "kube/config.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::net {
struct Connection;
}

namespace ccm::ctl {

struct PodPort {
  std::string namespace_name;
  std::string pod;
  std::uint16_t port = 0;
};

class PortForward {
 public:
  // Failures: as Client's; unavailable when the API server does not speak the protocol.
  static boost::asio::awaitable<Result<std::unique_ptr<PortForward>>> open(
      boost::asio::any_io_executor executor, kube::ClientConfig config, PodPort target,
      std::chrono::milliseconds timeout);
  ~PortForward();
  PortForward(const PortForward&) = delete;
  PortForward& operator=(const PortForward&) = delete;

  // The next bytes of the Pod, empty at their end. unavailable with the kubelet's words when it
  // cannot reach the port. One call at a time, beside one write().
  boost::asio::awaitable<Result<std::string>> read();
  boost::asio::awaitable<Status> write(std::string_view data);

 private:
  explicit PortForward(std::unique_ptr<net::Connection> connection);
  boost::asio::awaitable<Status> send(unsigned opcode, std::string_view payload);

  const std::unique_ptr<net::Connection> connection_;
  bool ended_ = false;
  // The kubelet begins both channels with the port's number.
  std::size_t port_bytes_left_[2] = {2, 2};
};

// The frames of a WebSocket (RFC 6455), as far as the channels of Kubernetes need them. Pure.
namespace websocket {

inline constexpr unsigned kContinuation = 0;
inline constexpr unsigned kBinary = 2;
inline constexpr unsigned kClose = 8;
inline constexpr unsigned kPing = 9;
inline constexpr unsigned kPong = 10;

struct Frame {
  unsigned opcode = 0;
  std::string payload;
};

// A whole message of a client, which masks it.
std::string encode(unsigned opcode, std::string_view payload, std::uint32_t mask);
// Takes the first frame off `bytes`; nothing while it is not complete. data_loss when the bytes are
// no frame of a server, or a frame of more than 16 MiB.
Result<std::optional<Frame>> take(std::string& bytes);
// What a server answers to a client's key.
std::string accept_of(std::string_view key);

}  // namespace websocket

}  // namespace ccm::ctl
