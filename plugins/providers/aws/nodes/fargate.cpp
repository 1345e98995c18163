#include "fargate.hpp"

#include "provider_id.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

Instance view_of(XmlElement card, const std::string& address, const std::string& region) {
  Instance view;
  view.state = InstanceState::running;
  view.zone = card.text("availabilityZone");
  view.provider_id = provider_id(view.zone, "fargate-" + address);
  view.name = card.text("privateDnsName");
  view.region = region;
  view.addresses.push_back({"InternalIP", address});
  if (!view.name.empty()) view.addresses.push_back({"InternalDNS", view.name});
  return view;
}

}  // namespace

std::string fargate_address(std::string_view name) {
  if (!name.starts_with("ip-")) return ipv4_address(name);
  std::string address(name.substr(3, name.find('.') - 3));
  std::replace(address.begin(), address.end(), '-', '.');
  return ipv4_address(address);
}

Task<Result<std::map<std::string, Instance>>> Fargate::find(Ctx ctx,
                                                            std::vector<std::string> addresses) {
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  std::map<std::string, Instance> found;
  PageReader reader = [&](XmlElement page) {
    for (const XmlElement card : page.list("networkInterfaceSet")) {
      const std::string address = card.text("privateIpAddress");
      if (!std::binary_search(addresses.begin(), addresses.end(), address)) continue;
      found.insert_or_assign(address, view_of(card, address, cluster_.region));
    }
    return Status();
  };
  for (size_t begin = 0; begin < addresses.size(); begin += kFilterValues) {
    const auto first = addresses.begin() + static_cast<std::ptrdiff_t>(begin);
    const size_t count = std::min(kFilterValues, addresses.size() - begin);
    Call call{Api::ec2, "DescribeNetworkInterfaces"};
    call.params.filter("attachment.status", "attached")
        .filter("vpc-id", cluster_.vpc_id)
        .filter("private-ip-address",
                std::vector<std::string>(first, first + static_cast<std::ptrdiff_t>(count)));
    Status status = co_await client_.pages(ctx, std::move(call), reader);
    if (!status.ok()) co_return status;
  }
  co_return found;
}

}  // namespace ccm::aws
