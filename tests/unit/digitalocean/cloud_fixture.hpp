// A host whose HTTP goes to the stateful fake of the API. All that is exchanged is held against the
// official description.
#pragma once

#include "digitalocean_api/api.hpp"
#include "digitalocean_api/contract.hpp"

#include <ccm/testing/fake_host.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ccm::digitalocean {

inline const std::string kUrl = "http://do";

class CloudTest : public ::testing::Test {
 protected:
  CloudTest() {
    host.config.set_flag("digitalocean-api-url", kUrl);
    host.config.set_secret("DO_ACCESS_TOKEN", cloud.token);
    host.http.handle([this](const HttpRequest& request) { return serve(request); });
    cloud.observer = [](const digitalocean_api::Exchange& exchange) {
      for (const std::string& fault : digitalocean_api::contract_faults(exchange)) {
        ADD_FAILURE() << exchange.method << " " << exchange.path << ": " << fault;
      }
    };
  }
  ~CloudTest() override {
    EXPECT_TRUE(host.faults().empty());
    EXPECT_FALSE(host.log.contains(cloud.token));
  }

  testing::FakeHttp::Answer serve(const HttpRequest& request) {
    digitalocean_api::ApiRequest asked;
    asked.method = request.method;
    asked.target = request.url.substr(kUrl.size());
    asked.body = request.body;
    for (const HttpHeader& header : request.headers) {
      if (header.name == "authorization") asked.authorization = header.value;
      if (header.name == "content-type") asked.content_type = header.value;
    }
    const auto answered = cloud.handle(asked);
    testing::FakeHttp::Answer answer;
    answer.delay = answered.delay;
    if (answered.cut) {
      answer.outcome = Status(Code::unavailable, ErrorClass::unavailable, "connection reset");
      return answer;
    }
    HttpResponse response{static_cast<uint32_t>(answered.status), {}, answered.body};
    for (const auto& [name, value] : answered.headers) response.headers.push_back({name, value});
    answer.outcome = response;
    return answer;
  }

  testing::FakeHost host;
  digitalocean_api::Api cloud{[this] { return host.loop.now(); }};
};

}  // namespace ccm::digitalocean
