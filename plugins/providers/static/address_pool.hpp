// A named set of addresses for load balancers. Any thread.
#pragma once

#include "address.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ccm::static_provider {

struct AddressPool {
  std::string name;
  std::vector<AddressRange> ranges;
  bool auto_assign =
      true;  // false: only for Services that ask for the pool, or for an address of it

  [[nodiscard]] bool contains(const Address& address) const;
  [[nodiscard]] bool has_family(bool v6) const;
  // The lowest address of that family in the first range that has one which is not `taken`.
  [[nodiscard]] std::optional<Address> first_free(
      bool v6, const std::function<bool(const Address&)>& taken) const;
};

}  // namespace ccm::static_provider
