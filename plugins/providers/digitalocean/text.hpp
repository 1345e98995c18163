// Small helpers for texts. Any thread.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

namespace ccm::digitalocean {

inline std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

// "a, b, c"
template <typename Texts>
std::string joined(const Texts& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

}  // namespace ccm::digitalocean
