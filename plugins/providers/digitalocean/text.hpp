// Small helpers for texts. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace ccm::digitalocean {

// "a, b, c"
template <typename Texts>
std::string joined(const Texts& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

}  // namespace ccm::digitalocean
