#include "digitalocean/provider.hpp"

#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace ccm::digitalocean {
namespace {

using nlohmann::json;

const std::string kBase = "http://do";
const std::string kVpc = "c33931f2-a26a-4e61-b85c-4e95a2ec431b";

std::string page_url(int page, const std::string& query = "") {
  return kBase + "/v2/droplets?" + query + "page=" + std::to_string(page) + "&per_page=200";
}
const std::string kGpus = "type=gpus&";

json droplet(int id, const std::string& name = "") {
  return {{"id", id},
          {"name", name.empty() ? "node-" + std::to_string(id) : name},
          {"status", "active"},
          {"size_slug", "s-1vcpu-1gb"},
          {"region", {{"slug", "nyc3"}}},
          {"networks",
           {{"v4",
             json::array({{{"ip_address", "10.0.0." + std::to_string(id)}, {"type", "private"}}})},
            {"v6", json::array()}}}};
}

std::string page(int first, int count, int total) {
  json droplets = json::array();
  for (int id = first; id < first + count; ++id) droplets.push_back(droplet(id));
  return json{{"droplets", droplets}, {"links", json::object()}, {"meta", {{"total", total}}}}
      .dump();
}
std::string one(const json& item) { return json{{"droplet", item}}.dump(); }
std::string few(const json& items) {
  return json{{"droplets", items}, {"meta", {{"total", items.size()}}}}.dump();
}

class DigitalOceanProviderTest : public ::testing::Test {
 protected:
  DigitalOceanProviderTest() {
    host.config.set_flag("digitalocean-api-url", kBase);
    host.config.set_secret("DO_ACCESS_TOKEN", "s3cret");
  }
  // Checks that nothing unexpected was asked and that the token was not logged.
  ~DigitalOceanProviderTest() override {
    EXPECT_TRUE(host.http.unexpected().empty()) << host.http.unexpected().front();
    EXPECT_TRUE(host.http.unmet().empty()) << host.http.unmet().front();
    EXPECT_FALSE(host.log.contains("s3cret"));
    EXPECT_TRUE(host.faults().empty());
  }
  void expect_credential(uint32_t code = 200) {
    host.http.expect("GET", kBase + "/v2/droplets?page=1&per_page=1")
        .answer(code, code == 200 ? page(1, 1, 1) : R"({"id":"unauthorized","message":"no"})");
  }
  void expect_metadata(const std::string& region = "nyc3") {
    host.http.expect("GET", "http://169.254.169.254/metadata/v1/region").answer(200, region);
  }
  void log_in() {
    expect_credential();
    expect_metadata();
    const Status status = provider.initialize();
    ASSERT_TRUE(status.ok()) << status.message();
  }
  void expect_no_gpus() {
    host.http.expect("GET", page_url(1, kGpus)).answer(200, few(json::array()));
  }

  testing::FakeHost host;
  testing::FakeComponent provider{host, testing::plugin_of<Provider, testing::Dispatch::loop>(),
                                  "test"};
};

TEST_F(DigitalOceanProviderTest, DO_6_WithoutATokenNothingIsAsked) {
  host.config.set_secret("DO_ACCESS_TOKEN", " ");
  const Status status = provider.initialize();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_TRUE(host.http.requests().empty());
}

TEST_F(DigitalOceanProviderTest, DO_43_RequestsCarryTokenAndAccept) {
  log_in();
  const HttpRequest request = host.http.requests().front();
  ASSERT_EQ(request.headers.size(), 2U);
  EXPECT_EQ(request.headers[0].name, "authorization");
  EXPECT_EQ(request.headers[0].value, "Bearer s3cret");
  EXPECT_EQ(request.headers[1].value, "application/json");
  EXPECT_EQ(request.operation, "CheckCredential");
}

TEST_F(DigitalOceanProviderTest, DO_7_ARotatedTokenIsUsedAtOnce) {
  log_in();
  host.config.set_secret("DO_ACCESS_TOKEN", "s3cret-2");
  expect_credential();
  EXPECT_TRUE(provider.health().ok());
  EXPECT_EQ(host.http.requests().back().headers[0].value, "Bearer s3cret-2");
}

TEST_F(DigitalOceanProviderTest, AWrongTokenIsOneLineAtTheStart) {
  expect_credential(401);
  const Status status = provider.initialize();
  EXPECT_EQ(status.error_class(), ErrorClass::auth);
  EXPECT_EQ(status.message(), "CheckCredential: DigitalOcean answered 401 no");
}

TEST_F(DigitalOceanProviderTest, DO_56_TheRegionComesFromTheMetadataService) {
  expect_credential();
  expect_metadata("ams3\n");
  ASSERT_TRUE(provider.initialize().ok());
  EXPECT_TRUE(host.log.contains("ams3"));
  EXPECT_EQ(host.http.requests().back().headers.size(), 0U);  // the token stays here
}

TEST_F(DigitalOceanProviderTest, DO_57_StartsWithoutAMetadataService) {
  expect_credential();
  host.http.expect("GET", "http://169.254.169.254/metadata/v1/region").answer(404, "");
  EXPECT_TRUE(provider.initialize().ok());
  EXPECT_TRUE(host.log.contains("REGION is not set"));
}

TEST_F(DigitalOceanProviderTest, DO_10_AGivenRegionIsLookedUp) {
  host.config.set_flag("digitalocean-region", "nyc3");
  expect_credential();
  host.http.expect("GET", kBase + "/v2/regions?page=1&per_page=200")
      .answer(200, R"({"regions":[{"slug":"ams3"},{"slug":"nyc3","available":false}],
                       "meta":{"total":2}})");
  EXPECT_TRUE(provider.initialize().ok());
}

