// The addresses that a Service asks for. Any thread.
#pragma once

#include "address.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <string>
#include <vector>

namespace ccm::static_provider {

struct AddressRequest {
  std::vector<bool> families;      // true = IPv6; in the Service's order
  bool every_family = false;       // ipFamilyPolicy: RequireDualStack
  std::vector<Address> addresses;  // these and no others; at most one of a family
  std::string pool;                // empty = any that gives its addresses to everybody
};

// What the Service's fields and annotations ask for, and its load balancer class's parameters.
// Failure: class invalid_spec, with the field and what is wanted there.
Result<AddressRequest> read_request(const LoadBalancerService& service);

// "192.0.2.1,2001:db8::1", as a load balancer's id is written; none when it is anything else.
std::vector<Address> parse_addresses(std::string_view text);
std::string text_of(const std::vector<Address>& addresses);

}  // namespace ccm::static_provider
