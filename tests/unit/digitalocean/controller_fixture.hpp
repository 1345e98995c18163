// The provider's own controllers against the stateful fake of the API.
#pragma once

#include "digitalocean_api/api.hpp"
#include "digitalocean_api/contract.hpp"

#include <ccm/testing/fake_controller.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace ccm::digitalocean {

class ControllerTest : public ::testing::Test {
 protected:
  ControllerTest() {
    host.config.set_flag("digitalocean-api-url", "http://do");
    host.config.set_secret("DO_ACCESS_TOKEN", cloud.token);
    host.http.handle([this](const HttpRequest& request) { return serve(request); });
    cloud.generate_droplets(101, 2, "node-");
    cloud.observer = [](const digitalocean_api::Exchange& exchange) {
      for (const std::string& fault : digitalocean_api::contract_faults(exchange)) {
        ADD_FAILURE() << exchange.method << " " << exchange.path << ": " << fault;
      }
    };
  }
  ~ControllerTest() override {
    EXPECT_TRUE(host.faults().empty());
    EXPECT_FALSE(host.log.contains(cloud.token));
  }

  testing::FakeHttp::Answer serve(const HttpRequest& request) {
    digitalocean_api::ApiRequest asked;
    asked.method = request.method;
    asked.target = request.url.substr(std::string("http://do").size());
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

  // Makes the controller and sets it up.
  template <typename Controller>
  Status start() {
    controller = std::make_unique<testing::FakeController>(
        host, testing::plugin_of<Controller, testing::Dispatch::loop>(), "test");
    Status status = controller->setup();
    if (status.ok()) controller->run();
    return status;
  }
  // A Service as the API server stores it; `spec` and `annotations` as they are.
  void put(const std::string& name, const nlohmann::json& spec,
           const nlohmann::json& annotations = nlohmann::json::object()) {
    host.kube.put("v1/services", nlohmann::json{{"metadata",
                                                 {{"name", name},
                                                  {"namespace", "default"},
                                                  {"uid", "uid-" + name},
                                                  {"annotations", annotations}}},
                                                {"spec", spec}}
                                     .dump());
  }
  // Long enough for what gathers events.
  void settle() { controller->advance(std::chrono::seconds(1)); }
  // The period of the controllers has passed.
  void pass(std::chrono::minutes time) { controller->advance(time); }

  testing::FakeHost host;
  digitalocean_api::Api cloud{[this] { return host.loop.now(); }};
  std::unique_ptr<testing::FakeController> controller;
};

}  // namespace ccm::digitalocean
