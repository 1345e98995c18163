#include "findings.hpp"

#include <algorithm>

namespace ccm::openstack {

std::string in_quotes(std::string_view text) {
  constexpr size_t kLongest = 80;
  std::string out = "\"";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7F ? ' ' : c;
  }
  return out + (text.size() > kLongest ? "...\"" : "\"");
}

std::vector<std::string> in_order(std::vector<Finding> findings) {
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.line < b.line; });
  std::vector<std::string> lines;
  for (const Finding& finding : findings) {
    const std::string where =
        finding.line == 0 ? "" : "line " + std::to_string(finding.line) + ": ";
    lines.push_back(where + finding.text);
  }
  return lines;
}

}  // namespace ccm::openstack
