// A real Prometheus scrapes the manager with the token of a service account, and answers what the
// dashboard and the alerts of deploy/ ask. CCM_QUERIES_DOC names a file for the table of answers.
#include "endpoint_fixture.hpp"
#include "queries.hpp"
#include "support/eventually.hpp"

#include <cstdlib>
#include <fstream>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

constexpr const char* kInterval = "2m";
constexpr const char* kRules = CCM_DEPLOY "/alerts/cloud-controller-manager.rules.yaml";

class PrometheusTest : public EndpointTest {
 protected:
  // Scrapes the manager by each of three jobs: with the token, with a wrong one, and without any.
  void start_prometheus() {
    const std::vector<std::string> targets = {"127.0.0.1:" + std::to_string(port())};
    const std::vector<Prometheus::Job> jobs = {{kJob, targets, certificate(), scraper()},
                                               {"without-token", targets, certificate(), ""},
                                               {"wrong-token", targets, certificate(), "no-such"}};
    prometheus_ = std::make_unique<Prometheus>(folder_.path(), kRules, jobs);
  }
  std::string scrape_of(const std::string& job) { return prometheus_->scrape_of(job); }

  void join() {
    const std::string name = "node-" + std::to_string(++joined_);
    cloud_.control("PUT", "/machines/m-" + name, {{"id", "m-" + name}, {"name", name}});
    const json taint = {{"key", "node.cloudprovider.kubernetes.io/uninitialized"},
                        {"value", "true"},
                        {"effect", "NoSchedule"}};
    const json node = {{"apiVersion", "v1"},
                       {"kind", "Node"},
                       {"metadata", {{"name", name}}},
                       {"spec", {{"taints", json::array({taint})}}}};
    ASSERT_TRUE(api_.create("/api/v1/nodes", node).ok());
  }
  void serve(const std::string& name) {
    const json port = {{"port", 80}, {"protocol", "TCP"}};
    const json service = {{"apiVersion", "v1"},
                          {"kind", "Service"},
                          {"metadata", {{"name", name}}},
                          {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({port})}}}};
    ASSERT_TRUE(api_.create("/api/v1/namespaces/default/services", service).ok());
  }
  // A refused Service each for the codes that alerts look at; it is retried soon.
  void fail_in_the_cloud(int status) {
    cloud_.control("PUT", "/faults",
                   {{"operations", {{"CreateLoadBalancer", "error"}}},
                    {"status", status},
                    {"retry_after_s", 1}});
    serve("refused-" + std::to_string(status));
  }
  // One of two calls takes the reserve.
  void spend_the_limit() {
    cloud_.control("PUT", "/faults", {{"rate_limit", 2}});
    serve("last");
  }
  // Asks all; true when all names in `wanted` have had an answer. A rate above zero replaces a
  // zero.
  template <typename Wanted>
  bool answered(Wanted wanted) {
    bool all = true;
    for (const AskedQuery& query : queries_) {
      QueryAnswer& known = answers_[query.place + query.expression];
      const QueryAnswer now = prometheus_->answer(query.concrete);
      if (now.series > 0 && (now.largest != 0 || known.series == 0)) known = now;
      all = all && (!wanted(query) || known.series > 0);
    }
    return all;
  }
  std::string unanswered() {
    std::string text;
    for (const AskedQuery& query : queries_) {
      if (answers_[query.place + query.expression].series == 0) {
        text += query.place + ": " + query.concrete + "\n";
      }
    }
    return text;
  }
  void write_document() {
    const char* file = std::getenv("CCM_QUERIES_DOC");
    if (file == nullptr) return;
    std::ofstream out(file);
    out << "# Queries of the dashboard and the alerts\n\n"
           "The queries of [deploy/grafana](../../deploy/grafana) and [deploy/alerts](../../deploy/"
           "alerts) with the answers of a real\nPrometheus, which scraped a manager on a real "
           "kube-apiserver while it initialised nodes and made load balancers.\nWritten by "
           "`tests/e2e/serving/write_queries_doc`.\n\n## Dashboard\n"
           "| panel | query | series | the largest |\n| --- | --- | --- | --- |\n";
    for (const AskedQuery& query : queries_) {
      if (!query.alert) out << table_row(query, answers_[query.place + query.expression]);
    }
    out << "\n## Alerts\nAn alert has data only while something is wrong. \"seen\": this suite "
           "makes it so and sees the data. \"fired\": it is made so\nfor a real manager in "
           "`tests/e2e/serving/alerts_test.cpp`, and the alert, without its `for`, fires. All fire "
           "in `promtool test\nrules` with made-up series, those without either word only "
           "there.\n\n| alert | query | series | the largest | when |\n"
           "| --- | --- | --- | --- | --- |\n";
    for (const AskedQuery& query : queries_) {
      if (query.alert) out << table_row(query, answers_[query.place + query.expression]);
    }
  }

  std::unique_ptr<Prometheus> prometheus_;
  std::vector<AskedQuery> queries_ =
      asked_queries(CCM_DEPLOY "/grafana/cloud-controller-manager.json", kRules, kJob, kInterval);
  std::map<std::string, QueryAnswer> answers_;
  int joined_ = 0;
};

