// A cloud, or somebody on the way to it, whose answers are larger than any answer should be. The
// manager stays within the memory that the chart gives it (128 MiB), says in one line what is wrong
// and goes on asking.
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/http_server.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ccm::fault {
namespace {

using support::eventually;
using support::patience;

constexpr double kLimitMb = 100;  // the rest of 128 MiB is for the page cache

// How a body begins, and what follows for ever. Each is JSON as far as it goes, but for the last.
struct Endless {
  const char* name;
  std::string begin;
  std::string piece;
};
const std::vector<Endless>& bodies() {
  static const std::vector<Endless> all = {
      {"Depth", "", "["},
      {"Values", "[1", ",1"},
      {"Objects", R"({"droplets":[{})", ",{}"},
      {"Members", R"({"a":1)", R"(,"b":{"c":[]})"},
      {"OneText", R"({"a":")", "0123456789abcdef"},
      {"NoJson", "<html>", "<p>503</p>"},
  };
  return all;
}

// Less than the limit of 16 MiB, so that what reads it has to have limits; and more than that.
const std::vector<std::size_t>& sizes() {
  static const std::vector<std::size_t> all = {15u << 20, 60u << 20};
  return all;
}

double highest_mb(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

class HostileCloudTest
    : public testing::TestWithParam<std::tuple<std::string, std::size_t, std::size_t>> {
 protected:
  std::unique_ptr<support::Process> start(const std::string& provider) {
    std::string config;
    if (provider == "sandbox")
      config = R"({"endpoint":")" + cloud_.url() + R"(","token":"secret"})";
    if (provider == "openstack") {
      config = "[Global]\nauth-url = " + cloud_.url() +
               "/v3\nusername = u\npassword = p\ndomain-name = d\ntenant-name = t\nregion = r\n";
    }
    std::vector<std::string> command = {support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                        "--kubeconfig=" + server_.manager_kubeconfig().string(),
                                        "--cloud-provider=" + provider,
                                        "--secure-port=0",
                                        "--leader-elect=false",
                                        "--configure-cloud-routes=false"};
    if (!config.empty()) {
      const auto file = folder_.path() / "cloud.conf";
      support::write_file(file, config);
      command.push_back("--cloud-config=" + file.string());
    }
    support::ProcessOptions options{folder_.path() / "manager.log",
                                    {{"KUBECONFIG", ""},
                                     {"HOME", ""},
                                     {"DO_ACCESS_TOKEN", "secret"},
                                     {"REGION", "nyc3"},
                                     {"DO_OVERRIDE_URL", cloud_.url()}}};
    return std::make_unique<support::Process>(command, options);
  }

  static std::string body_of(const Endless& kind, std::size_t size) {
    std::string body = kind.begin;
    body.reserve(size + kind.piece.size());
    while (body.size() < size) body += kind.piece;
    return body;
  }

  const std::string body_ =
      body_of(bodies().at(std::get<1>(GetParam())), sizes().at(std::get<2>(GetParam())));
  support::TemporaryFolder folder_{"ccm-hostile"};
  support::TestServer server_{folder_.path()};
  std::atomic<int> asked_{0};
  support::HttpServer cloud_{[this](const support::HttpRequest&) {
    ++asked_;
    support::HttpAnswer answer;
    answer.headers["content-type"] = "application/json";
    answer.body = body_;
    return answer;
  }};
};

TEST_P(HostileCloudTest, Issue37_9_NoAnswerCostsMoreMemoryThanThePodHas) {
  // A sanitizer has memory of its own, and takes its time for each byte.
  const bool sanitized = support::slowdown() > 1;
  if (sanitized && body_.size() > sizes().front() * 2) GTEST_SKIP() << "too slow";
  const auto manager = start(std::get<0>(GetParam()));
  EXPECT_TRUE(eventually(patience(), [&] { return asked_ >= 3 || !manager->running(); }))
      << asked_ << manager->log();
  EXPECT_TRUE(manager->running()) << manager->log();
  EXPECT_NE(manager->log().find(", will retry"), std::string::npos) << manager->log();
  if (!sanitized) {
    EXPECT_LT(highest_mb(manager->pid()), kLimitMb);
  }
  EXPECT_GT(highest_mb(manager->pid()), 1);
  std::cout << "at most " << highest_mb(manager->pid()) << " MB\n";
}

INSTANTIATE_TEST_SUITE_P(EachProvider, HostileCloudTest,
                         testing::Combine(testing::Values("sandbox", "digitalocean", "openstack"),
                                          testing::Range<std::size_t>(0, bodies().size()),
                                          testing::Range<std::size_t>(0, sizes().size())),
                         [](const auto& info) {
                           return std::get<0>(info.param) +
                                  bodies().at(std::get<1>(info.param)).name +
                                  std::to_string(sizes().at(std::get<2>(info.param)) >> 20);
                         });

}  // namespace
}  // namespace ccm::fault
