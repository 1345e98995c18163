// The configuration of the static provider (plugins/providers/static).
// Input: the text of --cloud-config.
// Properties: a refusal says something; machines have names and IDs of their own, and IP addresses;
// pools do not overlap, and the first free address of a pool is one of its own.
#include "fuzz.hpp"
#include "static/configuration.hpp"

#include <set>
#include <string>

namespace ccm::fuzz {
namespace {

void check_nodes(const std::vector<Instance>& nodes) {
  std::set<std::string> names;
  std::set<std::string> ids;
  for (const Instance& node : nodes) {
    require(names.insert(node.name).second, "a name is given once");
    require(ids.insert(node.provider_id).second, "an ID is given once");
    require(node.provider_id.starts_with(static_provider::kProviderIdPrefix), "the prefix is ours");
    require(!node.addresses.empty(), "a machine has addresses");
    for (const NodeAddress& address : node.addresses) {
      if (!address.type.ends_with("IP")) continue;
      const auto parsed = static_provider::parse_address(address.address);
      require(parsed.has_value(), "an IP address is one");
      require_equal(parsed->text(), address.address, "in its usual form");
    }
  }
}

void check_pools(const std::vector<static_provider::AddressPool>& pools) {
  require(!pools.empty(), "a list of pools is not empty");
  for (const auto& pool : pools) {
    for (const bool v6 : {false, true}) {
      int asked = 0;
      const auto third = [&](const static_provider::Address&) { return ++asked < 3; };
      const auto free = pool.first_free(v6, third);
      require(!free || (pool.contains(*free) && free->v6 == v6), "the pool has its own addresses");
      require(free || asked < 3, "a pool that has three addresses gives one");
      if (!free) continue;
      int holders = 0;
      for (const auto& other : pools) holders += other.contains(*free) ? 1 : 0;
      require(holders == 1, "pools do not overlap");
    }
  }
}

}  // namespace

void static_configuration_target(std::string_view bytes) {
  const auto read = static_provider::parse_configuration(bytes);
  if (!read.ok()) {
    require(read.status().code() == Code::invalid_argument, "a refusal is the file's fault");
    return require(!read.status().message().empty(), "a refusal says something");
  }
  require(read->nodes || read->address_pools, "something is given");
  if (read->nodes) check_nodes(*read->nodes);
  if (read->address_pools) check_pools(*read->address_pools);
}

}  // namespace ccm::fuzz
