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

// The use of an origin by a permit, or by the coroutine that waits for it. A permit granted to a
// cancelled waiter goes to the next one.
struct ConnectionPool::Use {
  Use(std::shared_ptr<ConnectionPool> owner, Origin& where)
      : pool(std::move(owner)), origin(where) {
    ++origin.users;
  }
  ~Use() {
    const bool granted = counted || (waiter && waiter->granted());
    waiter.reset();
    if (granted) pool->free_permit(origin);
    pool->leave(origin);
  }
  Use& operator=(Use&&) = delete;

  std::shared_ptr<ConnectionPool> pool;
  Origin& origin;
  std::optional<Waiter> waiter;
  bool counted = false;  // by the cap, without a wait
};

void ConnectionPool::Permit::put_back() {
  if (use_ && connection) use_->pool->take_back(use_->origin, std::move(connection));
  *this = Permit();
}

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

ConnectionPool::Permit ConnectionPool::grant(std::shared_ptr<Use> use) {
  Permit result;
  result.use_ = std::move(use);
  // The connection used last is the most likely to be alive.
  auto& idle = result.use_->origin.idle;
  while (!idle.empty() && !result.connection) {
    auto candidate = std::move(idle.back());
    idle.pop_back();
    if (candidate->transport->quiet()) result.connection = std::move(candidate);
  }
  return result;
}

ConnectionPool::Permit ConnectionPool::acquire_uncounted(const std::string& origin) {
  return grant(std::make_shared<Use>(shared_from_this(), enter(origin)));
}

asio::awaitable<Result<ConnectionPool::Permit>> ConnectionPool::acquire(std::string key,
                                                                        TimePoint deadline) {
  auto use = std::make_shared<Use>(shared_from_this(), enter(key));
  Origin& origin = use->origin;
  if (origin.in_use < max_per_origin_ && origin.waiters.empty()) {
    ++origin.in_use;
    use->counted = true;
    co_return grant(std::move(use));
  }
  Waiter& waiter = use->waiter.emplace(origin.waiters, executor_);
  waiter.wake.expires_at(deadline);
  co_await waiter.wake.async_wait(asio::as_tuple(asio::use_awaitable));
  if (!waiter.granted()) {
    const bool late = steady_clock::now() >= deadline;
    co_return Status(late ? Code::deadline_exceeded : Code::cancelled,
                     late ? ErrorClass::unavailable : ErrorClass::none,
                     late ? "timed out waiting for one of " + std::to_string(max_per_origin_) +
                                " connections to become free"
                          : "cancelled");
  }
  co_return grant(std::move(use));
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
    entry = idle.empty() && entry->second.users == 0 ? origins_.erase(entry) : std::next(entry);
  }
  if (some_left) arm_sweeper();
}

}  // namespace ccm::net
