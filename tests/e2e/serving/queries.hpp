// The queries that deploy/ asks of Prometheus: those of the dashboard and those of the alerts.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ccm::e2e {

struct AskedQuery {
  std::string place;       // the panel's title, or the alert's name
  std::string expression;  // as it stands in the file
  std::string concrete;    // with the dashboard's variables filled in
  bool alert = false;
  std::string fault;  // it has data only while this is so; empty: always
};

// In the order of the files. An alert needs a fault by its nature. Throws when it cannot be read,
// or when an alert has no entry in the table of faults.
std::vector<AskedQuery> asked_queries(const std::filesystem::path& dashboard,
                                      const std::filesystem::path& rules, const std::string& job,
                                      const std::string& rate_interval);

struct QueryAnswer {
  std::size_t series = 0;
  double largest = 0;
  std::string example;  // labels and value of the largest
};

// Of the answer to /api/v1/query. Series whose value is no number do not count.
QueryAnswer read_answer(const nlohmann::json& answer);

// One row of a Markdown table.
std::string table_row(const AskedQuery& query, const QueryAnswer& answer);

}  // namespace ccm::e2e
