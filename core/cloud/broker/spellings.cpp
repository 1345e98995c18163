#include "cloud/broker/spellings.hpp"

#include <ccm/lower_case.hpp>
#include <ccm/trim.hpp>

#include <charconv>
#include <string>
#include <string_view>

namespace ccm::plugin {

namespace {

// "region-1/%41b " and "ab" are the same.
std::string last_part(std::string_view id) {
  std::string plain;
  for (std::size_t i = 0; i < id.size(); ++i) {
    unsigned value = 0;
    const char* digits = id.data() + i + 1;
    const bool escape = id[i] == '%' && i + 2 < id.size() &&
                        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    plain += escape ? static_cast<char>(value) : id[i];
    if (escape) i += 2;
  }
  while (plain.ends_with('/') || plain.ends_with(' ')) plain.pop_back();
  return lower_case(trim(std::string_view(plain).substr(plain.rfind('/') + 1)));
}

bool share_an_address(const InstanceSnapshot& one, std::size_t index, const InstanceSnapshot& other,
                      std::size_t other_index) {
  for (std::size_t i = 0; i < one.address_count(index); ++i) {
    for (std::size_t k = 0; k < other.address_count(other_index); ++k) {
      if (one.address(index, i) == other.address(other_index, k)) return true;
    }
  }
  return one.address_count(index) == 0 && other.address_count(other_index) == 0;
}

}  // namespace

bool is_same_instance(const InstanceSnapshot& one, std::size_t index, const InstanceSnapshot& other,
                      std::size_t other_index) {
  const std::string_view id = one.provider_id(index);
  const std::string_view other_id = other.provider_id(other_index);
  if (id.empty() || other_id.empty() || one.name(index) != other.name(other_index)) return false;
  return share_an_address(one, index, other, other_index) && last_part(id) == last_part(other_id);
}

}  // namespace ccm::plugin
