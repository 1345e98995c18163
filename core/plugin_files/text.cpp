#include "plugin_files/text.hpp"

#include <algorithm>

namespace ccm::plugin {
namespace {

std::string join(const std::vector<std::string>& items, size_t count) {
  std::string joined;
  for (size_t i = 0; i < count; ++i) joined += (i == 0 ? "" : ", ") + items[i];
  return joined;
}

}  // namespace

std::string shortened_list(const std::vector<std::string>& items) {
  constexpr size_t kShown = 3;
  const size_t shown = std::min(items.size(), kShown);
  std::string text = join(items, shown);
  if (items.size() > shown) text += " and " + std::to_string(items.size() - shown) + " more";
  return text;
}

std::string list(const std::vector<std::string>& items) {
  return items.empty() ? "none" : join(items, items.size());
}

std::string user_name(uid_t uid) { return uid == 0 ? "root" : "user " + std::to_string(uid); }

}  // namespace ccm::plugin
