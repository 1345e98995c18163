// The addresses that a Service gets. Any thread.
#pragma once

#include "address_pool.hpp"
#include "address_request.hpp"

#include <ccm/status.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ccm::static_provider {

// The name of the Service that has an address instead of the one that asks; empty = none.
using NameOfHolder = std::function<std::string(const Address&)>;

// One address of each family: the one that is asked for, else the one that the Service has
// (`held`), else the first that is free. A family of which the pools have none is left out, unless
// all are needed. Failures: failed_precondition when there is no such pool or address; class
// waiting while the address, or all of a pool's, belong to others; class conflict when another
// Service has `held`, too.
Result<std::vector<Address>> choose_addresses(const std::vector<AddressPool>& pools,
                                              const AddressRequest& request,
                                              const std::vector<Address>& held,
                                              const NameOfHolder& holder);

}  // namespace ccm::static_provider
