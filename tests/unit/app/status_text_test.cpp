// /statusz as text, from JSON that says everything that a page can hold.
#include "app/status/status_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::app {
namespace {

StatusJson example() {
  return StatusJson::parse(R"({
    "process": {"started": "2026-01-01T00:00:00Z", "startedText": "Thu Jan  1 00:00:00 UTC 2026",
                "now": "2026-01-01T01:02:03Z", "upSeconds": 3723, "version": "v1", "commit": "abc",
                "compiler": "gcc", "platform": "linux/amd64"},
    "paths": ["/healthz", "/statusz"],
    "leaderElection": {"leading": true, "lease": "kube-system/ccm"},
    "provider": {"name": "sandbox", "ready": true},
    "cloud": {"healthy": true, "text": "no failure is known", "troubles": []},
    "problems": [],
    "groups": [{"controller": "service-lb-controller", "state": "waiting", "count": 1, "for": "2m",
                "waitsFor": "<script>alert(1)</script>", "keys": ["default/web"]}],
    "endpoint": {"authentication": "no bearer tokens", "authorization": "reviewed"},
    "permissions": {"text": "route goes on without get nodes"},
    "brake": {"nodes": {"engaged": false, "text": "released"}},
    "budgets": [{"credential": "digitalocean", "limit": 5000, "left": 4000,
                 "spentLastHour": {"cloud-node-controller": 12}}],
    "plugins": [{"id": "node", "version": "1.0", "abi": "1.0", "sha256": "00ff"}],
    "components": [{"name": "service-lb-controller", "queue": {"ready": 1, "delayed": 2}}],
    "caches": [{"resource": "v1/nodes", "synced": true}],
    "objects": [{"key": "default/web", "controller": "service-lb-controller", "state": "waiting",
                 "step": "loadbalancers.ensure", "waitsFor": "<script>alert(1)</script>",
                 "since": "2026-01-01T01:00:00Z", "attempts": 3,
                 "nextTry": "2026-01-01T01:02:05Z",
                 "lastCloudAnswer": {"operation": "CreateLoadBalancer", "httpStatus": 202,
                                     "requestId": "r\"1"}}]})");
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(StatusText, TellsWhatWaitsAndWhy) {
  const std::string text = status_text(example());
  for (const char* part :
       {"Up: 1 hr 02 min 03 sec", "leading=true",
        "\nAuthentication: no bearer tokens\nAuthorization: reviewed\n",
        "\nPermissions: route goes on without get nodes\n", "Provider: sandbox (ready)",
        "  digitalocean: limit=5000 left=4000 spentLastHour.cloud-node-controller=12",
        "  node: version=1.0 abi=1.0 sha256=00ff", "queue.ready=1 queue.delayed=2",
        "  service-lb-controller default/web: waiting, since 2026-01-01T01:00:00Z, step "
        "loadbalancers.ensure, tries 3, next try 2026-01-01T01:02:05Z\n",
        "      last cloud answer: operation=CreateLoadBalancer httpStatus=202"}) {
    EXPECT_TRUE(holds(text, part)) << part << "\n" << text;
  }
  StatusJson quiet = example();
  quiet["objects"] = StatusJson::array();
  EXPECT_TRUE(holds(status_text(quiet), "Objects that wait:\n  none\n"));
  quiet["provider"]["ready"] = false;
  EXPECT_TRUE(holds(status_text(quiet), "wait:\n  not known before the provider is ready\n"));
}

TEST(StatusText, Issue37_12_NothingTurnsAroundOrHidesOtherTexts) {
  StatusJson status = example();
  status["components"][0]["note"] = "a\u202eb\u200b";
  const std::string page = status_text(status);
  EXPECT_TRUE(holds(page, "a\ufffdb\ufffd")) << page;
  EXPECT_FALSE(holds(page, "\u202e"));
}

StatusJson refused_cloud() {
  StatusJson status = example();
  const char* what = "the cloud refuses the credential since 14:03 UTC (401)";
  status["cloud"] = {{"healthy", false},
                     {"text", what},
                     {"troubles", {{{"fault", "credential-refused"}, {"text", what}}}}};
  status["problems"] = {what, "the deletion brake on nodes holds 3"};
  status["groups"] = {{{"controller", "cloud-node-lifecycle-controller"},
                       {"state", "held"},
                       {"count", 3},
                       {"waitsFor", "3 are missing"},
                       {"keys", {"a", "b", "c"}},
                       {"release", "kubectl annotate node a b c x=true"}}};
  return status;
}

TEST(StatusText, Issue42_1_ProblemsComeFirstAndNobodyIsReadyWithoutACloud) {
  const std::string text = status_text(refused_cloud());
  EXPECT_TRUE(holds(text, "Problems:\n  the cloud refuses the credential since 14:03 UTC (401)\n"))
      << text;
  EXPECT_LT(text.find("Problems:"), text.find("Started:"));
  EXPECT_TRUE(holds(text, "to release them: kubectl annotate node a b c x=true\n"));
  EXPECT_TRUE(holds(text, "Provider: sandbox (the cloud refuses the credential"));
  EXPECT_FALSE(holds(text, "(ready)"));
  EXPECT_TRUE(holds(status_text(example()), "Problems: none\n"));
}

}  // namespace
}  // namespace ccm::app
