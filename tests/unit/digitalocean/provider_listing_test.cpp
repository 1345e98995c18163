// Listings of droplets.
#include "digitalocean/provider.hpp"
#include "provider_fixture.hpp"

#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace ccm::digitalocean {
namespace {

using nlohmann::json;

TEST_F(DigitalOceanProviderTest, DO_52_ListReadsEveryPage) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(1, 200, 1150));
  for (int number = 2; number <= 5; ++number) {
    // The later the page, the sooner its answer: the order of the listing stays.
    host.http.expect("GET", page_url(number))
        .answer(200, page(200 * number - 199, 200, 1150))
        .after(std::chrono::milliseconds(100 - 10 * number));
  }
  host.http.expect("GET", page_url(6)).answer(200, page(1001, 150, 1150));
  expect_no_gpus();
  const auto list = provider.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  ASSERT_EQ(list->instances.size(), 1150U);
  for (int i = 0; i < 1150; ++i) {
    ASSERT_EQ(list->instances[static_cast<size_t>(i)].provider_id,
              "digitalocean://" + std::to_string(i + 1));
  }
}

TEST_F(DigitalOceanProviderTest, DO_72_GpuDropletsAreListedToo) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(1, 1, 1));
  host.http.expect("GET", page_url(1, kGpus)).answer(200, few(json::array({droplet(900)})));
  const auto list = provider.list();
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->instances.back().provider_id, "digitalocean://900");
}

TEST_F(DigitalOceanProviderTest, SmallerPagesThanAskedForAreFine) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(1, 50, 120));
  host.http.expect("GET", page_url(2)).answer(200, page(51, 50, 120));
  host.http.expect("GET", page_url(3)).answer(200, page(101, 20, 120));
  expect_no_gpus();
  EXPECT_EQ(provider.list()->instances.size(), 120U);
}

TEST_F(DigitalOceanProviderTest, APageThatFailsFailsTheList) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(1, 200, 400));
  host.http.expect("GET", page_url(2)).answer(429, "{}", {{"retry-after", "4"}});
  const Status status = provider.list().status();
  EXPECT_EQ(status.error_class(), ErrorClass::throttled);
  EXPECT_EQ(status.retry_after(), std::chrono::seconds(4));
}

TEST_F(DigitalOceanProviderTest, AChangeInBetweenStartsTheListAgain) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(1, 200, 201));
  host.http.expect("GET", page_url(2)).answer(200, page(201, 2, 202));
  host.http.expect("GET", page_url(1)).answer(200, page(1, 200, 202));
  host.http.expect("GET", page_url(2)).answer(200, page(201, 2, 202));
  expect_no_gpus();
  EXPECT_EQ(provider.list()->instances.size(), 202U);
}

TEST_F(DigitalOceanProviderTest, DO_326_ACloudThatNeverHoldsStillIsListedIncompletely) {
  log_in();
  for (int i = 0; i < 2; ++i) {
    host.http.expect("GET", page_url(1)).answer(200, page(1, 200, 300));
    host.http.expect("GET", page_url(2)).answer(200, page(201, 50, 300));  // half a page
  }
  expect_no_gpus();
  const auto list = provider.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ(list->instances.size(), 250U) << "what was read is there";
  EXPECT_FALSE(list->complete);
}

// A droplet was made while the pages were read: the last one of page 1 moved to page 2, and the new
// one was not seen.
TEST_F(DigitalOceanProviderTest, DO_326_ADropletThatStandsTwiceHasTheListReadAgain) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(1, 200, 400));
  host.http.expect("GET", page_url(2)).answer(200, page(200, 200, 400));
  host.http.expect("GET", page_url(1)).answer(200, page(1, 200, 401));
  host.http.expect("GET", page_url(2)).answer(200, page(201, 200, 401));
  host.http.expect("GET", page_url(3)).answer(200, page(401, 1, 401));
  expect_no_gpus();
  const auto list = provider.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ(list->instances.size(), 401U);
  EXPECT_TRUE(list->complete);
}

TEST_F(DigitalOceanProviderTest, DO_326_ACloudThatRepeatsADropletEachTimeHidesNoOther) {
  for (const int total : {400, 399}) {  // with the repeated one and without
    log_in();
    for (int i = 0; i < 2; ++i) {
      host.http.expect("GET", page_url(1)).answer(200, page(1, 200, total));
      host.http.expect("GET", page_url(2)).answer(200, page(200, 200, total));
    }
    expect_no_gpus();
    const auto list = provider.list();
    ASSERT_TRUE(list.ok()) << list.status().message();
    EXPECT_EQ(list->instances.size(), 399U);
    EXPECT_FALSE(list->complete) << total;
  }
}

TEST_F(DigitalOceanProviderTest, AnEmptyPageInTheMiddleIsNoList) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(1, 200, 400));
  host.http.expect("GET", page_url(2)).answer(200, page(201, 0, 400));
  EXPECT_EQ(provider.list().status().code(), Code::data_loss);
}

TEST_F(DigitalOceanProviderTest, AnEmptyPageOfMoreIsNoList) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(1, 0, 400));
  EXPECT_EQ(provider.list().status().code(), Code::data_loss);
}

TEST_F(DigitalOceanProviderTest, AHangingCloudEndsWithTheDeadline) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(1, 200, 600));
  host.http.expect("GET", page_url(2)).hang();
  host.http.expect("GET", page_url(3)).hang();
  EXPECT_EQ(provider.list().status().code(), Code::deadline_exceeded);
}

TEST_F(DigitalOceanProviderTest, AComponentMayEndWhileItLists) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(1, 200, 600));
  host.http.expect("GET", page_url(2)).hang();
  host.http.expect("GET", page_url(3)).hang();
  const Ctx ctx = provider.ctx();
  auto pending = provider.start_list(ctx);
  host.loop.run_until([&] { return host.http.requests().size() == 5; });
  provider.destroy();
}

}  // namespace
}  // namespace ccm::digitalocean