TEST_F(PrometheusTest, MET_1_EveryQueryOfDashboardAndAlertsHasAnAnswer) {
  if (!Prometheus::installed()) {
    GTEST_SKIP() << Prometheus::program() << " is not installed (Debian: prometheus)";
  }
  // First as a standby, which the alert about a missing leader is about.
  hold_lease("somebody");
  launch(reviews(), {"--controllers=*", "--configure-cloud-routes=false"});
  ASSERT_TRUE(logs("Caches are synced")) << manager_->log();
  start_prometheus();
  ASSERT_TRUE(eventually(patience(), [&] { return scrape_of(kJob) == "up"; })) << scrape_of(kJob);
  EXPECT_TRUE(eventually(patience(), [&] {
    return scrape_of("without-token").find("403") != std::string::npos;
  })) << scrape_of("without-token");
  EXPECT_TRUE(eventually(patience(), [&] {
    return scrape_of("wrong-token").find("401") != std::string::npos;
  })) << scrape_of("wrong-token");
  EXPECT_TRUE(eventually(patience(), [&] {
    return answered(
        [](const AskedQuery& query) { return query.place == "CloudControllerManagerNoLeader"; });
  }));

  free_lease();
  ASSERT_TRUE(logs("\"Leading\"")) << manager_->log();
  // A counter that is born between two scrapes has no rate before it grows once more.
  EXPECT_TRUE(eventually(patience(), [&] {
    join();
    // Few, or the failures below would be too small a part of all operations.
    if (joined_ % 8 == 1) serve("web-" + std::to_string(joined_));
    return answered([](const AskedQuery& query) {
      return !query.alert && query.place != "Operations that failed";
    });
  })) << unanswered();
  for (const int status : {403, 429}) {
    fail_in_the_cloud(status);
    const std::string alert = status == 403 ? "CloudRefuses" : "CloudThrottles";
    EXPECT_TRUE(eventually(std::chrono::seconds(60), [&] {
      return answered([&](const AskedQuery& query) { return query.place.ends_with(alert); });
    })) << unanswered();
  }
  spend_the_limit();
  EXPECT_TRUE(eventually(patience(), [&] {
    return answered([](const AskedQuery& query) { return query.place.ends_with("BudgetKept"); });
  })) << unanswered();
  EXPECT_TRUE(answered([](const AskedQuery& query) {
    return !query.alert ||
           (query.fault.starts_with("seen") && query.place != "CloudControllerManagerDown");
  })) << unanswered();
  manager_->stop();
  EXPECT_TRUE(eventually(patience(), [&] {
    return answered(
        [](const AskedQuery& query) { return !query.alert || query.fault.starts_with("seen"); });
  })) << unanswered();
  write_document();
}

}  // namespace
}  // namespace ccm::e2e
