// openstack.so's provider on the fake cloud, started with a cloud.conf.
#pragma once

#include "cloud_fixture.hpp"
#include "openstack/provider.hpp"
#include "openstack_api/add_servers.hpp"

#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace ccm::openstack {

class OpenStackProviderTest : public CloudTest {
 protected:
  testing::FakeComponent& start(const std::string& conf = cloud_conf()) {
    host.config.set_cloud_config(conf);
    const Status status = make().initialize();
    EXPECT_TRUE(status.ok()) << status.message();
    cloud.clear_log();
    return *provider;
  }
  testing::FakeComponent& make() {
    provider = std::make_unique<testing::FakeComponent>(
        host, testing::plugin_of<Provider, testing::Dispatch::loop>(), "test");
    return *provider;
  }
  // The message with which cloud.conf is refused.
  std::string refusal(const std::string& conf) {
    host.config.set_cloud_config(conf);
    const Status status = make().initialize();
    EXPECT_EQ(status.code(), Code::invalid_argument) << status.message();
    return status.message();
  }
  void fail(const std::string& path, int status, int count = 1) {
    openstack_api::Fault fault;
    fault.path = path;
    fault.status = status;
    fault.count = count;
    cloud.faults.add(fault);
  }
  // A short operation.
  Status one_call() { return provider->get({"node-0", "", {}, {}}).status(); }
  static const Instance* named(const InstanceList& list, const std::string& name) {
    for (const Instance& instance : list.instances) {
      if (instance.name == name) return &instance;
    }
    return nullptr;
  }
  void add_servers(int count) { openstack_api::add_servers(cloud, facts, "more-", count); }

  std::unique_ptr<testing::FakeComponent> provider;
};

}  // namespace ccm::openstack