TEST_F(DigitalOceanProviderTest, DO_11_AWrongRegionEndsTheStart) {
  host.config.set_flag("digitalocean-region", "NYC3");
  expect_credential();
  host.http.expect("GET", kBase + "/v2/regions?page=1&per_page=200")
      .answer(200, R"({"regions":[{"slug":"nyc3"}],"meta":{"total":1}})");
  const Status status = provider.initialize();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_EQ(status.message().find("failed to determine region: invalid region specified: NYC3"),
            0U);
}

TEST_F(DigitalOceanProviderTest, DO_355_TheVpcIsLookedUp) {
  host.config.set_flag("digitalocean-cluster-vpc-id", kVpc);
  expect_credential();
  expect_metadata();
  host.http.expect("GET", kBase + "/v2/vpcs/" + kVpc)
      .answer(404, R"({"id":"not_found","message":"gone"})");
  EXPECT_EQ(provider.initialize().code(), Code::invalid_argument);
  expect_credential();
  expect_metadata();
  host.http.expect("GET", kBase + "/v2/vpcs/" + kVpc)
      .answer(403, R"({"id":"forbidden","message":"scope"})");
  EXPECT_TRUE(provider.initialize().ok());
}

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

TEST_F(DigitalOceanProviderTest, DO_65_GetGoesByIdFirst) {
  log_in();
  host.http.expect("GET", kBase + "/v2/droplets/7").answer(200, one(droplet(7)));
  const auto found = provider.get({"other-name", "digitalocean://7", {}});
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->name, "node-7");
}

TEST_F(DigitalOceanProviderTest, DO_65_OnlyA404MeansGone) {
  log_in();
  const std::string url = kBase + "/v2/droplets/9";
  host.http.expect("GET", url).answer(404, R"({"id":"not_found","message":"gone"})");
  EXPECT_EQ(provider.get({"n", "digitalocean://9", {}}).status().error_class(),
            ErrorClass::not_found);
  for (const uint32_t code : {401U, 403U, 429U, 500U}) {  // DO-67
    host.http.expect("GET", url).answer(code, "{}");
    EXPECT_NE(provider.get({"n", "digitalocean://9", {}}).status().error_class(),
              ErrorClass::not_found)
        << code;
  }
}

TEST_F(DigitalOceanProviderTest, GetChecksThatItIsTheSameDroplet) {
  log_in();
  host.http.expect("GET", kBase + "/v2/droplets/7").answer(200, one(droplet(8)));
  EXPECT_EQ(provider.get({"n", "digitalocean://7", {}}).status().code(), Code::data_loss);
}

TEST_F(DigitalOceanProviderTest, DO_64_AnotherCloudsIdIsLeftAlone) {
  log_in();
  EXPECT_EQ(provider.get({"n", "sandbox://5", {}}).status().code(), Code::implemented_elsewhere);
}

