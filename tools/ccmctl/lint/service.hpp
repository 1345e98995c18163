// The faults of one Service's annotations. Pure.
#pragma once

#include "table.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ccm::ctl {

// An annotation's value as written in the file.
struct ManifestValue {
  std::string text;
  bool is_string = true;  // false: YAML reads it as a number, a boolean or nothing at all
};

struct ManifestService {
  std::string name;
  std::string namespace_name;
  std::string type = "ClusterIP";
  std::vector<int64_t> ports;
  std::map<std::string, ManifestValue> annotations;
};

struct LintFinding {
  std::string annotation;
  std::string text;
};

// In the order of the annotations' names.
std::vector<LintFinding> lint_service(const ManifestService& service,
                                      const std::vector<ProviderAnnotations>& tables);

}  // namespace ccm::ctl
