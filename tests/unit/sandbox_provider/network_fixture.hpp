// The provider against the cloud of ccm-sandbox, in one process and without sockets.
#pragma once

#include "cloud/cloud_server.hpp"
#include "sandbox/provider.hpp"

#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace sandbox {

class NetworkTest : public ::testing::Test {
 protected:
  using Json = cloud::Json;

  NetworkTest();
  ~NetworkTest() override;

  // A request to the cloud's /control.
  Json control(const std::string& method, const std::string& path, const Json& body = nullptr);
  void settings(const Json& set) { control("PUT", "/settings", set); }
  void fault(const std::string& operation, const std::string& kind, Json more = Json::object());
  Json balancers() { return control("GET", "/load_balancers").at("load_balancers"); }
  Json routes() { return control("GET", "/routes").at("routes"); }
  // Calls since the last time, by operation; those with 0 are left out.
  Json take_calls();

  static ccm::LoadBalancerService service(const std::string& uid = "u-1");
  void annotate(ccm::LoadBalancerService& service, const Json& annotations);
  static std::vector<ccm::Backend> nodes(const std::vector<std::string>& names);

  ccm::Result<ccm::LoadBalancer> observe(ccm::LoadBalancerService service,
                                         const std::vector<std::string>& backends);
  ccm::Result<ccm::LoadBalancer> ensure(ccm::LoadBalancerService service,
                                        const std::vector<std::string>& backends);
  ccm::Result<ccm::LoadBalancer> update(ccm::LoadBalancerService service,
                                        const std::vector<std::string>& backends);
  // An ensure that succeeds.
  void make(ccm::LoadBalancerService service, const std::vector<std::string>& backends) {
    const auto made = ensure(std::move(service), backends);
    ASSERT_TRUE(made.ok()) << made.status().message();
  }
  ccm::Status remove(ccm::LoadBalancerService service);
  ccm::Result<std::vector<ccm::Route>> list_routes();
  ccm::Result<std::vector<ccm::Status>> apply(std::vector<ccm::Route> removals,
                                              std::vector<ccm::Route> additions);

  cloud::CloudServer cloud_{"s3cret"};
  ccm::testing::FakeHost host;
  ccm::testing::FakeComponent provider{
      host, ccm::testing::plugin_of<Provider, ccm::testing::Dispatch::loop>(), "test"};

 private:
  using Apply = ccm::LoadBalancers::Apply;
  ccm::Result<ccm::LoadBalancer> call(decltype(Apply::function) function, const char* name,
                                      ccm::LoadBalancerService service,
                                      const std::vector<std::string>& backends);
};

}  // namespace sandbox
