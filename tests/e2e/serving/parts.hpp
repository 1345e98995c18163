// Texts that have to be in what an operator looks at. One that begins with '!' must be absent.
#pragma once

#include "endpoint_fixture.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ccm::e2e {

using Parts = std::vector<std::string>;

inline std::string joined(const Parts& parts) {
  std::string text;
  for (const std::string& part : parts) text += part + "\n";
  return text;
}

// Appends what is wrong with a text, and then the text.
inline void look(const char* name, const std::string& text, const Parts& parts, Parts& faults) {
  const std::size_t before = faults.size();
  for (const std::string& part : parts) {
    const bool wanted = part.front() != '!';
    if (contains(text, wanted ? part : part.substr(1)) == wanted) continue;
    faults.push_back(std::string(name) + (wanted ? " lacks: " : " has: ") + part);
  }
  if (faults.size() > before) faults.push_back(text);
}

}  // namespace ccm::e2e
