#include "ec2_instance.hpp"

#include "aws/api/error.hpp"
#include "aws/cluster.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ccm::aws {
namespace {

NetworkCard read_card(XmlElement item) {
  NetworkCard card;
  card.id = item.text("networkInterfaceId");
  card.device_index = item.child("attachment").number("deviceIndex").value_or(0);
  card.source_dest_check = item.flag("sourceDestCheck");
  for (const XmlElement address : item.list("privateIpAddressesSet")) {
    card.private_addresses.push_back(address.text("privateIpAddress"));
  }
  for (const XmlElement address : item.list("ipv6AddressesSet")) {
    card.ipv6_addresses.push_back(address.text("ipv6Address"));
  }
  return card;
}

// Others may be many, and long.
bool is_known_tag(std::string_view key) {
  return key.starts_with(kClusterTagPrefix) || key == kLegacyClusterTag || key == "Name";
}

}  // namespace

const std::string* Ec2Instance::tag(std::string_view key) const {
  const auto found =
      std::find_if(tags.begin(), tags.end(), [&](const auto& tag) { return tag.first == key; });
  return found == tags.end() ? nullptr : &found->second;
}

Result<Ec2Instance> read_instance(XmlElement item) {
  Ec2Instance instance;
  instance.id = item.text("instanceId");
  instance.type = item.text("instanceType");
  instance.state = item.child("instanceState").text("name");
  instance.zone = item.child("placement").text("availabilityZone");
  instance.vpc_id = item.text("vpcId");
  instance.private_dns_name = item.text("privateDnsName");
  instance.public_dns_name = item.text("dnsName");
  instance.public_address = item.text("ipAddress");
  instance.source_dest_check = item.flag("sourceDestCheck");
  std::multimap<int64_t, NetworkCard> cards;  // a small sort
  for (const XmlElement card : item.list("networkInterfaceSet")) {
    // AWS-45: cards that come or go have no address that serves.
    if (card.text("status") != "in-use") continue;
    NetworkCard read = read_card(card);
    cards.emplace(read.device_index, std::move(read));
  }
  for (auto& [index, card] : cards) instance.cards.push_back(std::move(card));
  for (const XmlElement group : item.list("groupSet")) {
    instance.security_groups.push_back(group.text("groupId"));
  }
  for (const XmlElement tag : item.list("tagSet")) {
    const std::string_view key = tag.child("key").text();
    if (is_known_tag(key)) instance.tags.emplace_back(key, tag.text("value"));
  }
  if (instance.id.empty() || instance.state.empty()) {
    return bad_answer("has an instance without instanceId or instanceState");
  }
  return instance;
}

}  // namespace ccm::aws
