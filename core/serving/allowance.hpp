// Processor time for strangers: clients without an allowed request so far. All of them together get
// a small share of a core, which an executor measures. One loop's thread.
#pragma once

#include "base/log.hpp"
#include "net/transport.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ccm::serving {

// Processor time of the calling thread.
std::chrono::nanoseconds thread_time();

// Beyond the share strangers wait, and the next turn goes to the address that has used least
// lately. None waits while the share is not used up.
class Allowance : public std::enable_shared_from_this<Allowance> {
 public:
  using Clock = std::chrono::steady_clock;
  using Nanoseconds = std::chrono::nanoseconds;

  struct Limits {
    double share = 0.03;  // share of a core; unmeasured work adds up to 0.02
    Nanoseconds saved{std::chrono::milliseconds(100)};  // limit of what can be used at once
  };

  // The recent use by the strangers of one address, and their number.
  struct Account {
    std::string address;
    double weight = 1;  // its share against others'
    std::size_t strangers = 0;
    double used = 0;  // ns, of which half is forgotten in each kHalfLife
    Clock::time_point at{};
  };

  // One connection. It counts as a stranger until trust(true).
  class Stranger final : public net::ReadPace {
   public:
    Stranger(std::shared_ptr<Allowance> allowance, std::shared_ptr<Account> account);
    ~Stranger() override;

    // Whether this one may go on; always when it is trusted, and after give_up().
    bool may_read() override;
    // Returns when it may go on.
    boost::asio::awaitable<void> wait() override;
    // A step of its work took that long.
    void add(Nanoseconds used);
    // Its use counts for nothing once it is trusted.
    void trust(bool trusted);
    [[nodiscard]] bool trusted() const { return trusted_; }
    [[nodiscard]] bool waiting() const { return waiting_; }
    // Ends the wait for its turn, now and for ever.
    void give_up();
    [[nodiscard]] const Account& account() const { return *account_; }

   private:
    friend class Allowance;
    void count(int change);

    std::shared_ptr<Allowance> allowance_;
    std::shared_ptr<Account> account_;
    boost::asio::steady_timer wake_;
    Nanoseconds used_{0};
    bool trusted_ = false;
    bool waiting_ = false;
    bool gone_ = false;
  };

  Allowance(boost::asio::any_io_executor executor, Limits limits);

  // The account of an address; unused accounts are dropped in the end.
  std::shared_ptr<Account> account(const std::string& address);

  [[nodiscard]] std::size_t strangers() const { return strangers_; }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  static double used_lately(Account& account, Clock::time_point now);
  [[nodiscard]] bool some_left();
  void spend(Account& account, Nanoseconds used);
  void remove(const Stranger* stranger);
  void complain(const Account& account);
  void arm();
  void let_one_go();
  // An address that returns too early starts from zero: nothing else is lost.
  void forget_some() {
    std::erase_if(accounts_, [](const auto& entry) { return entry.second.use_count() <= 1; });
  }

  boost::asio::any_io_executor executor_;
  Limits limits_;
  double left_ns_;
  Clock::time_point at_;
  boost::asio::steady_timer timer_;
  bool armed_ = false;
  log::Throttle complaints_{std::chrono::minutes(1)};
  std::size_t strangers_ = 0;
  std::vector<Stranger*> waiting_;  // in order of arrival
  std::map<std::string, std::shared_ptr<Account>> accounts_;
};

// Measures its own lifetime, a step of that stranger. A step inside another one is a part of that.
class MeteredStep {
 public:
  explicit MeteredStep(Allowance::Stranger& stranger);
  ~MeteredStep();
  MeteredStep& operator=(MeteredStep&&) = delete;

 private:
  Allowance::Stranger* stranger_;  // null inside another step
  std::chrono::nanoseconds start_{0};
};

// Measures everything that runs on it for a stranger: each step of a coroutine, from one wait to
// the next.
class MeteredExecutor {
  using Inner = boost::asio::any_io_executor;

 public:
  MeteredExecutor(Inner inner, std::shared_ptr<Allowance::Stranger> stranger) noexcept
      : inner_(std::move(inner)), stranger_(std::move(stranger)) {}

  template <typename Function>
  void execute(Function&& function) const {
    inner_.execute([stranger = stranger_, step = std::forward<Function>(function)]() mutable {
      const MeteredStep measured(*stranger);
      std::move(step)();
    });
  }

  // Asio's properties are the inner executor's.
  template <typename Property>
  auto query(const Property& property) const
      -> decltype(boost::asio::query(std::declval<const Inner&>(), property)) {
    return boost::asio::query(inner_, property);
  }
  template <typename Property, typename = decltype(boost::asio::require(
                                   std::declval<const Inner&>(), std::declval<Property>()))>
  MeteredExecutor require(const Property& property) const {
    return {boost::asio::require(inner_, property), stranger_};
  }
  template <typename Property, typename = decltype(boost::asio::prefer(std::declval<const Inner&>(),
                                                                       std::declval<Property>()))>
  MeteredExecutor prefer(const Property& property) const {
    return {boost::asio::prefer(inner_, property), stranger_};
  }

  friend bool operator==(const MeteredExecutor& left, const MeteredExecutor& right) noexcept {
    return left.inner_ == right.inner_ && left.stranger_ == right.stranger_;
  }

 private:
  Inner inner_;
  std::shared_ptr<Allowance::Stranger> stranger_;
};

}  // namespace ccm::serving
