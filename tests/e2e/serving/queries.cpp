#include "queries.hpp"

#include "support/file.hpp"
#include "support/yaml.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>

namespace ccm::e2e {
namespace {

using nlohmann::json;

// What has to be wrong for an alert to have data. "seen": the test makes it so.
const std::map<std::string, std::string>& faults() {
  static const auto& known = *new std::map<std::string, std::string>{
      {"CloudControllerManagerDown", "seen: no manager runs"},
      {"CloudControllerManagerNoLeader", "seen: the only manager is a standby"},
      {"CloudControllerManagerTwoLeaders", "two managers hold one Lease"},
      {"CloudControllerManagerDeletionBrake", "too many machines are missing at once"},
      {"CloudControllerManagerQueueGrows", "50 keys wait for 20 minutes"},
      {"CloudControllerManagerReconcileStuck", "a key is worked on for 5 minutes"},
      {"CloudControllerManagerOperationsFail", "seen: the cloud answers with 429 and 403"},
      {"CloudControllerManagerCloudThrottles", "seen: the cloud answers with 429"},
      {"CloudControllerManagerCallBudgetKept", "seen: nine tenths of the cloud's limit are spent"},
      {"CloudControllerManagerCloudRefuses", "seen: the cloud answers with 403"},
      {"CloudControllerManagerApiErrors", "the API server fails a tenth of the requests"},
      {"CloudControllerManagerPluginDegraded", "a plugin stalls the event loop"},
      {"CloudControllerManagerLoopLate", "the event loop is late by a second"},
      {"CloudControllerManagerCacheStale", "the API server does not answer a list"}};
  return known;
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

}  // namespace ccm::e2e
