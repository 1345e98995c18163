// An authenticated user. A value.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::serving {

inline constexpr std::string_view kAnonymous = "system:anonymous";
inline constexpr std::string_view kUnauthenticated = "system:unauthenticated";
inline constexpr std::string_view kAuthenticated = "system:authenticated";
inline constexpr std::string_view kMasters = "system:masters";

struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;

  [[nodiscard]] bool in_group(std::string_view group) const {
    for (const std::string& one : groups) {
      if (one == group) return true;
    }
    return false;
  }
};

}  // namespace ccm::serving
