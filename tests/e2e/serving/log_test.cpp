// The log of a healthy manager, read as an operator does: from its start over an idle second to its
// stop.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"
#include "test_certificates.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>
#include <thread>

namespace ccm::e2e {
namespace {

using support::eventually;
using support::patience;

class LogTest : public EndpointTest {
 protected:
  // All that runs by default, and no routes, which need a range.
  void run(const std::string& reviews) {
    start(reviews, {"--controllers=*", "--configure-cloud-routes=false"});
    for (const char* line : {"Provider is ready", "Caches are synced"}) {
      ASSERT_TRUE(logs(line)) << manager_->log();
    }
    ASSERT_TRUE(eventually(patience(), [this] { return count("Started controller") == 3; }))
        << manager_->log();
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  void stop() {
    manager_->stop();
    ASSERT_TRUE(contains(manager_->log(), "Released the Lease")) << manager_->log();
  }

  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::istringstream text(manager_->log());
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }
  [[nodiscard]] std::ptrdiff_t count(const std::string& message) const {
    const auto all = lines();
    return std::count_if(all.begin(), all.end(), [&](const std::string& line) {
      return contains(line, "] \"" + message + "\"");
    });
  }

  // Everything is of level info, told once, and in klog's habit.
  void expect_quiet() const {
    std::set<std::string> reported;
    for (const std::string& line : lines()) {
      EXPECT_TRUE(line.starts_with('I')) << line;
      const auto begin = line.find("] \"");
      ASSERT_NE(begin, std::string::npos) << line;
      EXPECT_TRUE(reported.insert(line.substr(begin)).second) << "twice: " << line;
      const auto end = line.find('"', begin + 3);
      ASSERT_NE(end, std::string::npos) << line;
      const std::string message = line.substr(begin + 3, end - begin - 3);
      EXPECT_TRUE(message[0] >= 'A' && message[0] <= 'Z') << line;
      EXPECT_NE(message.back(), '.') << line;
    }
  }
};

// "I1121 09:01:37.123456 ...": the microseconds of the hour.
int64_t time_of(const std::string& line) {
  const int64_t minutes = std::stoll(line.substr(9, 2));
  const int64_t seconds = std::stoll(line.substr(12, 2));
  return (minutes * 60 + seconds) * 1'000'000 + std::stoll(line.substr(15, 6));
}

TEST_F(LogTest, HOST_16_ControllersStartOneAfterAnother) {
  start(reviews(),
        {"--controllers=*", "--configure-cloud-routes=false", "--controller-start-interval=400ms"});
  ASSERT_TRUE(eventually(patience(), [this] { return count("Started controller") == 3; }))
      << manager_->log();
  std::vector<int64_t> times;
  for (const std::string& line : lines()) {
    if (contains(line, "Started controller")) times.push_back(time_of(line));
  }
  constexpr int64_t kHour = 3'600'000'000;
  for (std::size_t i = 1; i < times.size(); ++i) {
    EXPECT_GE((times[i] - times[i - 1] + kHour) % kHour, 400'000) << manager_->log();
  }
}

TEST_F(LogTest, AHealthyStartWritesNoWarningAndNoLineTwice) {
  if (!real()) {
    const nlohmann::json trust = {
        {"apiVersion", "v1"},
        {"kind", "ConfigMap"},
        {"metadata", {{"name", "extension-apiserver-authentication"}}},
        {"data", {{"client-ca-file", test::make_authority("cluster").certificate_pem}}}};
    ASSERT_TRUE(api_.create("/api/v1/namespaces/kube-system/configmaps", trust).ok());
  }
  run(reviews());
  EXPECT_EQ(count("Loaded certificate authorities from the cluster"), 1) << manager_->log();
  stop();
  expect_quiet();
}

TEST_F(LogTest, FeaturesThatNobodyAskedForAreNoWarnings) {
  run("");
  stop();
  expect_quiet();
  EXPECT_TRUE(contains(manager_->log(), "reason=\"--authentication-kubeconfig is not set"));
  EXPECT_TRUE(contains(manager_->log(), "reason=\"--authorization-kubeconfig is not set"));
}

TEST_F(LogTest, ControllersAreCountedAndStartedWhenThisProcessLeads) {
  hold_lease("somebody-else");
  launch(reviews(), {"--controllers=*", "--configure-cloud-routes=false"});
  ASSERT_TRUE(logs("Provider is ready")) << manager_->log();
  ASSERT_TRUE(logs("Standing by")) << manager_->log();
  EXPECT_EQ(count("Started controller"), 0) << "a standby runs none: " << manager_->log();
  free_lease();
  ASSERT_TRUE(eventually(patience(), [this] { return count("Started controller") == 3; }))
      << manager_->log();
  EXPECT_TRUE(contains(manager_->log(), "\"Leading\" controllers=3\n")) << manager_->log();
}

TEST_F(LogTest, StatusHasTheReasonOfWhatIsAbsent) {
  run(reviews());
  const Output status = ctl({"status"}, server_.kubeconfig());
  EXPECT_TRUE(contains(status.text, "skipped: --configure-cloud-routes is false")) << status.text;
  EXPECT_TRUE(contains(status.text, "the API server reviews each access")) << status.text;
}

TEST_F(LogTest, AFaultNamesItsComponentOnce) {
  launch("", {"--controllers=*"});  // and no --cluster-cidr, which routes need
  ASSERT_TRUE(logs("Cannot continue")) << manager_->log();
  EXPECT_TRUE(
      contains(manager_->log(), "err=\"controller node-route-controller: --cluster-cidr is empty"))
      << manager_->log();
}

}  // namespace
}  // namespace ccm::e2e
