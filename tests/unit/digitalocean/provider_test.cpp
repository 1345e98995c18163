// Start, credentials, and look-ups of single droplets.
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
  log_in();
  const auto requests = host.http.requests();
  ASSERT_EQ(requests.size(), 4U);  // the credential and the region, twice
  EXPECT_EQ(requests[2].headers[0].value, "Bearer s3cret-2");
}

TEST_F(DigitalOceanProviderTest, DO_7_ATokenThatIsRefusedLeavesTheEarlierOneInUse) {
  log_in();
  const auto token_of = [this](std::size_t request) {
    return host.http.requests().at(request).headers.at(0).value;
  };
  const auto get = [this](uint32_t code) {
    host.http.expect("GET", kBase + "/v2/droplets/7")
        .answer(code,
                code == 200 ? droplet_body(droplet(7)) : R"({"id":"unauthorized","message":"no"})");
  };
  const NodeIdentity node{"node-7", "digitalocean://7", {}, {}};
  host.config.set_secret("DO_ACCESS_TOKEN", "s3cret-wrong");
  get(401);
  get(200);
  const std::size_t before = host.http.requests().size();
  EXPECT_TRUE(provider.get(node).ok());
  EXPECT_EQ(token_of(before), "Bearer s3cret-wrong");
  EXPECT_EQ(token_of(before + 1), "Bearer s3cret");
  EXPECT_TRUE(host.log.contains("refuses the new access token"));

  get(200);  // not tried with each call
  EXPECT_TRUE(provider.get(node).ok());
  EXPECT_EQ(token_of(before + 2), "Bearer s3cret");

  host.config.set_secret("DO_ACCESS_TOKEN", " ");  // half written
  get(200);
  EXPECT_TRUE(provider.get(node).ok());

  host.config.set_secret("DO_ACCESS_TOKEN", "s3cret-2");
  get(200);
  EXPECT_TRUE(provider.get(node).ok());
  EXPECT_EQ(token_of(before + 4), "Bearer s3cret-2");

  get(401);  // revoked, and there is no other
  EXPECT_EQ(provider.get(node).status().error_class(), ErrorClass::auth);
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

TEST_F(DigitalOceanProviderTest, DO_65_GetGoesByIdFirst) {
  log_in();
  host.http.expect("GET", kBase + "/v2/droplets/7").answer(200, droplet_body(droplet(7)));
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
  host.http.expect("GET", kBase + "/v2/droplets/7").answer(200, droplet_body(droplet(8)));
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
  host.http.expect("GET", kBase + "/v2/droplets/2").answer(200, droplet_body(droplet(2)));
  EXPECT_EQ(provider.get({"10.0.0.2", "", {}})->provider_id, "digitalocean://2");
}

TEST_F(DigitalOceanProviderTest, DO_17_CallsKeepTheirDistance) {
  host.config.set_flag("digitalocean-api-qps", "2");
  log_in();
  const auto begin = host.loop.now();
  for (int i = 0; i < 3; ++i) log_in();
  EXPECT_GE(host.loop.now() - begin, std::chrono::milliseconds(1500));
}

// As Go's limiter: those that cannot be made in time take nobody's turn.
TEST_F(DigitalOceanProviderTest, DO_17_ACallWhoseTurnComesTooLateFailsAtOnce) {
  host.config.set_flag("digitalocean-api-qps", "0.02");
  log_in();
  const auto begin = host.loop.now();
  for (int i = 0; i < 3; ++i) {
    const Status late = provider.get({"", "digitalocean://1", {}}).status();
    EXPECT_EQ(late.error_class(), ErrorClass::throttled);
    EXPECT_EQ(late.retry_after(), std::chrono::seconds(50));
  }
  EXPECT_EQ(host.loop.now(), begin);
  host.loop.advance(std::chrono::seconds(50));
  host.http.expect("GET", kBase + "/v2/droplets/1").answer(200, droplet_body(droplet(1)));
  EXPECT_TRUE(provider.get({"", "digitalocean://1", {}}).ok());
}

}  // namespace
}  // namespace ccm::digitalocean