TEST_F(DigitalOceanProviderTest, DO_70_NamesAreExact) {
  log_in();
  host.http.expect("GET", page_url(1, "name=node-1&"))
      .answer(200, few(json::array({droplet(3, "NODE-1"), droplet(1, "node-1")})));
  EXPECT_EQ(provider.get({"node-1", "", {}})->provider_id, "digitalocean://1");
}

TEST_F(DigitalOceanProviderTest, DO_73_ADropletsNameMayHoldCapitals) {
  log_in();
  host.http.expect("GET", page_url(1, "name=node-1&"))
      .answer(200, few(json::array({droplet(3, "NODE-1")})));
  EXPECT_EQ(provider.get({"node-1", "", {}})->provider_id, "digitalocean://3");
}

TEST_F(DigitalOceanProviderTest, DO_74_TwoDropletsOfOneNameAreAnError) {
  log_in();
  host.http.expect("GET", page_url(1, "name=node-1&"))
      .answer(200, few(json::array({droplet(1, "node-1"), droplet(2, "node-1")})));
  EXPECT_EQ(provider.get({"node-1", "", {}}).status().reason(), "AmbiguousDropletName");
}

TEST_F(DigitalOceanProviderTest, DO_326_ADropletThatStandsTwiceIsOne) {
  log_in();
  json twice = json::parse(few(json::array({droplet(1, "node-1"), droplet(1, "node-1")})));
  twice["meta"]["total"] = 1;
  host.http.expect("GET", page_url(1, "name=node-1&")).answer(200, twice.dump());
  EXPECT_EQ(provider.get({"node-1", "", {}})->provider_id, "digitalocean://1");
  twice["meta"]["total"] = 3;
  host.http.expect("GET", page_url(1, "name=node-1&")).answer(200, twice.dump());
  host.http.expect("GET", page_url(2, "name=node-1&")).answer(200, few(json::array()));
  EXPECT_EQ(provider.get({"node-1", "", {}}).status().reason(), "BadAnswer");
}

TEST_F(DigitalOceanProviderTest, DO_72_AGpuNodeIsFoundByName) {
  log_in();
  host.http.expect("GET", page_url(1, "name=gpu-1&")).answer(200, few(json::array()));
  host.http.expect("GET", page_url(1, "name=gpu-1&type=gpus&"))
      .answer(200, few(json::array({droplet(5, "gpu-1")})));
  EXPECT_EQ(provider.get({"gpu-1", "", {}})->provider_id, "digitalocean://5");
}

TEST_F(DigitalOceanProviderTest, DO_55_OddNamesAreEncoded) {
  log_in();
  host.http.expect("GET", page_url(1, "name=a%26b%2F&")).answer(200, few(json::array()));
  host.http.expect("GET", page_url(1, "name=a%26b%2F&type=gpus&")).answer(200, few(json::array()));
  EXPECT_EQ(provider.get({"a&b/", "", {}}).status().error_class(), ErrorClass::not_found);
}

TEST_F(DigitalOceanProviderTest, DO_71_ANodeMayBeNamedByItsAddress) {
  log_in();
  const auto expect_no_name = [this] {
    host.http.expect("GET", page_url(1, "name=10.0.0.2&")).answer(200, few(json::array()));
    host.http.expect("GET", page_url(1, "name=10.0.0.2&type=gpus&"))
        .answer(200, few(json::array()));
  };
  expect_no_name();
  host.http.expect("GET", page_url(1)).answer(200, page(1, 3, 3));
  expect_no_gpus();
  EXPECT_EQ(provider.get({"10.0.0.2", "", {}})->provider_id, "digitalocean://2");
  // Known from that listing, and asked again.
  expect_no_name();
  host.http.expect("GET", kBase + "/v2/droplets/2").answer(200, one(droplet(2)));
  EXPECT_EQ(provider.get({"10.0.0.2", "", {}})->provider_id, "digitalocean://2");
}

TEST_F(DigitalOceanProviderTest, DO_17_CallsKeepTheirDistance) {
  host.config.set_flag("digitalocean-api-qps", "2");
  log_in();
  const auto begin = host.loop.now();
  for (int i = 0; i < 3; ++i) {
    expect_credential();
    EXPECT_TRUE(provider.health().ok());
  }
  EXPECT_GE(host.loop.now() - begin, std::chrono::milliseconds(1500));
}

}  // namespace
}  // namespace ccm::digitalocean
