#include "base/log.hpp"
#include "serving/health.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace ccm::serving {
namespace {

class HealthPage : public testing::Test {
 protected:
  HealthPage() {
    log::redirect([this](std::string_view line) { log_ += std::string(line) + "\n"; });
  }
  ~HealthPage() override { log::redirect({}); }
  void add_good(const std::string& name) {
    registry_.set(name, [] { return Status(); });
  }
  void add_bad(const std::string& name) {
    registry_.set(name, [] { return Status(Code::internal, "secret reason"); });
  }
  Answer get(std::string_view target) { return answer_health("GET", target, registry_); }

  HealthRegistry registry_;
  std::string log_;
};

TEST_F(HealthPage, HOST_94_SaysOk) {
  add_good("leaderElection");
  for (const char* path : {"/healthz", "/livez", "/readyz"}) {
    EXPECT_EQ(get(path).status, 200u);
    EXPECT_EQ(get(path).body, "ok");
  }
}

TEST_F(HealthPage, HOST_94_VerboseListsTheChecksInOrder) {
  add_good("leaderElection");
  add_good("cloud-node-controller");
  EXPECT_EQ(get("/healthz?verbose").body,
            "[+]leaderElection ok\n[+]cloud-node-controller ok\nhealthz check passed\n");
  EXPECT_EQ(get("/readyz?verbose=1").body,
            "[+]leaderElection ok\n[+]cloud-node-controller ok\nreadyz check passed\n");
}

TEST_F(HealthPage, HOST_94_AFailureIs500AndVerboseAndWithholdsTheReason) {
  add_good("leaderElection");
  add_bad("route-controller");
  const Answer answer = get("/healthz");
  EXPECT_EQ(answer.status, 500u);
  EXPECT_EQ(answer.body,
            "[+]leaderElection ok\n[-]route-controller failed: reason withheld\n"
            "healthz check failed\n");
  EXPECT_NE(log_.find("secret reason"), std::string::npos) << "the operator has to see it";
}

TEST_F(HealthPage, HOST_94_AnInformedReaderSeesReasonsAndAllNotes) {
  add_bad("route-controller");
  registry_.set_note("brake", [] { return "released"; });
  registry_.set_note(
      "permissions", [] { return "one is missing"; }, HealthRegistry::Readers::informed);
  EXPECT_EQ(get("/readyz?verbose").body,
            "[-]route-controller failed: reason withheld\n[i]brake: released\n"
            "readyz check failed\n");
  EXPECT_EQ(
      answer_health("GET", "/readyz?verbose", registry_, HealthRegistry::Readers::informed).body,
      "[-]route-controller failed: secret reason\n[i]brake: released\n"
      "[i]permissions: one is missing\nreadyz check failed\n");
}

TEST_F(HealthPage, HOST_94_ExcludeSkipsChecks) {
  add_bad("one");
  add_bad("two");
  add_good("three");
  const Answer answer = get("/healthz?exclude=one&verbose&exclude=two");
  EXPECT_EQ(answer.status, 200u);
  EXPECT_EQ(answer.body,
            "[+]one excluded: ok\n[+]two excluded: ok\n[+]three ok\nhealthz check passed\n");
  EXPECT_EQ(get("/healthz?exclude=one").status, 500u);
}

TEST_F(HealthPage, HOST_94_UnknownExclusionsOnlyWarn) {
  add_good("one");
  const Answer answer = get("/healthz?exclude=x%22y&exclude=none&verbose");
  EXPECT_EQ(answer.status, 200u);
  EXPECT_EQ(answer.body,
            "[+]one ok\nwarn: some health checks cannot be excluded: no matches for \"x\\\"y\", "
            "\"none\"\nhealthz check passed\n");
  EXPECT_EQ(get("/healthz?exclude=none").body, "ok");
}

TEST_F(HealthPage, HOST_95_WithoutChecksThereIsPing) {
  EXPECT_EQ(get("/healthz?verbose").body, "[+]ping ok\nhealthz check passed\n");
  EXPECT_EQ(get("/healthz/ping").body, "ok");
  add_good("leaderElection");
  EXPECT_EQ(get("/healthz?verbose").body, "[+]leaderElection ok\nhealthz check passed\n");
  EXPECT_EQ(get("/healthz/ping").status, 404u);
}

TEST_F(HealthPage, SubPathsRunOneCheck) {
  add_good("good");
  add_bad("bad");
  EXPECT_EQ(get("/healthz/good").body, "ok");
  EXPECT_EQ(get("/readyz/bad").status, 500u);
  EXPECT_EQ(get("/readyz/bad").body.find("secret"), std::string::npos);
  EXPECT_EQ(get("/livez/none").status, 404u);
}

TEST_F(HealthPage, EverythingElseIs404) {
  add_good("good");
  for (const char* path :
       {"/", "", "/metrics", "/configz", "/healthz/", "/healthzz", "healthz", "/debug/pprof/",
        "//healthz", "/healthz/good/more", "/HEALTHZ", "*", "/healthz%3Fverbose", "://", "a://"}) {
    EXPECT_EQ(get(path).status, 404u) << path;
  }
}

TEST_F(HealthPage, TheAbsoluteFormIsUnderstood) {
  EXPECT_EQ(get("https://host:10258/healthz?verbose").status, 200u);
}

TEST_F(HealthPage, OnlyReading) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get"}) {
    const Answer answer = answer_health(method, "/healthz", registry_);
    EXPECT_EQ(answer.status, 405u) << method;
    EXPECT_EQ(answer.allow, "GET, HEAD");
  }
  EXPECT_EQ(answer_health("HEAD", "/healthz", registry_).status, 200u);
}

