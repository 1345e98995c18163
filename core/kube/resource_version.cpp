#include "kube/resource_version.hpp"

#include <algorithm>

namespace ccm::kube {

namespace {

bool well_formed(std::string_view version) {
  return !version.empty() && version.front() != '0' &&
         std::all_of(version.begin(), version.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool older_version(std::string_view version, std::string_view other) {
  if (!well_formed(version) || !well_formed(other)) return false;
  return version.size() != other.size() ? version.size() < other.size() : version < other;
}

}  // namespace ccm::kube
