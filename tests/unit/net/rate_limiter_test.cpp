#include "net/rate_limiter.hpp"

#include "client_fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

namespace ccm::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

const steady_clock::time_point kStart = steady_clock::time_point(std::chrono::hours(1));

TEST(TokenBucket, API_67_GivesTheBurstAndThenTheRate) {
  TokenBucket bucket(20, 30, kStart);
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(bucket.take(kStart)) << i;
  EXPECT_FALSE(bucket.take(kStart));
  EXPECT_FALSE(bucket.take(kStart + milliseconds(49)));
  EXPECT_TRUE(bucket.take(kStart + milliseconds(50)));
  EXPECT_FALSE(bucket.take(kStart + milliseconds(50)));
}

TEST(TokenBucket, NeverHoldsMoreThanTheBurst) {
  TokenBucket bucket(1000, 3, kStart);
  const auto later = kStart + std::chrono::hours(5);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(later));
  EXPECT_FALSE(bucket.take(later));
}

TEST(TokenBucket, SaysWhenTheNextTokenComes) {
  TokenBucket bucket(4, 1, kStart);
  EXPECT_EQ(bucket.next(kStart), kStart);
  ASSERT_TRUE(bucket.take(kStart));
  const auto next = bucket.next(kStart);
  EXPECT_GE(next, kStart + milliseconds(250));
  EXPECT_LE(next, kStart + milliseconds(251));
  EXPECT_TRUE(bucket.take(next));
}

TEST(TokenBucket, API_67_NegativeRateMeansNoLimit) {
  TokenBucket bucket(-1, 1, kStart);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(bucket.take(kStart));
}

TEST(TokenBucket, SurvivesATinyRate) {
  TokenBucket bucket(1e-300, 1, kStart);
  ASSERT_TRUE(bucket.take(kStart));
  EXPECT_GT(bucket.next(kStart), kStart);
}

class RateLimiterTest : public testing::Test {
 protected:
  // Waits for a token and notes who got it.
  static boost::asio::awaitable<void> taker(RateLimiter* limiter, int who,
                                            std::vector<std::string>* log) {
    const Status status = co_await limiter->acquire();
    log->push_back(std::to_string(who) + (status.ok() ? "" : " cancelled"));
  }
  void start(RateLimiter& limiter, int who) {
    boost::asio::co_spawn(loop_, taker(&limiter, who, &log_), boost::asio::detached);
    loop_.restart();
    loop_.poll();
  }
  void advance(RateLimiter& limiter, milliseconds by) {
    now_ += by;
    limiter.poll();
    loop_.restart();
    loop_.poll();
  }
  boost::asio::io_context loop_{1};
  steady_clock::time_point now_ = kStart;
  std::vector<std::string> log_;
};

TEST_F(RateLimiterTest, API_67_ServesInTheOrderOfAsking) {
  RateLimiter limiter(loop_.get_executor(), 10, 1, [this] { return now_; });
  for (int i = 1; i <= 4; ++i) start(limiter, i);
  EXPECT_EQ(log_, (std::vector<std::string>{"1"}));
  EXPECT_EQ(limiter.waiting(), 3u);
  advance(limiter, milliseconds(100));
  EXPECT_EQ(log_, (std::vector<std::string>{"1", "2"}));
  advance(limiter, milliseconds(50));
  EXPECT_EQ(log_.size(), 2u);
  // The bucket holds one token at most, so a long pause does not serve two.
  advance(limiter, milliseconds(1000));
  EXPECT_EQ(log_, (std::vector<std::string>{"1", "2", "3"}));
  advance(limiter, milliseconds(100));
  EXPECT_EQ(log_, (std::vector<std::string>{"1", "2", "3", "4"}));
}

TEST_F(RateLimiterTest, ACancelledWaiterCostsNoToken) {
  RateLimiter limiter(loop_.get_executor(), 10, 1, [this] { return now_; });
  start(limiter, 1);
  boost::asio::cancellation_signal stop;
  boost::asio::co_spawn(loop_, taker(&limiter, 2, &log_),
                        boost::asio::bind_cancellation_slot(stop.slot(), boost::asio::detached));
  start(limiter, 3);
  EXPECT_EQ(limiter.waiting(), 2u);
  stop.emit(boost::asio::cancellation_type::terminal);
  loop_.restart();
  loop_.poll();
  EXPECT_EQ(log_, (std::vector<std::string>{"1", "2 cancelled"}));
  advance(limiter, milliseconds(100));
  EXPECT_EQ(log_.back(), "3");
}

TEST_F(RateLimiterTest, ItsEndCancelsWhoWaits) {
  {
    RateLimiter limiter(loop_.get_executor(), 10, 1, [this] { return now_; });
    start(limiter, 1);
    start(limiter, 2);
  }
  loop_.restart();
  loop_.poll();
  EXPECT_EQ(log_.back(), "2 cancelled");
}

TEST_F(RateLimiterTest, ARealClockHoldsTheRate) {
  RateLimiter limiter(loop_.get_executor(), 500, 1);
  const auto begin = steady_clock::now();
  for (int i = 0; i < 51; ++i) start(limiter, i);
  run_until(loop_, [&] { return log_.size() == 51; });
  // 50 tokens at 500 a second; no upper bound, the machine may be busy.
  EXPECT_GE(steady_clock::now() - begin, milliseconds(99));
  EXPECT_EQ(log_.back(), "50");
}

}  // namespace
}  // namespace ccm::net
