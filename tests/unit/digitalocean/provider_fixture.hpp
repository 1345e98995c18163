// The provider on a fake host, with prepared answers of the API.
#pragma once

#include "digitalocean/provider.hpp"

#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace ccm::digitalocean {

using nlohmann::json;

inline const std::string kBase = "http://do";
inline const std::string kVpc = "c33931f2-a26a-4e61-b85c-4e95a2ec431b";

inline std::string page_url(int page, const std::string& query = "") {
  return kBase + "/v2/droplets?" + query + "page=" + std::to_string(page) + "&per_page=200";
}
inline const std::string kGpus = "type=gpus&";

inline json droplet(int id, const std::string& name = "") {
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

inline std::string page(int first, int count, int total) {
  json droplets = json::array();
  for (int id = first; id < first + count; ++id) droplets.push_back(droplet(id));
  return json{{"droplets", droplets}, {"links", json::object()}, {"meta", {{"total", total}}}}
      .dump();
}
inline std::string droplet_body(const json& item) { return json{{"droplet", item}}.dump(); }
inline std::string few(const json& items) {
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

}  // namespace ccm::digitalocean
