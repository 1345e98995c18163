// How tests name a misbehaving plugin: "FILE", or "FILE/FAULT" where the file has a table of faults
// (table.h).
#pragma once

#include <string>
#include <utility>

namespace ccm::test {

// The file without ".so", and what the environment variable FAULT has to be; empty without a table.
inline std::pair<std::string, std::string> split_fault(const std::string& name) {
  const auto slash = name.find('/');
  if (slash == std::string::npos) return {name, ""};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

}  // namespace ccm::test