TEST_F(HealthPage, ACheckThatThrowsFails) {
  registry_.set("throws", []() -> Status { throw std::runtime_error("x"); });
  registry_.set("odd", []() -> Status { throw 1; });
  EXPECT_EQ(get("/healthz").body,
            "[-]throws failed: reason withheld\n[-]odd failed: reason withheld\n"
            "healthz check failed\n");
}

TEST_F(HealthPage, WhatIsDegradedShowsInReadyzOnly) {
  add_good("node");
  bool degraded = true;
  registry_.set(
      "plugin-sandbox",
      [&degraded] { return degraded ? Status(Code::unavailable, "slow") : Status(); },
      HealthRegistry::Scope::readiness);
  EXPECT_EQ(get("/readyz?verbose").body,
            "[+]node ok\n[-]plugin-sandbox failed: reason withheld\nreadyz check failed\n");
  EXPECT_EQ(get("/readyz/plugin-sandbox").status, 500u);
  for (const char* path : {"/healthz", "/livez"}) EXPECT_EQ(get(path).status, 200u) << path;
  EXPECT_EQ(get("/livez?verbose").body, "[+]node ok\nlivez check passed\n");
  EXPECT_EQ(get("/livez/plugin-sandbox").status, 404u);
  degraded = false;
  EXPECT_EQ(get("/readyz").status, 200u);
}

TEST_F(HealthPage, AloneInReadyzItLeavesPingToTheOthers) {
  registry_.set(
      "plugin-sandbox", [] { return Status(); }, HealthRegistry::Scope::readiness);
  EXPECT_EQ(get("/healthz?verbose").body, "[+]ping ok\nhealthz check passed\n");
  EXPECT_EQ(get("/readyz?verbose").body, "[+]plugin-sandbox ok\nreadyz check passed\n");
}

TEST_F(HealthPage, ReplacingKeepsTheOrder) {
  add_bad("one");
  add_good("two");
  add_good("one");
  EXPECT_EQ(get("/healthz?verbose").body, "[+]one ok\n[+]two ok\nhealthz check passed\n");
}

TEST_F(HealthPage, ChecksComeWhileOthersRun) {
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; i < 2000; ++i) {
      registry_.set("check" + std::to_string(i % 70), [] { return Status(); });
    }
    done = true;
  });
  int answers = 0;
  while (!done || answers == 0) {
    EXPECT_EQ(get("/healthz").status, 200u);
    ++answers;
  }
  writer.join();
}

}  // namespace
}  // namespace ccm::serving
