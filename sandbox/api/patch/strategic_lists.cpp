#include "api/patch/strategic_lists.hpp"

#include "api/patch/patch.hpp"

#include <algorithm>

namespace sandbox {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

std::size_t position(const Json& list, const Json& member, const std::string& merge_key) {
  for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
    if (same_member(list[i], member, merge_key)) return i;
  }
  return kNowhere;
}

void sort_by(std::vector<Json>& members, const Json& order, const std::string& merge_key) {
  std::stable_sort(members.begin(), members.end(), [&](const Json& left, const Json& right) {
    return position(order, left, merge_key) < position(order, right, merge_key);
  });
}

}  // namespace

bool same_member(const Json& left, const Json& right, const std::string& merge_key) {
  if (merge_key.empty()) return left == right;
  if (!left.is_object() || !right.is_object()) return false;
  auto a = left.find(merge_key);
  auto b = right.find(merge_key);
  return a != left.end() && b != right.end() && *a == *b;
}

Json order_members(const Json& merged, const Json& wanted, const Json& original,
                   const std::string& merge_key) {
  std::vector<Json> patched, others;
  for (const Json& member : merged) {
    bool named = position(wanted, member, merge_key) != kNowhere;
    (named ? patched : others).push_back(member);
  }
  sort_by(patched, wanted, merge_key);
  sort_by(others, original, merge_key);
  Json result = Json::array();
  std::size_t i = 0, j = 0;
  while (i < others.size() || j < patched.size()) {
    bool take_other = j == patched.size();
    if (i < others.size() && j < patched.size()) {
      std::size_t other_at = position(original, others[i], merge_key);
      std::size_t patched_at = position(original, patched[j], merge_key);
      take_other = other_at != kNowhere && patched_at != kNowhere && other_at < patched_at;
    }
    result.push_back(take_other ? others[i++] : patched[j++]);
  }
  return result;
}

Json without_duplicates(const Json& list) {
  Json result = Json::array();
  for (const Json& member : list) {
    if (position(result, member, "") == kNowhere) result.push_back(member);
  }
  return result;
}

void check_element_order(const Json& patch, const Json& order, const std::string& merge_key) {
  std::size_t at = 0;
  for (const Json& member : patch) {
    if (member.is_object() && member.contains("$patch")) continue;
    while (at < order.size() && !same_member(member, order[at], merge_key)) ++at;
    if (at == order.size()) {
      throw PatchError("The order in patch list doesn't match $setElementOrder list");
    }
    ++at;
  }
}

Json without_directives(const Json& value) {
  if (value.is_array()) {
    Json result = Json::array();
    for (const Json& member : value) {
      if (!member.is_object() || !member.contains("$patch")) {
        result.push_back(without_directives(member));
      }
    }
    return result;
  }
  if (!value.is_object()) return value;
  Json result = Json::object();
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (item.key().starts_with("$") || item->is_null()) continue;
    result[item.key()] = without_directives(*item);
  }
  return result;
}

}  // namespace sandbox
