#include "serving/allowance.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace ccm::serving {

namespace asio = boost::asio;

namespace {

thread_local bool measuring = false;

constexpr double kHalfLifeSeconds = 10;
constexpr std::size_t kMaxAccounts = 1024;
constexpr std::size_t kCrowd = 16;  // is worth a line of the log
// Between two clients that go on, so that the first one's cost is known when the second one is
// given.
constexpr std::chrono::microseconds kBetween{200};
// What is not measured when a client goes on: the kernel's and Asio's work for its event.
constexpr std::chrono::microseconds kUnmeasured{5};

double seconds_of(Allowance::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::chrono::nanoseconds thread_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

MeteredStep::MeteredStep(Allowance::Stranger& stranger)
    : stranger_(measuring ? nullptr : &stranger) {
  if (stranger_ == nullptr) return;
  measuring = true;
  start_ = thread_time();
}

MeteredStep::~MeteredStep() {
  if (stranger_ == nullptr) return;
  measuring = false;
  stranger_->add(thread_time() - start_);
}

Allowance::Allowance(asio::any_io_executor executor, Limits limits)
    : executor_(std::move(executor)),
      limits_(limits),
      left_ns_(static_cast<double>(limits.saved.count())),
      at_(Clock::now()),
      timer_(executor_) {}

double Allowance::used_lately(Account& account, Clock::time_point now) {
  account.used *= std::exp2(-seconds_of(now - account.at) / kHalfLifeSeconds);
  account.at = now;
  return account.used;
}

bool Allowance::some_left() {
  const auto now = Clock::now();
  const double earned = seconds_of(now - at_) * limits_.share * 1e9;
  left_ns_ = std::min(left_ns_ + earned, static_cast<double>(limits_.saved.count()));
  at_ = now;
  return left_ns_ > 0;
}

void Allowance::spend(Account& account, Nanoseconds used) {
  const auto ns = static_cast<double>(used.count());
  left_ns_ -= ns;
  account.used = std::max(0.0, used_lately(account, Clock::now()) + ns);
}

std::shared_ptr<Allowance::Account> Allowance::account(const std::string& address) {
  const auto known = accounts_.find(address);
  if (known != accounts_.end()) return known->second;
  if (accounts_.size() >= kMaxAccounts) forget_some();
  auto made = std::make_shared<Account>();
  made->address = address;
  made->at = Clock::now();
  accounts_.emplace(address, made);
  return made;
}

void Allowance::remove(const Stranger* stranger) {
  waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), stranger), waiting_.end());
  if (waiting_.empty()) timer_.cancel();
}

void Allowance::complain(const Account& account) {
  if (waiting_.size() < kCrowd) return;
  if (const auto left_out = complaints_.pass()) {
    log::warning(
        "Clients without an authorized request wait: they have used up their processor time",
        {{"address", account.address},
         {"clientsOfAddress", account.strangers},
         {"waiting", waiting_.size()},
         {"leftOut", *left_out}});
  }
}

void Allowance::arm() {
  if (armed_ || waiting_.empty()) return;
  armed_ = true;
  const double debt = some_left() ? 0 : -left_ns_ / limits_.share;
  timer_.expires_after(std::max<Nanoseconds>(kBetween, Nanoseconds(std::llround(debt))));
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code&) {
    const auto self = weak.lock();
    if (!self) return;
    self->armed_ = false;
    self->let_one_go();
    self->arm();
  });
}

void Allowance::let_one_go() {
  if (waiting_.empty() || !some_left()) return;
  const auto now = Clock::now();
  const auto next = std::ranges::min_element(waiting_, [now](Stranger* left, Stranger* right) {
    Account& one = *left->account_;
    Account& other = *right->account_;
    return used_lately(one, now) / one.weight < used_lately(other, now) / other.weight;
  });
  Stranger* const stranger = *next;
  waiting_.erase(next);
  stranger->wake_.cancel();
}

// ---- Stranger ----

Allowance::Stranger::Stranger(std::shared_ptr<Allowance> allowance,
                              std::shared_ptr<Account> account)
    : allowance_(std::move(allowance)), account_(std::move(account)), wake_(allowance_->executor_) {
  count(1);
}

Allowance::Stranger::~Stranger() {
  allowance_->remove(this);
  if (!trusted_) count(-1);
}

void Allowance::Stranger::count(int change) {
  account_->strangers += static_cast<std::size_t>(change);
  allowance_->strangers_ += static_cast<std::size_t>(change);
}

bool Allowance::Stranger::may_read() {
  if (trusted_ || gone_) return true;
  allowance_->spend(*account_, kUnmeasured);
  used_ += kUnmeasured;
  return allowance_->waiting_.empty() && allowance_->some_left();
}

asio::awaitable<void> Allowance::Stranger::wait() {
  if (trusted_ || gone_) co_return;
  allowance_->waiting_.push_back(this);
  allowance_->complain(*account_);
  allowance_->arm();
  waiting_ = true;
  wake_.expires_at(Clock::time_point::max());
  co_await wake_.async_wait(asio::as_tuple(asio::use_awaitable));
  waiting_ = false;
}

void Allowance::Stranger::add(Nanoseconds used) {
  if (trusted_) return;
  used_ += used;
  allowance_->spend(*account_, used);
}

void Allowance::Stranger::trust(bool trusted) {
  if (trusted_ == trusted) return;
  trusted_ = trusted;
  count(trusted ? -1 : 1);
  if (trusted) allowance_->spend(*account_, -std::exchange(used_, Nanoseconds(0)));
}

void Allowance::Stranger::give_up() {
  gone_ = true;
  allowance_->remove(this);
  wake_.cancel();
}

}  // namespace ccm::serving
