#include "plugin/host_services/http_budgets.hpp"

#include "../runtime/manual_timers.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::plugin {
namespace {

using namespace std::chrono_literals;

net::Response answer(std::vector<net::Header> headers, unsigned status = 200) {
  net::Response made;
  made.status = status;
  made.headers = std::move(headers);
  return made;
}

RateLimitHeaders parsed(std::vector<net::Header> headers) {
  const auto now = std::chrono::system_clock::from_time_t(1'800'000'000);
  return parse_rate_limit(answer(std::move(headers)), now);
}

class CallBudgetsTest : public testing::Test {
 protected:
  // One call and its answer.
  void exchange(std::vector<net::Header> headers, unsigned status = 200) {
    EXPECT_EQ(admit(CallPriority::node_init), 0ms);
    const net::Response made = answer(std::move(headers), status);
    budgets_.answered("account", &made);
  }
  void spend_until(int left) {
    exchange({{"RateLimit-Limit", "5000"},
              {"RateLimit-Remaining", std::to_string(left)},
              {"RateLimit-Reset", "600"}});
  }
  std::chrono::milliseconds admit(CallPriority priority) {
    return budgets_.admit("account", priority, "controller");
  }
  // Whether a call may go; what was admitted for the look ends at once.
  bool passes(CallPriority priority) {
    if (admit(priority) > 0ms) return false;
    budgets_.answered("account", nullptr);
    return true;
  }
  BudgetReport report() { return budgets_.report().at(0); }

  runtime::ManualTimers timers_;
  CallBudgets budgets_{timers_};
};

TEST_F(CallBudgetsTest, UntilNineTenthsAreSpentEverybodyPasses) {
  EXPECT_TRUE(passes(CallPriority::refresh)) << "nothing is known yet";
  spend_until(502);
  for (const auto priority :
       {CallPriority::node_init, CallPriority::load_balancers, CallPriority::routes,
        CallPriority::backends, CallPriority::refresh}) {
    EXPECT_TRUE(passes(priority));
  }
  EXPECT_FALSE(report().reserved);
  EXPECT_EQ(budgets_.obstacle("account", CallPriority::refresh), "");
}

TEST_F(CallBudgetsTest, TheLastTenthIsForNewNodesAndServices) {
  spend_until(500);
  EXPECT_TRUE(report().reserved);
  EXPECT_TRUE(passes(CallPriority::node_init));
  EXPECT_TRUE(passes(CallPriority::load_balancers));
  EXPECT_FALSE(passes(CallPriority::routes));
  EXPECT_FALSE(passes(CallPriority::backends));
  EXPECT_FALSE(passes(CallPriority::refresh));
  EXPECT_EQ(admit(CallPriority::refresh), 600s);
  EXPECT_EQ(budgets_.obstacle("account", CallPriority::refresh),
            "only 500 of 5000 calls of the cloud's limit are left, and they are kept for new Nodes "
            "and Services");
  EXPECT_EQ(budgets_.admit("another", CallPriority::refresh, "c"), 0ms) << "its own budget";
}

// Edits of one Service used up the reserve for new Nodes, too.
TEST_F(CallBudgetsTest, Issue37_7_HalfOfTheReserveIsForNewNodesAlone) {
  spend_until(251);
  EXPECT_TRUE(passes(CallPriority::load_balancers));
  EXPECT_FALSE(report().for_nodes);
  spend_until(250);
  EXPECT_EQ(admit(CallPriority::load_balancers), 600s);
  EXPECT_TRUE(report().for_nodes);
  EXPECT_EQ(budgets_.obstacle("account", CallPriority::load_balancers),
            "only 250 of 5000 calls of the cloud's limit are left, and they are kept for new "
            "Nodes");
  EXPECT_TRUE(passes(CallPriority::node_init));
  spend_until(1);
  EXPECT_TRUE(passes(CallPriority::node_init));
}

TEST_F(CallBudgetsTest, Issue37_7_AfterTheReserveForNodesOneServiceAsksFirstWhatTheNewWindowHolds) {
  spend_until(3);
  timers_.advance(600s);
  EXPECT_EQ(admit(CallPriority::load_balancers), 0ms);
  EXPECT_GT(admit(CallPriority::load_balancers), 0ms);
  EXPECT_EQ(admit(CallPriority::node_init), 0ms);
}

TEST_F(CallBudgetsTest, Issue37_7_CallsAreScarceWhenHalfOfThemAreSpentOrTheCloudAsksToWait) {
  EXPECT_FALSE(budgets_.scarce()) << "nothing is known";
  spend_until(2'501);
  EXPECT_FALSE(budgets_.scarce());
  spend_until(2'500);
  EXPECT_TRUE(budgets_.scarce());
  timers_.advance(600s);
  EXPECT_FALSE(budgets_.scarce()) << "a new window";
  exchange({{"Retry-After", "7"}}, 429);
  EXPECT_TRUE(budgets_.scarce());
  timers_.advance(7s);
  EXPECT_FALSE(budgets_.scarce());
}

TEST_F(CallBudgetsTest, ASmallLimitLeavesServicesACall) {
  exchange({{"RateLimit-Limit", "10"}, {"RateLimit-Remaining", "1"}, {"RateLimit-Reset", "9"}});
  EXPECT_TRUE(passes(CallPriority::load_balancers));
}

TEST_F(CallBudgetsTest, CallsUnderWayCountAsSpent) {
  spend_until(503);
  EXPECT_EQ(admit(CallPriority::refresh), 0ms);
  EXPECT_EQ(admit(CallPriority::refresh), 0ms);
  EXPECT_EQ(admit(CallPriority::refresh), 0ms);
  EXPECT_GT(admit(CallPriority::refresh), 0ms) << "500 are left if these three are counted";
  EXPECT_EQ(report().remaining, 500);
  budgets_.answered("account", nullptr);
  EXPECT_EQ(admit(CallPriority::refresh), 0ms) << "one of them never reached the cloud";
}

TEST_F(CallBudgetsTest, OfThoseWhoWaitedOneAsksFirstWhatTheNewWindowHolds) {
  spend_until(10);
  EXPECT_FALSE(passes(CallPriority::refresh));
  timers_.advance(600s);
  EXPECT_EQ(admit(CallPriority::refresh), 0ms);
  EXPECT_GT(admit(CallPriority::refresh), 0ms);
  EXPECT_EQ(admit(CallPriority::node_init), 0ms);
  const net::Response still = answer(
      {{"RateLimit-Limit", "5000"}, {"RateLimit-Remaining", "11"}, {"RateLimit-Reset", "5"}});
  budgets_.answered("account", &still);
  budgets_.answered("account", nullptr);
  EXPECT_EQ(admit(CallPriority::refresh), 5s) << "a window that slides is nearly as full";
  timers_.advance(5s);
  EXPECT_EQ(admit(CallPriority::refresh), 0ms);
  const net::Response fresh = answer(
      {{"RateLimit-Limit", "5000"}, {"RateLimit-Remaining", "4999"}, {"RateLimit-Reset", "3600"}});
  budgets_.answered("account", &fresh);
  EXPECT_TRUE(passes(CallPriority::refresh));
}

TEST_F(CallBudgetsTest, ARefusalHoldsBackEverybody) {
  exchange({{"Retry-After", "7"}}, 429);
  EXPECT_EQ(admit(CallPriority::node_init), 7s);
  EXPECT_TRUE(budgets_.closed("account"));
  EXPECT_EQ(report().closed, 7s);
  timers_.advance(7s);
  EXPECT_TRUE(passes(CallPriority::refresh));
}

TEST_F(CallBudgetsTest, WithoutAnyCallLeftTheResetIsWaitedFor) {
  exchange({{"RateLimit-Limit", "60"}, {"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "50"}});
  EXPECT_EQ(admit(CallPriority::node_init), 50s);
}

// 429 with `Retry-After: 86400` stopped new Nodes for an hour.
TEST_F(CallBudgetsTest, Issue37_EachMinuteOneReadTriesWhetherTheCloudMeansIt) {
  exchange({{"Retry-After", "86400"}}, 429);
  EXPECT_EQ(admit(CallPriority::node_init), 60s);
  timers_.advance(60s);
  EXPECT_GT(budgets_.admit("account", CallPriority::node_init, "c", false), 0ms) << "a write";
  EXPECT_EQ(admit(CallPriority::refresh), 0ms);
  EXPECT_EQ(admit(CallPriority::node_init), 60s) << "one call alone";
  const net::Response still = answer({{"Retry-After", "86400"}}, 429);
  budgets_.answered("account", &still);
  EXPECT_EQ(admit(CallPriority::node_init), 60s);
  timers_.advance(60s);
  exchange({}, 200);
  EXPECT_TRUE(passes(CallPriority::refresh)) << "the cloud answers";
  EXPECT_FALSE(budgets_.closed("account"));
  EXPECT_EQ(budgets_.admit("account", CallPriority::load_balancers, "c", false), 0ms);
}

TEST_F(CallBudgetsTest, Issue37_ATrialWithoutAnAnswerIsFollowedByAnother) {
  exchange({{"Retry-After", "600"}}, 429);
  timers_.advance(60s);
  EXPECT_TRUE(passes(CallPriority::refresh)) << "its answer is lost";
  EXPECT_FALSE(passes(CallPriority::node_init));
  timers_.advance(60s);
  EXPECT_TRUE(passes(CallPriority::node_init));
}

TEST_F(CallBudgetsTest, Issue37_AnHourWithoutCallsStopsAllForTenMinutesAndTheLowerOnesForTheRest) {
  exchange(
      {{"RateLimit-Limit", "5000"}, {"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "3600"}});
  EXPECT_EQ(report().closed, 600s);
  timers_.advance(600s);
  EXPECT_TRUE(passes(CallPriority::node_init));
  EXPECT_EQ(admit(CallPriority::refresh), 3000s);
}

TEST_F(CallBudgetsTest, Issue37_AnAnswerOfAnEarlierCallOpensNothing) {
  EXPECT_EQ(admit(CallPriority::node_init), 0ms);
  exchange({{"Retry-After", "600"}}, 429);
  const net::Response late = answer({});
  budgets_.answered("account", &late);
  EXPECT_TRUE(budgets_.closed("account"));
}

TEST_F(CallBudgetsTest, ALimitWithoutAnEndIsBelievedForAMinute) {
  exchange({{"X-RateLimit-Limit", "100"}, {"X-RateLimit-Remaining", "5"}});
  EXPECT_EQ(admit(CallPriority::refresh), 60s);
  timers_.advance(60s);
  EXPECT_TRUE(passes(CallPriority::refresh));
}

TEST_F(CallBudgetsTest, SpendersAreCountedByTheHourAndInAll) {
  for (int call = 0; call < 3; ++call) passes(CallPriority::refresh);
  timers_.advance(40min);
  passes(CallPriority::refresh);
  EXPECT_EQ(report().spenders.at(0).last_hour, 4u);
  timers_.advance(30min);
  EXPECT_EQ(report().spenders.at(0).last_hour, 1u);
  timers_.advance(10h);
  EXPECT_EQ(report().spenders.at(0).last_hour, 0u);
  EXPECT_EQ(report().spenders.at(0).total, 4u);
}

TEST_F(CallBudgetsTest, NamesWithoutEndShareOneBudget) {
  for (int index = 0; index < 1000; ++index) {
    budgets_.admit("credential-" + std::to_string(index), CallPriority::refresh,
                   "controller-" + std::to_string(index));
  }
  EXPECT_LE(budgets_.report().size(), 33u);
  for (const BudgetReport& budget : budgets_.report()) EXPECT_LE(budget.spenders.size(), 65u);
}

TEST(RateLimitHeaders, DO_321_SecondsSince1970AndSecondsFromNow) {
  const auto epoch = parsed({{"ratelimit-limit", "5000"},
                             {"ratelimit-remaining", "4987"},
                             {"ratelimit-reset", "1800000090"}});
  EXPECT_EQ(epoch.limit, 5000);
  EXPECT_EQ(epoch.remaining, 4987);
  EXPECT_EQ(epoch.reset, 90s);
  EXPECT_EQ(parsed({{"ratelimit-reset", "42"}}).reset, 42s);
  EXPECT_EQ(parsed({{"x-ratelimit-reset", "1800000090000"}}).reset, 90s) << "milliseconds";
  EXPECT_EQ(parsed({{"ratelimit-limit", "100, 100;w=60"}}).limit, 100);
}

TEST(RateLimitHeaders, WhatIsAbsurdIsLeftOutOrBounded) {
  for (const char* nonsense : {"", "-1", "-5000", "many", "1e9", "0x10", "12abc", "+7", "١٢",
                               "99999999999999999999999999", "\x01", "1.5", ",", ";w=60"}) {
    EXPECT_FALSE(parsed({{"ratelimit-limit", nonsense}}).limit) << nonsense;
    EXPECT_FALSE(parsed({{"ratelimit-remaining", nonsense}}).remaining) << nonsense;
    EXPECT_FALSE(parsed({{"ratelimit-reset", nonsense}}).reset) << nonsense;
  }
  EXPECT_FALSE(parsed({{"ratelimit-limit", "0"}}).limit) << "no account has that";
  EXPECT_EQ(parsed({{"ratelimit-limit", "10"}, {"ratelimit-remaining", "999"}}).remaining, 10);
  EXPECT_EQ(parsed({{"ratelimit-reset", "1700000000"}}).reset, 0s) << "in the past";
  EXPECT_EQ(parsed({{"ratelimit-reset", "9223372036854775807"}}).reset, 3600s);
  EXPECT_EQ(parsed({{"ratelimit-reset", "86400"}}).reset, 3600s);
}

TEST_F(CallBudgetsTest, AbsurdHeadersHoldNobodyBackForLong) {
  const std::string huge = "9223372036854775807";
  exchange({{"ratelimit-limit", huge}, {"ratelimit-remaining", "1"}, {"ratelimit-reset", huge}});
  EXPECT_EQ(admit(CallPriority::refresh), 3600s);
  timers_.advance(3600s);
  exchange({{"ratelimit-limit", "-1"}, {"ratelimit-remaining", "-1"}, {"ratelimit-reset", "-1"}});
  EXPECT_TRUE(passes(CallPriority::refresh));
  exchange({{"ratelimit-remaining", "0"}, {"ratelimit-reset", "1"}}, 200);
  timers_.advance(1s);
  EXPECT_TRUE(passes(CallPriority::refresh));
  exchange({{"ratelimit-limit", "5000"}, {"ratelimit-remaining", "0"}, {"ratelimit-reset", "0"}});
  EXPECT_TRUE(passes(CallPriority::refresh)) << "a window that is over";
}

}  // namespace
}  // namespace ccm::plugin
