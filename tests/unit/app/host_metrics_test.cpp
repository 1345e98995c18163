// How the host's metrics name what they tell of.
#include "app/host_metrics.hpp"

#include <gtest/gtest.h>

namespace ccm::app {
namespace {

plugin_files::Component controller(std::string name, std::vector<std::string> aliases) {
  plugin_files::Component result;
  result.name = std::move(name);
  result.aliases = std::move(aliases);
  return result;
}

TEST(HostMetrics, MET_16_RunningControllersHaveTheirShortNames) {
  EXPECT_EQ(managed_name(controller("service-lb-controller", {"service"})), "service");
  EXPECT_EQ(managed_name(controller("node-ipam-controller", {"nodeipam", "ipam"})), "nodeipam");
  EXPECT_EQ(managed_name(controller("digitalocean-tags-controller", {})), "digitalocean-tags");
  EXPECT_EQ(managed_name(controller("digitalocean-tags", {})), "digitalocean-tags");
}

}  // namespace
}  // namespace ccm::app
