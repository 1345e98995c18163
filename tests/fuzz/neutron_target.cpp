// Answers of Neutron about what belongs to load balancers (plugins/providers/openstack/network):
// floating IPs, networks and subnets, security groups, their rules and ports. Routers, and the
// ports of servers, are in the target openstack.
// Input: the text of an answer.
// Properties: whatever is read has an ID, belongs to what was asked for, and a failure is short.
#include "fuzz.hpp"
#include "openstack/network/floating_ips.hpp"
#include "openstack/network/security_groups.hpp"
#include "openstack/pages.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace ccm::fuzz {
namespace {

constexpr std::size_t kLongestNeutronMessage = 4096;
const std::string kGroup = "g";

// All of an answer have IDs; a failure is one of a few words.
template <typename T>
void check_objects(const Result<std::vector<T>>& objects) {
  if (objects.ok()) {
    for (const T& object : *objects) require(!object.id.empty(), "an object has an ID");
    return;
  }
  require(!objects.status().message().empty(), "a failure says what is wrong");
  require(objects.status().message().size() <= kLongestNeutronMessage, "in a few words");
}

template <typename T>
void check_object(const Result<T>& object) {
  require(!object.ok() || !object->id.empty(), "an object has an ID");
}

void check_group_ports(std::string_view text) {
  std::vector<openstack::GroupPort> all;
  auto take = openstack::into(all, &openstack::read_group_port);
  const auto page = openstack::Pages("ports", std::move(take)).take(text, true);
  check_objects(page.ok() ? Result(std::move(all)) : page.status());
}

void check_group_rules(std::string_view text) {
  const auto rules = openstack::parse_group_rules(text, kGroup);
  check_objects(rules);
  if (!rules.ok()) return;
  for (const openstack::GroupRule& rule : *rules) {
    const std::string& protocol = rule.rule.protocol;
    require(
        std::none_of(protocol.begin(), protocol.end(), [](char c) { return c >= 'A' && c <= 'Z'; }),
        "protocols in small letters");
  }
}

}  // namespace

void neutron_target(std::string_view bytes) {
  const Exact text(bytes);
  check_objects(openstack::parse_floating_ips(text.view()));
  check_object(openstack::parse_floating_ip(text.view()));
  check_objects(openstack::parse_subnets(text.view()));
  check_object(openstack::parse_subnet(text.view()));
  check_objects(openstack::parse_external_networks(text.view()));
  check_group_ports(text.view());
  check_group_rules(text.view());
  const auto ids = openstack::parse_group_ids(text.view(), kGroup);
  if (!ids.ok()) return;
  for (const std::string& id : *ids) require(!id.empty(), "a security group has an ID");
}

}  // namespace ccm::fuzz
