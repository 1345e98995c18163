// Turns of strangers on a loop, with steps that really use processor time.
#include "serving/allowance.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace ccm::serving {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

void work_for(nanoseconds duration) {
  const nanoseconds end = thread_time() + duration;
  while (thread_time() < end) {
  }
}

class AllowanceTest : public testing::Test {
 protected:
  struct Client {
    std::shared_ptr<Allowance::Stranger> stranger;
    int turns = 0;
    bool over = false;
  };

  std::shared_ptr<Client> add(const std::string& address) {
    auto client = std::make_shared<Client>();
    client->stranger =
        std::make_shared<Allowance::Stranger>(allowance_, allowance_->account(address));
    return client;
  }
  // Takes turns of `each` until it has had `most`.
  void start(std::shared_ptr<Client> client, nanoseconds each, int most = 1'000'000) {
    const MeteredExecutor executor(loop_.get_executor(), client->stranger);
    asio::co_spawn(executor, take_turns(client, each, most), asio::detached);
  }
  static asio::awaitable<void> take_turns(std::shared_ptr<Client> client, nanoseconds each,
                                          int most) {
    while (client->turns < most) {
      co_await asio::post(asio::use_awaitable);
      if (!client->stranger->may_read()) co_await client->stranger->wait();
      ++client->turns;
      work_for(each);
    }
    client->over = true;
  }

  // The machine may be busy with others.
  void run_until_one_waits() {
    const auto end = Allowance::Clock::now() + seconds(10);
    while (allowance_->waiting() == 0 && Allowance::Clock::now() < end) {
      loop_.run_for(milliseconds(10));
    }
  }

  // Who has used up what is saved waits for longer than any machine stands still.
  void earn_nothing() {
    limits_.share = 1e-5;
    allowance_ = std::make_shared<Allowance>(loop_.get_executor(), limits_);
  }

  asio::io_context loop_{1};
  Allowance::Limits limits_{0.04, milliseconds(20)};
  std::shared_ptr<Allowance> allowance_ =
      std::make_shared<Allowance>(loop_.get_executor(), limits_);
};

TEST_F(AllowanceTest, NobodyWaitsForWhatIsSaved) {
  const auto client = add("a");
  start(client, milliseconds(1), 10);
  const auto begin = Allowance::Clock::now();
  loop_.run_for(seconds(10));
  EXPECT_TRUE(client->over);
  EXPECT_LT(Allowance::Clock::now() - begin, seconds(5));
}

TEST_F(AllowanceTest, AllTogetherHaveTheirShareAndNoMore) {
  std::vector<std::shared_ptr<Client>> clients;
  for (int i = 0; i < 30; ++i) clients.push_back(add("machine-" + std::to_string(i % 3)));
  for (const auto& client : clients) start(client, milliseconds(1));
  const auto begin = Allowance::Clock::now();
  const auto all_turns = [&] {
    int turns = 0;
    for (const auto& client : clients) turns += client->turns;
    return turns;
  };
  // Longer where the machine is busy with others.
  do {
    loop_.run_for(seconds(2));
  } while (all_turns() < 40 && Allowance::Clock::now() - begin < seconds(60));
  const std::chrono::duration<double, std::milli> elapsed = Allowance::Clock::now() - begin;
  const int turns = all_turns();
  // A turn costs 1 ms or more: what is saved, 4 % of the time, and the turn that uses up the rest.
  EXPECT_LE(turns, 20 + limits_.share * elapsed.count() + 1);
  EXPECT_GE(turns, 40);
  EXPECT_EQ(allowance_->strangers(), 30u);
}

TEST_F(AllowanceTest, ACrowdAtOneAddressLeavesAnotherOneItsTurns) {
  std::vector<std::shared_ptr<Client>> crowd;
  for (int i = 0; i < 50; ++i) crowd.push_back(add("crowd"));
  for (const auto& client : crowd) start(client, milliseconds(1));
  loop_.run_for(milliseconds(500));
  const auto probe = add("probe");
  start(probe, milliseconds(1), 5);
  const auto begin = Allowance::Clock::now();
  while (!probe->over && Allowance::Clock::now() - begin < seconds(10)) {
    loop_.run_for(milliseconds(20));
  }
  // A turn of 1 ms is worth 25 ms of waiting: 5 turns of one address among two, not of 51 clients.
  EXPECT_LT(Allowance::Clock::now() - begin, seconds(4));
}

TEST_F(AllowanceTest, ATrustedClientNeverWaitsAndGetsBackWhatItUsed) {
  const auto client = add("a");
  start(client, milliseconds(1), 100);
  run_until_one_waits();
  ASSERT_FALSE(client->over);
  EXPECT_EQ(allowance_->waiting(), 1u);
  client->stranger->trust(true);
  EXPECT_EQ(allowance_->strangers(), 0u);
  EXPECT_EQ(client->stranger->account().strangers, 0u);
  loop_.run_for(seconds(5));
  EXPECT_TRUE(client->over);
  const auto next = add("a");
  start(next, milliseconds(1), 10);
  loop_.restart();
  loop_.run_for(milliseconds(500));
  EXPECT_TRUE(next->over) << "its address has not used anything";
}

TEST_F(AllowanceTest, WhoGivesUpWaitsNoLonger) {
  earn_nothing();
  const auto client = add("a");
  start(client, milliseconds(100), 2);
  run_until_one_waits();
  ASSERT_EQ(allowance_->waiting(), 1u);
  client->stranger->give_up();
  EXPECT_EQ(allowance_->waiting(), 0u);
  loop_.run_for(seconds(5));
  EXPECT_TRUE(client->over);
}

TEST_F(AllowanceTest, ADestroyedClientIsForgotten) {
  {
    const auto client = add("a");
    EXPECT_EQ(allowance_->strangers(), 1u);
  }
  EXPECT_EQ(allowance_->strangers(), 0u);
  // Made-up addresses do not pile up; those that are in use stay.
  const auto used = add("used");
  for (int i = 0; i < 5'000; ++i) (void)allowance_->account(std::to_string(i));
  EXPECT_EQ(allowance_->account("used").get(), &used->stranger->account());
}

}  // namespace
}  // namespace ccm::serving
