#include "fargate.hpp"

#include "provider_id.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

Instance view_of(XmlElement card, const std::string& name, const std::string& region) {
  Instance view;
  view.state = InstanceState::running;
  view.zone = card.text("availabilityZone");
  view.provider_id = provider_id(view.zone, "fargate-" + name);
  view.name = card.text("privateDnsName");
  view.region = region;
  view.addresses.push_back({"InternalIP", card.text("privateIpAddress")});
  if (!view.name.empty()) view.addresses.push_back({"InternalDNS", view.name});
  return view;
}

}  // namespace

std::string fargate_address(std::string_view name) {
  if (!name.starts_with("ip-")) return std::string(name);
  std::string address(name.substr(3, name.find('.') - 3));
  std::replace(address.begin(), address.end(), '-', '.');
  return address;
}

Task<Result<std::map<std::string, Instance>>> Fargate::find(Ctx ctx,
                                                            std::vector<std::string> names) {
  std::map<std::string, Instance> found;
  for (size_t begin = 0; begin < names.size(); begin += kFilterValues) {
    std::map<std::string, std::string> by_address;
    for (size_t i = begin; i < std::min(begin + kFilterValues, names.size()); ++i) {
      by_address[fargate_address(names[i])] = names[i];
    }
    std::vector<std::string> addresses;
    for (const auto& [address, name] : by_address) addresses.push_back(address);
    Call call{Api::ec2, "DescribeNetworkInterfaces"};
    call.params.filter("attachment.status", "attached")
        .filter("vpc-id", cluster_.vpc_id)
        .filter("private-ip-address", addresses);
    PageReader reader = [&](XmlElement page) {
      for (const XmlElement card : page.list("networkInterfaceSet")) {
        const auto asked = by_address.find(card.text("privateIpAddress"));
        if (asked == by_address.end()) continue;
        found[asked->second] = view_of(card, asked->second, cluster_.region);
      }
      return Status();
    };
    Status status = co_await client_.pages(ctx, std::move(call), reader);
    if (!status.ok()) co_return status;
  }
  co_return found;
}

}  // namespace ccm::aws
