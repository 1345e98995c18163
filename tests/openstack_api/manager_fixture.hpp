// The real manager with openstack.so against the fake of the APIs and an API server.
#pragma once

#include "openstack_api/add_servers.hpp"
#include "openstack_api/manager.hpp"
#include "openstack_api/rights.hpp"
#include "openstack_api/server.hpp"

#include <set>
#include <string>
#include <vector>

namespace ccm::openstack_api {

class OpenStackManagerTest : public ManagerTest {
 protected:
  explicit OpenStackManagerTest(bool with_rights = true) : ManagerTest(with_rights) {
    cloud_.with([this](Cloud& cloud) {
      cloud.observer = [this](const Exchange& exchange) {
        if (!rights_.allow(exchange.method, exchange.target)) {
          not_in_the_docs_.insert(exchange.method + " " + exchange.target);
        }
      };
    });
  }
  ~OpenStackManagerTest() override { end_manager(); }
  // All that the manager asked is what docs/openstack.md says that it may have to ask.
  void TearDown() override {
    EXPECT_GE(rights_.size(), 20U);
    cloud_.with([this](Cloud& cloud) {
      cloud.observer = nullptr;
      for (const std::string& request : not_in_the_docs_) ADD_FAILURE() << request;
    });
  }

  // `more`: further sections.
  void write_conf(const std::string& password = "secret", const std::string& more = "") const {
    write_cloud_conf(cloud_.url() + "/identity", password, "region = RegionOne\n", more);
  }
  // The IDs of servers PREFIX0, PREFIX1, ...
  std::vector<std::string> add_servers(const std::string& prefix, int count,
                                       const std::string& network = "nodes") {
    std::vector<std::string> ids;
    cloud_.with([&](Cloud& cloud) {
      ids = openstack_api::add_servers(cloud, cloud_.facts(), prefix, count, network);
    });
    return ids;
  }

  Rights rights_{CCM_OPENSTACK_PAGE};
  std::set<std::string> not_in_the_docs_;  // within the fake's lock
  Server cloud_;
};

}  // namespace ccm::openstack_api
