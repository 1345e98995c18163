// Whether an address in a Service's status is only the echo of its user's wish. Users cannot write
// the status, but controllers beside the manager (kube-vip, MetalLB) copy into it what a Service
// asks for. So such an address proves nothing about who has a load balancer. [any-thread]
#pragma once

#include <ccm/load_balancer.hpp>

#include <string_view>

namespace ccm {

// Whether the Service asks for the address: in spec.loadBalancerIP, or in the text of an annotation
// other than `written`, in which the manager itself writes it down; empty = there is none.
inline bool asks_for_address(const LoadBalancerService& service, std::string_view address,
                             std::string_view written = {}) {
  if (address.empty()) return false;
  if (service.requested_ip == address) return true;
  bool asked = false;
  service.object.at("/metadata/annotations").each([&](std::string_view name, const Value& value) {
    const std::string_view text = value.text().value_or(std::string_view());
    asked = asked || (name != written && text.find(address) != std::string_view::npos);
  });
  return asked;
}

}  // namespace ccm
