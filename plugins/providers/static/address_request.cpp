#include "address_request.hpp"

#include "static/annotation_names.hpp"

#include <ccm/trim.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ccm::static_provider {
namespace {

struct Wanted {
  std::string field;
  std::string text;
};

Status refuse(const Wanted& wanted, const std::string& why) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                wanted.field + " \"" + wanted.text + "\" " + why)
      .with_reason("InvalidAddressRequest");
}

std::string annotation_of(const LoadBalancerService& service, std::string_view name) {
  const std::string pointer = "/metadata/annotations" + pointer_segment(name);
  return std::string(trim(service.object.text(pointer)));
}

// The parameters of a class have the annotation's name without its prefix.
std::string pool_of(const LoadBalancerService& service) {
  std::string pool = annotation_of(service, annotation::kAddressPool);
  for (const Label& parameter : service.parameters) {
    if (pool.empty() && parameter.key == "address-pool") pool = parameter.value;
  }
  return pool;
}

Wanted wanted_addresses(const LoadBalancerService& service) {
  if (!service.adopt_id.empty()) return {"the load balancer to be adopted", service.adopt_id};
  std::string ips = annotation_of(service, annotation::kLoadBalancerIps);
  if (!ips.empty()) {
    return {"annotation " + std::string(annotation::kLoadBalancerIps), std::move(ips)};
  }
  return {"spec.loadBalancerIP", service.requested_ip};
}

}  // namespace

std::vector<Address> parse_addresses(std::string_view text) {
  std::vector<Address> addresses;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const auto address = parse_address(trim(item));
    if (!address) return {};
    addresses.push_back(*address);
  }
  return addresses;
}

std::string text_of(const std::vector<Address>& addresses) {
  std::string text;
  for (const Address& address : addresses) text += (text.empty() ? "" : ",") + address.text();
  return text;
}

Result<AddressRequest> read_request(const LoadBalancerService& service) {
  AddressRequest request;
  for (const std::string& family : service.ip_families)
    request.families.push_back(family == "IPv6");
  if (request.families.empty()) request.families.push_back(false);
  request.every_family = service.object.text("/spec/ipFamilyPolicy") == "RequireDualStack";
  request.pool = pool_of(service);
  const Wanted wanted = wanted_addresses(service);
  if (wanted.text.empty()) return request;
  request.addresses = parse_addresses(wanted.text);
  if (request.addresses.empty()) return refuse(wanted, "is no IP address");
  for (const Address& address : request.addresses) {
    const auto& families = request.families;
    if (std::find(families.begin(), families.end(), address.v6) == families.end()) {
      return refuse(wanted, "has an address of a family that the Service does not have");
    }
    const auto same_family = [&](const Address& other) { return other.v6 == address.v6; };
    if (std::count_if(request.addresses.begin(), request.addresses.end(), same_family) > 1) {
      return refuse(wanted, "has two addresses of one family");
    }
  }
  return request;
}

}  // namespace ccm::static_provider
