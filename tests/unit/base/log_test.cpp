#include "base/log.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace ccm::log {
namespace {

class Log : public testing::Test {
 protected:
  void SetUp() override {
    redirect([this](std::string_view line) { lines_.emplace_back(line); });
  }
  void TearDown() override {
    EXPECT_TRUE(configure({}).ok());
    redirect({});
  }
  static void use(Config config) { ASSERT_TRUE(configure(config).ok()); }
  std::vector<std::string> lines_;  // written under the log's own lock
};

TEST_F(Log, WritesSeverityPlaceAndPairs) {
  info("started", {{"port", 10258}});
  const auto line = std::to_string(__LINE__ - 1);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0].front(), 'I');
  EXPECT_NE(lines_[0].find("log_test.cpp:" + line + "] \"started\" port=10258"), std::string::npos)
      << lines_[0];
  warning("odd");
  error("bad", {{"err", Status(Code::internal, "broken")}});
  ASSERT_EQ(lines_.size(), 3U);
  EXPECT_EQ(lines_[1].front(), 'W');
  EXPECT_NE(lines_[2].find("\"bad\" err=\"broken\""), std::string::npos);
}

TEST_F(Log, HOST_98_VerbosityChangesWhileRunning) {
  EXPECT_FALSE(v(1));
  v(1).info("hidden");
  EXPECT_TRUE(lines_.empty());
  set_verbosity(2);
  EXPECT_EQ(verbosity(), 2);
  v(2).info("shown", {{"k", "v"}});
  EXPECT_FALSE(v(3));
  ASSERT_EQ(lines_.size(), 1U);
}

TEST_F(Log, HOST_72_VmoduleRaisesSingleFiles) {
  use({.vmodule = "other=9,log_t*=3"});
  EXPECT_TRUE(v(3));
  EXPECT_FALSE(v(4));
  EXPECT_TRUE(enabled(9, "/anywhere/other.cpp"));
  EXPECT_FALSE(enabled(1, "/anywhere/third.cpp"));
  use({.vmodule = "base/log_test=2"});
  EXPECT_TRUE(v(2));
  EXPECT_FALSE(enabled(2, "/src/core/app/log_test.cpp"));
}

TEST_F(Log, HOST_72_VmoduleRaisesPluginsAndTheirComponents) {
  use({.vmodule = "digitalocean=4,*-node-controller=6"});
  EXPECT_TRUE(enabled(4, "api.cpp", "digitalocean", "digitalocean"));
  EXPECT_FALSE(enabled(5, "api.cpp", "digitalocean", "digitalocean"));
  EXPECT_TRUE(enabled(6, "x.cpp", "node", "cloud-node-controller"));
  EXPECT_FALSE(enabled(1, "x.cpp", "service", "service-controller"));
  EXPECT_FALSE(enabled(1, "x.cpp"));
  EXPECT_TRUE(maybe_enabled(6)) << "who asks without a file has to hear of it";
  EXPECT_FALSE(maybe_enabled(7));
  const std::vector<Field> none;
  write({Severity::info, 4, "deep", none, "api.cpp", 7, "digitalocean", "digitalocean"});
  write({Severity::info, 4, "other", none, "api.cpp", 7, "openstack", "openstack"});
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_NE(lines_[0].find("\"deep\""), std::string::npos);
}

TEST_F(Log, HOST_72_TheFirstPatternThatMatchesDecides) {
  use({.vmodule = "api=0,digitalocean=5"});
  EXPECT_FALSE(enabled(1, "api.cpp", "digitalocean"));
  EXPECT_TRUE(enabled(5, "droplets.cpp", "digitalocean"));
}

TEST_F(Log, BadVmoduleChangesNothing) {
  use({.verbosity = 1});
  for (const char* text : {"a", "=2", "a=", "a=x", "a=-1", "a=1 ,b=2"}) {
    const Status status = configure({.verbosity = 5, .vmodule = text});
    EXPECT_EQ(status.code(), Code::invalid_argument) << text;
    EXPECT_FALSE(check_vmodule(text).ok()) << text;
  }
  EXPECT_EQ(verbosity(), 1);
  EXPECT_TRUE(check_vmodule("a=1,b*=0,").ok());
}

TEST_F(Log, JsonWhenConfigured) {
  use({.format = Format::json, .verbosity = 4});
  v(4).info("deep", {{"n", 1}});
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0].substr(0, 6), "{\"ts\":");
  EXPECT_NE(lines_[0].find("\"msg\":\"deep\",\"v\":4,\"n\":1}"), std::string::npos);
}

TEST_F(Log, PluginLinesObeyVerbosityButErrorsAlwaysShow) {
  const std::vector<Field> fields{{"k", "v"}};
  write({Severity::info, 4, "deep", fields, "p.c", 7, "do"});
  EXPECT_TRUE(lines_.empty());
  write({Severity::error, 0, "bad", fields, "p.c", 7, "do"});
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_NE(lines_[0].find("p.c:7] \"bad\" logger=\"do\" k=\"v\""), std::string::npos);
}

TEST_F(Log, LinesOfSeveralThreadsStayWhole) {
  constexpr int kThreads = 4;
  constexpr int kLines = 200;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([] {
      for (int n = 0; n < kLines; ++n) {
        info("line", {{"n", n}});
        set_verbosity(n % 3);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(lines_.size(), std::size_t{kThreads * kLines});
  for (const std::string& line : lines_) EXPECT_NE(line.find("] \"line\" n="), std::string::npos);
}

}  // namespace
}  // namespace ccm::log
