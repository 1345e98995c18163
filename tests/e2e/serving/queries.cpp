#include "queries.hpp"

#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/http_client.hpp"
#include "support/yaml.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>

namespace ccm::e2e {
namespace {

using nlohmann::json;

// The fault that an alert needs to have data. "seen", "fired": a test produces it.
const std::map<std::string, std::string>& faults() {
  static const auto& known = *new std::map<std::string, std::string>{
      {"CloudControllerManagerDown", "seen: no manager runs"},
      {"CloudControllerManagerNoLeader", "seen: the only manager is a standby"},
      {"CloudControllerManagerTwoLeaders",
       "fired: two managers lead, with Leases of one name in two namespaces"},
      {"CloudControllerManagerCloudUnhealthy", "fired: the cloud refuses the credential"},
      {"CloudControllerManagerCloudSlow",
       "the cloud is slow for a quarter of an hour: no test waits that long"},
      {"CloudControllerManagerObjectsRefused", "fired: the cloud has a limit of load balancers"},
      {"CloudControllerManagerObjectsWait",
       "an object waits for half an hour: no test waits that long"},
      {"CloudControllerManagerListDoubted",
       "fired: most instances are missing in the cloud's list"},
      {"CloudControllerManagerDeletionBrake", "fired: too many instances are missing at once"},
      {"CloudControllerManagerQueueGrows", "fired: 60 keys wait for a cloud that does not answer"},
      {"CloudControllerManagerReconcileStuck",
       "a key is worked on for 5 minutes: only in a plugin that asks for a longer deadline"},
      {"CloudControllerManagerOperationsFail", "seen: the cloud answers with 429 and 403"},
      {"CloudControllerManagerCloudThrottles", "seen: the cloud answers with 429"},
      {"CloudControllerManagerCallBudgetKept", "seen: nine tenths of the cloud's limit are spent"},
      {"CloudControllerManagerReplacementsHeld",
       "fired: a load balancer is replaced again and again"},
      {"CloudControllerManagerCloudRefuses", "seen: the cloud answers with 403"},
      {"CloudControllerManagerCloudQuota", "fired: the cloud has a limit of load balancers"},
      {"CloudControllerManagerApiErrors", "fired: the API server fails a tenth of the requests"},
      {"CloudControllerManagerPluginDegraded", "fired: a plugin stalls the event loop"},
      {"CloudControllerManagerLoopLate", "fired: the event loop is late by a second"},
      {"CloudControllerManagerCacheStale", "fired: the API server fails a list"},
      {"CloudControllerManagerCertificateExpires", "fired: a serving certificate for two days"},
      {"CloudControllerManagerTokenExpires",
       "nobody renews a token until minutes are left: no test waits that long"}};
  return known;
}

// The suite's Prometheus has no answer for it: the manager runs with
// --configure-cloud-routes=false.
bool never_answered(const json& panel) {
  return panel.at("title") == "Routes: time until made, median and 99 %";
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

// On one line and with single spaces, as a table shows it.
std::string one_line(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (space && (result.empty() || result.back() == ' ')) continue;
    result += space ? ' ' : c;
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

}  // namespace

std::vector<AskedQuery> asked_queries(const std::filesystem::path& dashboard,
                                      const std::filesystem::path& rules, const std::string& job,
                                      const std::string& rate_interval) {
  std::vector<AskedQuery> queries;
  const json board = json::parse(support::read_file(dashboard));
  for (const json& panel : board.at("panels")) {
    if (never_answered(panel)) continue;
    for (const json& target : panel.value("targets", json::array())) {
      AskedQuery query;
      query.place = panel.at("title");
      query.expression = target.at("expr");
      queries.push_back(std::move(query));
    }
  }
  const json alerts = support::parse_yaml(support::read_file(rules));
  for (const json& group : alerts.at("groups")) {
    for (const json& rule : group.at("rules")) {
      AskedQuery query;
      query.place = rule.at("alert");
      query.expression = one_line(rule.at("expr"));
      query.alert = true;
      query.fault = faults().at(query.place);
      queries.push_back(std::move(query));
    }
  }
  for (AskedQuery& query : queries) {
    query.concrete = query.expression;
    replace_all(query.concrete, "$__rate_interval", rate_interval);
    replace_all(query.concrete, "$job", job);
  }
  return queries;
}

QueryAnswer read_answer(const json& answer) {
  if (answer.value("status", "") != "success") throw std::runtime_error(answer.dump());
  QueryAnswer result;
  for (const json& series : answer.at("data").at("result")) {
    const double value = std::strtod(series.at("value").at(1).get<std::string>().c_str(), nullptr);
    if (std::isnan(value)) continue;
    if (result.series++ > 0 && value <= result.largest) continue;
    result.largest = value;
    std::string labels;
    for (const auto& [name, label] : series.at("metric").items()) {
      if (name == "__name__" || name == "instance" || name == "job" || name == "host") continue;
      labels += (labels.empty() ? "" : ", ") + name + "=" + label.get<std::string>();
    }
    char number[32];
    std::snprintf(number, sizeof number, "%.4g", value);
    result.example = labels.empty() ? number : labels + ": " + number;
  }
  return result;
}

std::string table_row(const AskedQuery& query, const QueryAnswer& answer) {
  std::string expression = query.expression;
  replace_all(expression, "|", "\\|");
  std::string row = "| " + query.place + " | `" + expression + "` | ";
  row += std::to_string(answer.series) + " | ";
  std::string example = answer.example;
  replace_all(example, "|", "\\|");
  row += example;
  if (query.alert) row += std::string(" | ") + query.fault;
  return row + " |\n";
}

std::string Prometheus::program() {
  const char* named = std::getenv("CCM_PROMETHEUS");
  return named != nullptr ? named : "/usr/bin/prometheus";
}

Prometheus::Prometheus(const std::filesystem::path& folder, const std::filesystem::path& rules,
                       const std::vector<Job>& jobs) {
  json scrapes = json::array();
  for (const Job& job : jobs) {
    json scrape = {{"job_name", job.name},
                   {"scheme", "https"},
                   {"tls_config", {{"ca_file", job.ca_file}}},
                   {"static_configs", json::array({{{"targets", job.targets}}})}};
    if (!job.token.empty()) scrape["authorization"] = {{"credentials", job.token}};
    scrapes.push_back(std::move(scrape));
  }
  const json config = {{"global",
                        {{"scrape_interval", "500ms"},
                         {"scrape_timeout", "450ms"},
                         {"evaluation_interval", "500ms"}}},
                       {"rule_files", json::array({rules.string()})},
                       {"scrape_configs", scrapes}};
  support::write_file(folder / "prometheus.yaml", config.dump());
  process_ = std::make_unique<support::Process>(
      std::vector<std::string>{program(), "--config.file=" + (folder / "prometheus.yaml").string(),
                               "--storage.tsdb.path=" + (folder / "prometheus").string(),
                               "--web.listen-address=127.0.0.1:" + std::to_string(port_.port()),
                               "--log.level=warn"},
      support::ProcessOptions{folder / "prometheus.log", {}});
  const bool ready = support::eventually(support::patience(), [this] {
    if (!process_->running()) return true;
    try {
      return answer("vector(1)").series == 1;
    } catch (const std::runtime_error&) {
      return false;
    }
  });
  if (!ready || !process_->running()) throw std::runtime_error(process_->log());
}

json Prometheus::get(const std::string& target) const {
  support::Credentials credentials;
  credentials.server = "http://127.0.0.1:" + std::to_string(port_.port());
  support::HttpRequest request;
  request.target = target;
  const auto response = support::HttpClient(std::move(credentials)).send(request);
  if (response.status != 200) throw std::runtime_error(target + ": " + response.body);
  return json::parse(response.body);
}

QueryAnswer Prometheus::answer(const std::string& query) const {
  return read_answer(get("/api/v1/query?query=" + support::encode_component(query)));
}

std::string Prometheus::scrape_of(const std::string& job) const {
  const json body = get("/api/v1/targets");
  for (const json& target : body.at("data").at("activeTargets")) {
    if (target.at("labels").at("job") != job) continue;
    return target.at("health") == "up" ? "up" : target.at("lastError").get<std::string>();
  }
  return "";
}

std::set<std::string> Prometheus::firing() const {
  std::set<std::string> names;
  const json body = get("/api/v1/alerts");
  for (const json& alert : body.at("data").at("alerts")) {
    if (alert.at("state") == "firing") names.insert(alert.at("labels").at("alertname"));
  }
  return names;
}

}  // namespace ccm::e2e
