#include "base/text.hpp"

namespace ccm {

std::string without_user_info(const std::string& value) {
  std::string shown;
  std::size_t begin = 0;
  for (auto scheme = value.find("://"); scheme != std::string::npos;
       scheme = value.find("://", begin)) {
    const auto authority = scheme + 3;
    const auto end = std::min(value.find_first_of("/?# ,;\"'", authority), value.size());
    const auto at = value.substr(0, end).rfind('@');
    const bool has_user = at != std::string::npos && at >= authority;
    shown += value.substr(begin, authority - begin);
    if (has_user) shown += "[redacted]";
    begin = has_user ? at : authority;
  }
  return shown + value.substr(begin);
}

}  // namespace ccm
