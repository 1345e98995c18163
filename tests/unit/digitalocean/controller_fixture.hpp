// The provider's own controllers against the stateful fake of the API.
#pragma once

#include "cloud_fixture.hpp"

#include <ccm/testing/fake_controller.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace ccm::digitalocean {

class ControllerTest : public CloudTest {
 protected:
  ControllerTest() { cloud.generate_droplets(101, 2, "node-"); }

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

  std::unique_ptr<testing::FakeController> controller;
};

}  // namespace ccm::digitalocean
