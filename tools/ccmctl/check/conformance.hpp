// Runs cases of the conformance suite against a plugin file, each in a process of its own.
#pragma once

#include "conformance/case.hpp"
#include "plugin_files/file_checks.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ccm::ctl {

struct ConformanceOptions {
  std::filesystem::path file;
  std::string cloud_command;
  std::optional<std::string> cloud_config;  // text
  std::map<std::string, std::string> flags;
  bool has_provider = true;
  bool has_controller = true;
  std::vector<std::string> cases;  // empty = all that are about such components
  uint64_t seed = 1;
  std::chrono::milliseconds limit{60'000};  // of one case
  // In a real cloud: what is made there has names that begin with `prefix`, and is written down in
  // the file `ledger`.
  bool live = false;
  std::string prefix;
  uint64_t cluster_seed = 0;
  int ledger = -1;
};

enum class Verdict { passed, failed, skipped, crashed };
std::string_view to_string(Verdict verdict);

struct CaseResult {
  const conformance::Case* which = nullptr;
  Verdict verdict = Verdict::crashed;
  std::string text;  // why, unless it passed
  std::chrono::milliseconds took{0};
};

CaseResult run_case(const ConformanceOptions& options, const conformance::Case& which);
std::vector<CaseResult> run_cases(const ConformanceOptions& options);

// Whether none failed or crashed.
bool conforms(const std::vector<CaseResult>& results);

// "42 passed, 1 failed, 0 crashed, 9 skipped"
std::string summary(const std::vector<CaseResult>& results);
std::string table_of(const std::vector<CaseResult>& results);
std::string junit_of(const std::vector<CaseResult>& results, const std::filesystem::path& file);
// The checks before the cases, for a file that cannot be loaded.
std::string junit_of_checks(const plugin_files::Examination& file);

}  // namespace ccm::ctl
