// Flags, the cloud's configuration file and secrets, as a plugin reads them.
#include "host_services_fixture.hpp"

#include <prometheus/text_serializer.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ccm::plugin {
namespace {

TEST_F(HostServicesTest, ConfigGivesFlagsAndTheFileAndTellsOfChanges) {
  Counted changes;
  const ccm_host_config* config = nullptr;
  ccm_interface service{};
  plugin_.on_create = [&](const ccm_host* host, ccm_completion done) {
    plugin_.host = host;
    service = plugin_.service(CCM_HOST_CONFIG, &config);
    EXPECT_TRUE(config->on_change(service.self, changes.callback()));
    plugin_.complete_create(done);
  };
  ASSERT_TRUE(create(true).ok());
  ccm_str text{};
  EXPECT_TRUE(config->flag(service.self, c_str("cluster-name"), &text));
  EXPECT_EQ(view(text), "kubernetes");
  EXPECT_FALSE(config->flag(service.self, c_str("no-such-flag"), &text));
  EXPECT_TRUE(config->flag_given(service.self, c_str("cluster-name")));
  EXPECT_FALSE(config->flag_given(service.self, c_str("no-such-flag")));
  Counted late;
  EXPECT_FALSE(config->on_change(service.self, late.callback())) << "in create only";
  EXPECT_EQ(late.drops, 1);
  ccm_str before{};
  ASSERT_TRUE(config->cloud_config(service.self, &before));
  EXPECT_EQ(view(before), "region = fra1");
  advance(10s);
  EXPECT_EQ(changes.calls, 0);
  // As a mounted ConfigMap changes: another file under the same name.
  std::ofstream(path_ + ".new") << "region = ams3";
  std::filesystem::rename(path_ + ".new", path_);
  EXPECT_EQ(view(before), "region = fra1") << "borrowed until the change was told";
  advance(10s);
  EXPECT_EQ(changes.calls, 1);
  ASSERT_TRUE(config->cloud_config(service.self, &text));
  EXPECT_EQ(view(text), "region = ams3");
  std::filesystem::remove(path_);
  advance(10s);
  ASSERT_TRUE(config->cloud_config(service.self, &text));
  EXPECT_EQ(view(text), "region = ams3") << "a missing file leaves the last good bytes";
}

TEST_F(HostServicesTest, ARejectedConfigurationIsToldUntilItIsAcceptedOrChanges) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_config* config = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_CONFIG, &config);
  config->rejected(service.self, c_str("/etc/clouds.yaml"), c_str("line 3: no cloud of that name"));
  config->rejected(service.self, {}, c_str("line 1: it is no text"));
  poll();
  ASSERT_EQ(rejections_.list().size(), 2u);
  EXPECT_EQ(rejections_.list().back().file, "/etc/clouds.yaml");
  EXPECT_EQ(rejections_.list().back().reason, "line 3: no cloud of that name");
  std::string text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_NE(text.find("ccm_plugin_rejected_configurations{plugin=\"test.example\"} 2"),
            std::string::npos)
      << text;
  config->accepted(service.self, c_str("/etc/clouds.yaml"));
  std::ofstream(path_ + ".new") << "region = ams3";
  std::filesystem::rename(path_ + ".new", path_);
  advance(10s);
  EXPECT_TRUE(rejections_.list().empty());
  text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_NE(text.find("ccm_plugin_rejected_configurations{plugin=\"test.example\"} 0"),
            std::string::npos);
}

TEST_F(HostServicesTest, SecretsComeFromAFileOrTheEnvironment) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_config* config = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_CONFIG, &config);
  ::setenv("CCM_TEST_TOKEN", "from-environment", 1);
  char buffer[8] = {};
  EXPECT_EQ(config->secret(service.self, c_str("CCM_TEST_TOKEN"), buffer, 4), 16);
  EXPECT_STREQ(buffer, "from");
  std::ofstream(path_) << "  from-file\n";
  ::setenv("CCM_TEST_TOKEN_FILE", path_.c_str(), 1);
  EXPECT_EQ(config->secret(service.self, c_str("CCM_TEST_TOKEN"), buffer, sizeof(buffer)), 9);
  EXPECT_EQ(std::string(buffer, 8), "from-fil");
  ::unsetenv("CCM_TEST_TOKEN_FILE");
  ::unsetenv("CCM_TEST_TOKEN");
  EXPECT_EQ(config->secret(service.self, c_str("CCM_TEST_TOKEN"), buffer, sizeof(buffer)), -1);
}

TEST(CloudConfigTest, AMissingFileIsNamed) {
  runtime::ManualTimers timers;
  CloudConfig config(timers, "/nonexistent/cloud.conf");
  const Status status = config.load();
  EXPECT_EQ(status.code(), Code::not_found);
  EXPECT_NE(status.message().find("/nonexistent/cloud.conf"), std::string::npos);
  CloudConfig none(timers, "");
  EXPECT_TRUE(none.load().ok());
  EXPECT_EQ(none.bytes(), nullptr);
}

// Nobody may ever write to it.
TEST(CloudConfigTest, ANamedPipeIsNotWaitedFor) {
  const std::string path = ::testing::TempDir() + "cloud-config-" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  runtime::ManualTimers timers;
  CloudConfig config(timers, path);
  EXPECT_EQ(config.load().code(), Code::unavailable);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ccm::plugin
