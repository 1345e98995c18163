// Keep-alive connections by origin, a cap on those in use, and the queue in front of that cap.
// Home thread: the executor's. For net, and for the port forwarding of ccmctl.
#pragma once

#include "net/coroutines.hpp"
#include "net/transport.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::net {

// One connection that speaks HTTP with an origin, perhaps through a proxy.
struct Connection {
  std::shared_ptr<Transport> transport;
  std::string leftover;             // received, not yet parsed
  bool absolute_form = false;       // a plain-http proxy wants the whole URL
  std::string proxy_authorization;  // for that proxy
  bool used = false;                // it has carried an exchange before
  std::uint64_t generation = 0;     // the TLS options that it was made with
  std::chrono::steady_clock::time_point idle_since;
};

class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
  struct Use;

 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  ConnectionPool(boost::asio::any_io_executor executor, std::size_t max_per_origin,
                 std::chrono::milliseconds idle_timeout);

  // The right to use one connection. Destroying it closes the connection, unless put_back() was
  // called, and admits the next waiter.
  class Permit {
    friend class ConnectionPool;
    std::shared_ptr<Use> use_;  // before the connection, which is closed first

   public:
    // Null until set: the pool had no idle connection, or it was discarded.
    std::unique_ptr<Connection> connection;

    void discard() { connection.reset(); }
    void put_back();
  };

  // Waits, first come first served, while the origin has as many connections in use as allowed.
  // Failures: deadline_exceeded, cancelled.
  boost::asio::awaitable<Result<Permit>> acquire(std::string origin, TimePoint deadline);

  // Not counted by the cap: for streams.
  Permit acquire_uncounted(const std::string& origin);

  void close_idle();

  // Closes idle connections now, and later each earlier one that is returned.
  void next_generation();
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

  // From now on no connection is kept.
  void shut_down();

 private:
  struct Origin {
    std::string key;
    std::vector<std::unique_ptr<Connection>> idle;  // longest idle first
    std::size_t in_use = 0;
    std::size_t users = 0;  // uses that point here
    Waiter::Queue waiters;
  };

  Origin& enter(const std::string& key);
  void leave(Origin& origin);
  static Permit grant(std::shared_ptr<Use> use);
  void free_permit(Origin& origin);
  void take_back(Origin& origin, std::unique_ptr<Connection> connection);
  void sweep();
  void arm_sweeper();
  // A connection that was not used for this long was needed by a burst only.
  [[nodiscard]] std::chrono::milliseconds burst_timeout() const { return idle_timeout_ / 20; }

  boost::asio::any_io_executor executor_;
  std::size_t max_per_origin_;
  std::chrono::milliseconds idle_timeout_;
  std::uint64_t generation_ = 0;
  bool open_ = true;
  bool sweeper_armed_ = false;
  boost::asio::steady_timer sweeper_;
  std::map<std::string, Origin> origins_;
};

}  // namespace ccm::net
