#pragma once

#include <optional>
#include <string>

namespace sandbox {

// Each returns the fault of the text, or nothing.
std::optional<std::string> dns_label_problem(const std::string& text);
std::optional<std::string> dns_subdomain_problem(const std::string& text);
// [prefix/]name, as label keys, annotation keys and taint keys are.
std::optional<std::string> qualified_name_problem(const std::string& text);
// The key of a ConfigMap, and the name of a LeaseCandidate.
std::optional<std::string> config_key_problem(const std::string& text);
std::optional<std::string> label_value_problem(const std::string& text);

}  // namespace sandbox
