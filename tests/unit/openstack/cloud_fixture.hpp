// A host whose HTTP goes to the stateful fake of OpenStack's APIs, filled by populate().
#pragma once

#include "openstack_api/cloud.hpp"

#include <ccm/testing/fake_host.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace ccm::openstack {

inline const std::string kCloudUrl = "http://fake";
inline constexpr const char* kPassword = "secret";

// cloud.conf for the user demo; `more` is further text of [Global], and sections after it.
inline std::string cloud_conf(const std::string& more = "region = RegionOne\n") {
  return "[Global]\nauth-url = " + kCloudUrl +
         "/identity/v3\nusername = demo\npassword = secret\ntenant-name = demo\n"
         "domain-name = Default\n" +
         more;
}

class CloudTest : public ::testing::Test {
 protected:
  CloudTest() {
    host.config.set_cloud_config(cloud_conf());
    host.http.handle([this](const HttpRequest& request) { return serve(request); });
  }
  ~CloudTest() override {
    EXPECT_TRUE(host.faults().empty());
    EXPECT_FALSE(host.log.contains(kPassword));
  }

  testing::FakeHttp::Answer serve(const HttpRequest& request) {
    openstack_api::Request asked{
        request.method, request.url.substr(kCloudUrl.size()), {}, request.body};
    for (const HttpHeader& header : request.headers) asked.headers[header.name] = header.value;
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

  // How many requests met this since the log was cleared.
  int64_t calls(const std::string& pattern, const std::string& method = "") const {
    return cloud.calls(method, pattern);
  }
  std::string id(const std::string& name) const { return facts.at("ids").at(name); }

  testing::FakeHost host;
  // The host's wall clock: the fake clock after the beginning of 2026.
  openstack_api::Cloud cloud{
      [this] { return std::chrono::milliseconds(1'767'225'600'000) + host.loop.now(); }, kCloudUrl};
  openstack_api::json facts = openstack_api::populate(cloud);
};

}  // namespace ccm::openstack
