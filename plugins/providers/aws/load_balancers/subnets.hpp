// The subnets of a load balancer (AWS-75 to AWS-81): one a zone. Any thread.
#pragma once

#include "names.hpp"

#include <ccm/status.hpp>

#include <map>
#include <string>
#include <vector>

namespace ccm::aws {

struct Subnet {
  std::string id;
  std::string zone;
  std::string cidr;       // IPv4; empty = it has none
  std::string ipv6_cidr;  // empty = it has none
  Tags tags;
};

struct RouteTable {
  std::vector<std::string> subnets;  // associated by name
  bool main = false;                 // of all others
  bool to_internet = false;          // through an internet gateway
};

// By name; absent = a usual one.
using ZoneTypes = std::map<std::string, std::string, std::less<>>;

// What is known of the VPC.
struct Network {
  std::vector<Subnet> subnets;
  std::vector<RouteTable> tables;
  ZoneTypes zone_types;
};

struct SubnetWish {
  std::vector<std::string> named;  // ids and names of the annotation; empty = to be chosen
  bool internal = false;
  std::string cluster_tag;  // key of this cluster's tag
  std::string fallback;     // [Global] SubnetID, when the VPC has none that fits (AWS-14)
  bool dual_stack = false;  // each needs a range of IPv6
};

// In the order of the wish, else by zone. Failure: invalid_spec, "expected to find 2, but found 1
// subnets", two in a zone, one without IPv6; failed_precondition, "could not find any suitable
// subnets for creating the ELB".
Result<std::vector<Subnet>> choose_subnets(const Network& network, const SubnetWish& wish);

// The subnets with these ids, as far as they are there.
std::vector<Subnet> subnets_with_ids(const Network& network, const std::vector<std::string>& ids);

}  // namespace ccm::aws
