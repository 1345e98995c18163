#include "label_value.hpp"

#include <cstddef>

namespace ccm::openstack {
namespace {

constexpr size_t kLongestLabel = 63;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string label_value(std::string_view text) {
  std::string value;
  bool replaced = false;
  for (const char c : text) {
    const bool kept = is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
    if (kept || !replaced) value += kept ? c : '-';
    replaced = !kept;
  }
  size_t begin = 0;
  while (begin < value.size() && !is_alphanumeric(value[begin])) ++begin;
  value = value.substr(begin, kLongestLabel);
  while (!value.empty() && !is_alphanumeric(value.back())) value.pop_back();
  return value;
}

}  // namespace ccm::openstack
