// Listings of droplets.
#include "digitalocean/api.hpp"
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

TEST_F(DigitalOceanProviderTest, Issue37_AListingThatSaysItIsEndlessIsNone) {
  log_in();
  for (const char* total : {"9223372036854775807", "100001", "-1"}) {
    std::string first = page(1, 200, 123454321);
    first.replace(first.find("123454321"), 9, total);
    host.http.expect("GET", page_url(1)).answer(200, first);
    EXPECT_EQ(provider.list().status().code(), Code::data_loss) << total;
  }
  host.http.expect("GET", page_url(1)).answer(200, page(1, 201, 201));
  EXPECT_EQ(provider.list().status().code(), Code::data_loss) << "a page is longer than asked for";
}

// Reads a listing whose pages nobody parses.
struct Reader {
  explicit Reader(Host& host) : api(host) {}
  Task<Status> initialize(Ctx ctx) {
    PageReader take = [](int64_t, const std::string&) { return PageInfo{1, 9}; };
    auto read = co_await api.read_pages(ctx, "/v2/things", "ListThings", take);
    co_return read.status();
  }
  Api api;
};

TEST(DigitalOceanApiTest, Issue37_AListingHasALargestSize) {
  testing::FakeHost host;
  host.config.set_secret("DO_ACCESS_TOKEN", "s3cret");
  testing::FakeComponent reader{host, testing::plugin_of<Reader, testing::Dispatch::loop>(),
                                "test"};
  for (const std::size_t megabytes : {7U, 8U}) {
    for (int number = 1; number <= 9; ++number) {
      host.http.expect("GET", "/v2/things?page=" + std::to_string(number) + "&per_page=200")
          .answer(200, std::string(megabytes << 20U, ' '));
    }
    const Status status = reader.initialize();
    EXPECT_EQ(status.code(), megabytes == 7 ? Code::ok : Code::data_loss);
    EXPECT_EQ(status.message().find("or more than 64 MiB of them") != std::string::npos,
              megabytes == 8);
  }
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
  host.loop.run();
  EXPECT_EQ(host.http.requests().size(), 5U) << "nothing is asked for after its end";
}

}  // namespace
}  // namespace ccm::digitalocean
