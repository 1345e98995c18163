// A machine that has no descriptors, no memory or no disk left: one clear line, and work goes on as
// soon as there is some, or after a restart.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ccm::e2e {
namespace {

using boost::asio::ip::tcp;
using nlohmann::json;
using support::eventually;
using support::patience;

constexpr const char* kHeldLease =
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cloud-controller-manager";

using Clock = std::chrono::steady_clock;

class ExhaustionTest : public EndpointTest {
 protected:
  // The soft limit, which can be raised again.
  void allow(__rlimit_resource resource, rlim_t amount) {
    struct rlimit limit {};
    ASSERT_EQ(::prlimit(manager_->pid(), resource, nullptr, &limit), 0);
    limit.rlim_cur = std::min(amount, limit.rlim_max);
    ASSERT_EQ(::prlimit(manager_->pid(), resource, &limit, nullptr), 0);
  }
  rlim_t descriptors() {
    const auto folder = "/proc/" + std::to_string(manager_->pid()) + "/fd";
    const auto files = std::filesystem::directory_iterator(folder);
    return static_cast<rlim_t>(std::distance(begin(files), end(files)));
  }
  // The bytes that RLIMIT_DATA limits.
  rlim_t data() {
    std::ifstream file("/proc/" + std::to_string(manager_->pid()) + "/status");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("VmData:")) return std::stoul(line.substr(7)) * 1'024;
    }
    return 0;
  }
  bool renews() {
    const json before = api_.get(kHeldLease).body.at("spec").at("renewTime");
    return eventually(
        patience(), [&] { return api_.get(kHeldLease).body.at("spec").at("renewTime") != before; });
  }
  std::vector<tcp::socket> clients(int count) {
    std::vector<tcp::socket> sockets;
    const tcp::endpoint there(boost::asio::ip::address_v4::loopback(),
                              static_cast<unsigned short>(port()));
    for (int i = 0; i < count; ++i) {
      sockets.emplace_back(loop_);
      boost::system::error_code ignored;
      sockets.back().connect(there, ignored);
    }
    return sockets;
  }

  // Prints how long it took from `begin`.
  static void took(const char* what, Clock::time_point begin) {
    std::printf("%s: %.2f s\n", what, std::chrono::duration<double>(Clock::now() - begin).count());
  }

  boost::asio::io_context loop_;
};

TEST_F(ExhaustionTest, WithoutDescriptorsTheLeaseIsKeptAndClientsWait) {
  start(reviews());
  join("before");
  ASSERT_TRUE(initialised("before")) << manager_->log();
  struct rlimit all {};
  ASSERT_EQ(::prlimit(manager_->pid(), RLIMIT_NOFILE, nullptr, &all), 0);
  allow(RLIMIT_NOFILE, descriptors() + 4);
  const auto begin = Clock::now();
  auto crowd = clients(40);
  ASSERT_TRUE(logs("\"Cannot accept a connection\" err=\"Too many open files\""))
      << manager_->log();
  took("without descriptors, to the line", begin);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
  EXPECT_TRUE(renews()) << "on the connection that it has";
  EXPECT_TRUE(renews());
  EXPECT_TRUE(manager_->running());
  crowd.clear();
  const auto freed = Clock::now();
  ASSERT_TRUE(eventually(patience(), [&] {
    try {
      return ask("/healthz").status == 200;
    } catch (const std::runtime_error&) {
      return false;
    }
  })) << manager_->log();
  took("with descriptors again, to an answer", freed);
  allow(RLIMIT_NOFILE, all.rlim_cur);
  join("after");
  EXPECT_TRUE(initialised("after")) << manager_->log();
}

// Half of them are its own, however many clients come.
TEST_F(ExhaustionTest, ClientsDoNotTakeTheDescriptorsThatTheManagerNeeds) {
  const auto script = folder_.path() / "manager.sh";
  support::write_file(script, "#!/bin/sh\nulimit -n 96\nexec '" +
                                  support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM) +
                                  "' \"$@\"\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  ::setenv("CCM_MANAGER", script.c_str(), 1);
  start(reviews());
  ::unsetenv("CCM_MANAGER");
  const auto crowd = clients(150);
  join("node-1");
  EXPECT_TRUE(initialised("node-1")) << manager_->log();
  EXPECT_TRUE(renews());
}

// An allocator of a sanitizer ends the process in its own way, and takes all addresses anyway.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(ExhaustionTest, WithoutMemoryOneLineSaysSoAndARestartGoesOn) {
  start(reviews());
  join("before");
  ASSERT_TRUE(initialised("before")) << manager_->log();
  const auto begin = Clock::now();
  allow(RLIMIT_DATA, data() + (1u << 20));
  json labels;
  for (int i = 0; i < 300; ++i) labels["label-" + std::to_string(i)] = std::string(60, 'y');
  for (int i = 0; i < 500 && manager_->running(); ++i) {
    const auto made =
        api_.create("/api/v1/nodes",
                    {{"apiVersion", "v1"},
                     {"kind", "Node"},
                     {"metadata", {{"name", "large-" + std::to_string(i)}, {"labels", labels}}}});
    ASSERT_TRUE(made.ok()) << made.http.body;
  }
  const auto ended = manager_->wait(patience());
  ASSERT_TRUE(ended) << "it has room for all of them";
  took("without memory, to the line and the end", begin);
  EXPECT_EQ(ended->code, 255) << manager_->log();
  EXPECT_TRUE(contains(manager_->log(), "ut of memory, exiting")) << manager_->log();
  const auto restart = Clock::now();
  start(reviews());
  join("after");
  EXPECT_TRUE(initialised("after")) << manager_->log();
  took("after a restart, to an initialised Node", restart);
}
#endif

TEST_F(ExhaustionTest, WithoutRoomForTheLogWorkGoesOnAndLostLinesAreCounted) {
  start(reviews(), {"--v=2"});
  join("before");
  ASSERT_TRUE(initialised("before")) << manager_->log();
  struct rlimit all {};
  ASSERT_EQ(::prlimit(manager_->pid(), RLIMIT_FSIZE, nullptr, &all), 0);
  ASSERT_TRUE(logs("object=\"before\"")) << manager_->log();
  const auto full = std::filesystem::file_size(manager_->log_file()) + 20;
  allow(RLIMIT_FSIZE, full);
  join("meanwhile");
  EXPECT_TRUE(initialised("meanwhile")) << manager_->log();
  // The line about it comes a little later.
  ASSERT_TRUE(eventually(patience(),
                         [&] { return std::filesystem::file_size(manager_->log_file()) == full; }));
  ASSERT_TRUE(manager_->running());
  const auto freed = Clock::now();
  allow(RLIMIT_FSIZE, all.rlim_cur);
  join("after");
  EXPECT_TRUE(initialised("after")) << manager_->log();
  ASSERT_TRUE(logs("\"Log lines could not be written\" lines=")) << manager_->log();
  took("with room for the log again, to the line", freed);
  EXPECT_TRUE(logs("object=\"after\"")) << manager_->log();
}

}  // namespace
}  // namespace ccm::e2e
