#include "environment.hpp"

#include <ccm/lower_case.hpp>

#include <unistd.h>

namespace ccm::aws {

Environment Environment::of_process() {
  Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (equals == std::string_view::npos || (!name.starts_with("AWS_") && name != "HOME")) continue;
    variables.emplace(name, text.substr(equals + 1));
  }
  return Environment(std::move(variables));
}

std::string Environment::get(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? std::string() : found->second;
}

bool Environment::is_true(std::string_view name) const { return lower_case(get(name)) == "true"; }

}  // namespace ccm::aws
