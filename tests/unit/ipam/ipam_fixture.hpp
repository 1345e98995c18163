// The IPAM controller on the fake host, whose API server keeps ranges immutable as the real one.
#pragma once

#include <ccm/testing/fake_controller.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace ccm::ipam {

using std::chrono::milliseconds;

class IpamTest : public ::testing::Test {
 protected:
  using Json = nlohmann::ordered_json;
  using Texts = std::vector<std::string>;

  IpamTest();
  ~IpamTest() override;

  static const ccm_plugin* plugin();
  static Json node(const std::string& name, const Texts& cidrs = {});
  void put(const Json& object) { host.kube.put("v1/nodes", object.dump()); }
  void remove(const std::string& name) { host.kube.remove("v1/nodes", name); }
  // Somebody else sets the ranges of a Node that is there.
  void set_ranges(const std::string& name, const Texts& cidrs, const std::string& manager = {});
  // The ranges of a Node on the server.
  [[nodiscard]] Texts ranges(const std::string& name) const;
  [[nodiscard]] std::string range(const std::string& name) const;

  void pools(const std::string& cluster_cidr, const std::string& mask = {});
  // Makes the component and connects it to what was put so far.
  void start();
  // The outcome of a setup.
  Status setup();

  // "get", "patch": the calls so far, then forgotten.
  Texts take_calls();
  [[nodiscard]] Texts event_reasons() const;
  // The newest value of a gauge, or the sum of a counter, for a cluster CIDR.
  [[nodiscard]] double gauge(const std::string& name, const std::string& cluster_cidr) const;
  [[nodiscard]] double sum(const std::string& name, const std::string& cluster_cidr) const;

  static Status lost() { return {Code::unavailable, ErrorClass::unavailable, "connection reset"}; }
  static Status invalid() {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec, "spec.podCIDRs: Forbidden")
        .with_reason("Invalid");
  }

  testing::FakeHost host;
  std::unique_ptr<testing::FakeController> controller;
};

}  // namespace ccm::ipam
