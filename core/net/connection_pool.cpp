#include "net/connection_pool.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace ccm::net {

namespace asio = boost::asio;
using std::chrono::steady_clock;

// As many wait for the next burst as long as they are good. A connection with TLS takes 20 kB here.
constexpr std::size_t kKeptAfterBurst = 4;

// A place in the queue of an origin. A permit granted to a cancelled waiter goes to the next one.
struct ConnectionPool::Place {
  Place(std::shared_ptr<ConnectionPool> owner, Origin& where)
      : pool(std::move(owner)),
        origin(where),
        waiter(std::in_place, where.waiters, pool->executor_) {
    ++origin.users;
  }
  ~Place() {
    const bool unused = waiter->granted() && !permit_taken;
    waiter.reset();
    if (unused) pool->free_permit(origin);
    pool->leave(origin);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  std::shared_ptr<ConnectionPool> pool;
  Origin& origin;
  std::optional<Waiter> waiter;
  bool permit_taken = false;
};

// ---- Permit ----

ConnectionPool::Permit& ConnectionPool::Permit::operator=(Permit&& other) noexcept {
  if (this == &other) return *this;
  end();
  connection = std::move(other.connection);
  pool_ = std::move(other.pool_);
  origin_ = std::exchange(other.origin_, nullptr);
  counted_ = other.counted_;
  return *this;
}

void ConnectionPool::Permit::put_back() {
  if (pool_ && connection) pool_->take_back(*origin_, std::move(connection));
  end();
}

void ConnectionPool::Permit::end() {
  connection.reset();
  if (!pool_) return;
  const std::shared_ptr<ConnectionPool> pool = std::move(pool_);
  if (counted_) pool->free_permit(*origin_);
  pool->leave(*origin_);
  origin_ = nullptr;
}

// ---- ConnectionPool ----

ConnectionPool::ConnectionPool(asio::any_io_executor executor, std::size_t max_per_origin,
                               std::chrono::milliseconds idle_timeout)
    : executor_(executor),
      max_per_origin_(std::max<std::size_t>(max_per_origin, 1)),
      idle_timeout_(idle_timeout),
      sweeper_(executor) {}

ConnectionPool::Origin& ConnectionPool::enter(const std::string& key) {
  Origin& origin = origins_[key];
  if (origin.key.empty()) origin.key = key;
  return origin;
}

void ConnectionPool::leave(Origin& origin) {
  --origin.users;
  if (origin.users == 0 && origin.idle.empty()) origins_.erase(std::string(origin.key));
}

ConnectionPool::Permit ConnectionPool::grant(Origin& origin, bool counted) {
  Permit result;
  result.pool_ = shared_from_this();
  result.origin_ = &origin;
  result.counted_ = counted;
  ++origin.users;
  // The connection used last is the most likely to be alive.
  while (!origin.idle.empty() && !result.connection) {
    auto candidate = std::move(origin.idle.back());
    origin.idle.pop_back();
    if (candidate->transport->quiet()) result.connection = std::move(candidate);
  }
  return result;
}

ConnectionPool::Permit ConnectionPool::acquire_uncounted(const std::string& origin) {
  return grant(enter(origin), false);
}

asio::awaitable<Result<ConnectionPool::Permit>> ConnectionPool::acquire(std::string key,
                                                                        TimePoint deadline) {
  Origin& origin = enter(key);
  if (origin.in_use < max_per_origin_ && origin.waiters.empty()) {
    ++origin.in_use;
    co_return grant(origin, true);
  }
  Place place(shared_from_this(), origin);
  place.waiter->wake.expires_at(deadline);
  co_await place.waiter->wake.async_wait(asio::as_tuple(asio::use_awaitable));
  if (!place.waiter->granted()) {
    const bool late = steady_clock::now() >= deadline;
    co_return Status(late ? Code::deadline_exceeded : Code::cancelled,
                     late ? ErrorClass::unavailable : ErrorClass::none,
                     late ? "timed out waiting for one of " + std::to_string(max_per_origin_) +
                                " connections to become free"
                          : "cancelled");
  }
  place.permit_taken = true;
  co_return grant(origin, true);
}

void ConnectionPool::free_permit(Origin& origin) {
  if (origin.waiters.empty()) {
    --origin.in_use;
    return;
  }
  Waiter::grant_first(origin.waiters);
}

void ConnectionPool::take_back(Origin& origin, std::unique_ptr<Connection> connection) {
  if (!open_ || connection->generation != generation_ || !connection->leftover.empty()) return;
  // Connections of streams come on top of the cap; they are not kept beyond it.
  if (origin.idle.size() >= max_per_origin_) return;
  connection->transport->set_deadline(Transport::kNever);
  connection->leftover.shrink_to_fit();
  connection->used = true;
  connection->idle_since = steady_clock::now();
  origin.idle.push_back(std::move(connection));
  arm_sweeper();
}

void ConnectionPool::close_idle() {
  for (auto entry = origins_.begin(); entry != origins_.end();) {
    entry->second.idle.clear();
    entry = entry->second.users == 0 ? origins_.erase(entry) : std::next(entry);
  }
  sweeper_.cancel();
}

void ConnectionPool::next_generation() {
  ++generation_;
  close_idle();
}

void ConnectionPool::shut_down() {
  open_ = false;
  close_idle();
}

// Checks often enough that connections closed by the server, or left by a burst, are not kept.
void ConnectionPool::arm_sweeper() {
  if (sweeper_armed_ || !open_) return;
  sweeper_armed_ = true;
  const auto pause = std::clamp<std::chrono::milliseconds>(
      burst_timeout() / 2, std::chrono::milliseconds(10), std::chrono::seconds(10));
  sweeper_.expires_after(pause);
  sweeper_.async_wait([weak = weak_from_this()](const boost::system::error_code&) {
    const auto self = weak.lock();
    if (!self) return;
    self->sweeper_armed_ = false;
    self->sweep();
  });
}

void ConnectionPool::sweep() {
  const auto now = steady_clock::now();
  bool some_left = false;
  for (auto entry = origins_.begin(); entry != origins_.end();) {
    auto& idle = entry->second.idle;
    std::erase_if(idle, [&](const std::unique_ptr<Connection>& connection) {
      return connection->idle_since <= now - idle_timeout_ || !connection->transport->quiet();
    });
    // The last ones are used first: those at the front were needed by a burst only.
    const std::size_t surplus = idle.size() - std::min(idle.size(), kKeptAfterBurst);
    const auto end = std::find_if(idle.begin(), idle.begin() + static_cast<std::ptrdiff_t>(surplus),
                                  [&](const std::unique_ptr<Connection>& connection) {
                                    return connection->idle_since > now - burst_timeout();
                                  });
    idle.erase(idle.begin(), end);
    some_left = some_left || !idle.empty();
    const bool unused = idle.empty() && entry->second.users == 0;
    entry = unused ? origins_.erase(entry) : std::next(entry);
  }
  if (some_left) arm_sweeper();
}

}  // namespace ccm::net
