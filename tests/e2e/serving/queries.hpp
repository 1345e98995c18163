// The queries that deploy/ asks of Prometheus: those of the dashboard and those of the alerts; and
// a real Prometheus to ask.
#pragma once

#include "support/ports.hpp"
#include "support/process.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ccm::e2e {

inline constexpr const char* kJob = "cloud-controller-manager";  // as the alerts expect it

struct AskedQuery {
  std::string place;       // the panel's title, or the alert's name
  std::string expression;  // as it stands in the file
  std::string concrete;    // with the dashboard's variables filled in
  bool alert = false;
  // It has data only while this is so; empty: always. "seen": prometheus_test.cpp makes it so.
  // "fired": alerts_test.cpp does, and the alert fires.
  std::string fault;
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

// What the answer to /api/v1/query says. Series whose value is no number do not count.
QueryAnswer read_answer(const nlohmann::json& answer);

// One row of a Markdown table.
std::string table_row(const AskedQuery& query, const QueryAnswer& answer);

// Scrapes and evaluates twice a second. Not for several threads at once.
class Prometheus {
 public:
  struct Job {
    std::string name;
    std::vector<std::string> targets;  // HOST:PORT
    std::string ca_file;
    std::string token;  // empty: none
  };
  // CCM_PROMETHEUS, or where Debian has it.
  static std::string program();
  static bool installed() { return std::filesystem::exists(program()); }

  // Returns when it is ready; throws std::runtime_error with its log if it is not in time.
  Prometheus(const std::filesystem::path& folder, const std::filesystem::path& rules,
             const std::vector<Job>& jobs);

  [[nodiscard]] QueryAnswer answer(const std::string& query) const;
  // The health of the scrape job: "up", or why not.
  [[nodiscard]] std::string scrape_of(const std::string& job) const;
  // The names of the alerts that fire now.
  [[nodiscard]] std::set<std::string> firing() const;

 private:
  [[nodiscard]] nlohmann::json get(const std::string& target) const;

  support::ReservedPort port_;
  std::unique_ptr<support::Process> process_;
};

}  // namespace ccm::e2e
