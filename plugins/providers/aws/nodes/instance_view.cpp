#include "instance_view.hpp"

#include "provider_id.hpp"

namespace ccm::aws {
namespace {

void add(std::vector<NodeAddress>& addresses, const char* type, const std::string& address) {
  if (!address.empty()) addresses.push_back({type, address});
}

void add_ipv4(const Ec2Instance& instance, std::vector<NodeAddress>& addresses) {
  for (const NetworkCard& card : instance.cards) {
    for (const std::string& address : card.private_addresses) {
      add(addresses, "InternalIP", address);
    }
  }
  add(addresses, "ExternalIP", instance.public_address);
  add(addresses, "InternalDNS", instance.private_dns_name);
  add(addresses, "Hostname", instance.private_dns_name);
  add(addresses, "ExternalDNS", instance.public_dns_name);
}

void add_ipv6(const Ec2Instance& instance, std::vector<NodeAddress>& addresses) {
  for (const NetworkCard& card : instance.cards) {
    if (!card.ipv6_addresses.empty()) add(addresses, "InternalIP", card.ipv6_addresses.front());
  }
}

}  // namespace

std::vector<NodeAddress> addresses_of(const Ec2Instance& instance,
                                      const std::vector<std::string>& families) {
  std::vector<NodeAddress> addresses;
  for (const std::string& family : families) {
    if (family == "ipv4") add_ipv4(instance, addresses);
    if (family == "ipv6") add_ipv6(instance, addresses);
  }
  return addresses;
}

InstanceState state_of(const Ec2Instance& instance) {
  if (instance.state == "terminated") return InstanceState::terminated;
  if (instance.state == "stopped") return InstanceState::shutdown;
  if (instance.state == "pending" && instance.cards.empty()) return InstanceState::starting;
  return InstanceState::running;
}

bool is_of_cluster(const Ec2Instance& instance, const Cluster& cluster) {
  if (instance.tag(cluster.tag()) != nullptr) return true;
  const std::string* legacy = instance.tag(kLegacyClusterTag);
  return legacy != nullptr && *legacy == cluster.id;
}

Status check_of_cluster(const Ec2Instance& instance, const Cluster& cluster) {
  if (instance.vpc_id == cluster.vpc_id && is_of_cluster(instance, cluster)) return {};
  return Status(Code::failed_precondition, ErrorClass::waiting,
                "instance " + instance.id + " has no tag " + cluster.tag() + " in " +
                    cluster.vpc_id + ", so it is left alone")
      .with_reason(kNotOfCluster);
}

Instance view_of(const Ec2Instance& instance, const Cluster& cluster,
                 const std::vector<std::string>& families, bool named_by_id) {
  Instance view;
  view.state = state_of(instance);
  view.provider_id = provider_id(instance.zone, instance.id);
  if (is_of_cluster(instance, cluster)) {
    view.name = named_by_id ? instance.id : instance.private_dns_name;
  }
  view.instance_type = instance.type;
  view.zone = instance.zone;
  view.region = cluster.region;
  view.addresses = addresses_of(instance, families);
  return view;
}

}  // namespace ccm::aws
