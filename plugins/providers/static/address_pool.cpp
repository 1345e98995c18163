#include "address_pool.hpp"

#include <algorithm>

namespace ccm::static_provider {

bool AddressPool::contains(const Address& address) const {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const AddressRange& range) { return range.contains(address); });
}

bool AddressPool::has_family(bool v6) const {
  return std::any_of(ranges.begin(), ranges.end(),
                     [v6](const AddressRange& range) { return range.first.v6 == v6; });
}

// However large a range is, the search ends after as many steps as addresses are taken.
std::optional<Address> AddressPool::first_free(
    bool v6, const std::function<bool(const Address&)>& taken) const {
  for (const AddressRange& range : ranges) {
    if (range.first.v6 != v6) continue;
    for (Address address = range.first;; address = address.next()) {
      if (!taken(address)) return address;
      if (address == range.last) break;
    }
  }
  return std::nullopt;
}

}  // namespace ccm::static_provider
