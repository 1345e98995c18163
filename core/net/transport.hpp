// A connected TCP socket, bare or under TLS, with one time limit at a time.
// TLS works on the socket directly (no copies, no buffers while idle), which is why asio::ssl is
// not used: it keeps 70 kB for each connection.
// Home thread: the socket's executor. One operation at a time, or without a pace one read and one
// write; cancelling its coroutine is safe and leaves a transport that can only be closed.
#pragma once

#include "net/tls_context.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::net {

enum class IoError {
  none,
  end,        // orderly end of the stream
  cut,        // end of the TCP stream inside TLS, without close_notify
  reset,      // the peer is gone: RST, EPIPE, no route
  timed_out,  // set_deadline()
  cancelled,  // the coroutine was cancelled or close() was called
  tls,        // TLS failed; error_text() says why
};

struct IoResult {
  std::size_t bytes = 0;
  IoError error = IoError::none;
};

// Decides when a transport may read. For a server, whose clients must not decide its load.
class ReadPace {
 public:
  ReadPace& operator=(ReadPace&&) = delete;
  virtual ~ReadPace() = default;
  // Whether bytes that have arrived may be read now.
  virtual bool may_read() = 0;
  // After a no: returns when they may be read.
  virtual boost::asio::awaitable<void> wait() = 0;
};

class Transport : public std::enable_shared_from_this<Transport> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr TimePoint kNever = TimePoint::max();

  explicit Transport(Socket socket);
  ~Transport();
  Transport& operator=(Transport&&) = delete;

  // Bounds all operations until changed.
  void set_deadline(TimePoint deadline);

  // From now on each read of arrived bytes waits for its turn. Null: none does. `pace` outlives its
  // use.
  void set_pace(ReadPace* pace) { pace_ = pace; }

  // Returns when something can be read, if only the stream's end.
  boost::asio::awaitable<IoError> wait_readable() { return wait_for(Want::readable); }

  // Runs a handshake; on an encrypted transport the new session runs inside the old one.
  // A failed verification is `tls`, and error_text() names the peer and the fault.
  boost::asio::awaitable<IoResult> handshake(TlsSession session);

  // At least one byte, or an error.
  boost::asio::awaitable<IoResult> read_some(char* data, std::size_t size);

  // All of it, or an error; `bytes` = how many were sent at most (0 = surely none).
  boost::asio::awaitable<IoResult> write(std::string_view data);

  // For an unused connection: still open and without unexpected bytes.
  [[nodiscard]] bool quiet();

  // Closes at once; after an orderly exchange TLS sends close_notify first.
  void close();

  [[nodiscard]] bool verification_failed() const { return verification_failed_; }
  [[nodiscard]] const std::string& error_text() const { return error_text_; }
  [[nodiscard]] bool encrypted() const { return !sessions_.empty(); }
  [[nodiscard]] Socket& socket() { return socket_; }

 private:
  enum class Want { nothing, readable, writable };
  struct Attempt {
    Want want = Want::nothing;
    IoResult result;
  };

  [[nodiscard]] SSL* top() const { return sessions_.back().ssl.get(); }
  Attempt try_handshake();
  Attempt try_read(char* data, std::size_t size);
  Attempt try_write(std::string_view data);
  Attempt tls_outcome(int returned);
  // `count`: what recv() or send() returned; `busy`: what to wait for when it would have blocked.
  Attempt socket_outcome(ssize_t count, Want busy);
  IoError socket_error(int error);
  boost::asio::awaitable<IoError> wait_for(Want want);
  boost::asio::awaitable<void> await_turn();
  void watch();

  Socket socket_;
  boost::asio::steady_timer timer_;
  TimePoint deadline_ = kNever;
  TimePoint armed_ = kNever;
  ReadPace* pace_ = nullptr;
  int parked_ = -1;  // the descriptor while it waits for its turn and socket_ has none
  bool timed_out_ = false;
  bool broken_ = false;
  bool verification_failed_ = false;
  std::vector<TlsSession> sessions_;  // outermost first
  std::string error_text_;
};

}  // namespace ccm::net
