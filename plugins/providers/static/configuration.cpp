#include "configuration.hpp"

#include "fields.hpp"
#include "yaml/yaml.hpp"

#include <ccm/label_syntax.hpp>

#include <set>
#include <string>
#include <utility>

namespace ccm::static_provider {
namespace {

using nlohmann::json;

// Some 20,000 machines.
constexpr std::size_t kMostValues = 400'000;

NodeAddress read_node_address(const json& item, const std::string& place) {
  const Fields fields(item, place, {"type", "address"});
  NodeAddress address{fields.required_text("type"), fields.required_text("address")};
  if (address.type == "Hostname" || address.type == "InternalDNS" ||
      address.type == "ExternalDNS") {
    return address;
  }
  if (address.type != "InternalIP" && address.type != "ExternalIP") {
    fields.refuse("type", address.type +
                              " is none of InternalIP, ExternalIP, Hostname, InternalDNS, "
                              "ExternalDNS");
  }
  const auto ip = parse_address(address.address);
  if (!ip) fields.refuse("address", address.address + " is no IP address");
  address.address = ip->text();
  return address;
}

// A text that becomes a label of the Node.
std::string read_label_value(const Fields& fields, const std::string& name) {
  std::string value = fields.text(name);
  if (!is_label_value(value)) fields.refuse(name, value + " cannot be the value of a label");
  return value;
}

std::vector<Label> read_labels(const Fields& node) {
  std::vector<Label> labels;
  const json map = node.map("labels");
  for (const auto& [key, value] : map.items()) {
    if (!is_label_key(key)) node.refuse("labels", key + " cannot be the key of a label");
    if (!value.is_string() || !is_label_value(value.get<std::string>())) {
      node.refuse("labels", "the value of " + key + " cannot be the value of a label");
    }
    labels.push_back({key, value.get<std::string>()});
  }
  return labels;
}

Instance read_node(const json& item, const std::string& place) {
  const Fields fields(
      item, place,
      {"name", "providerID", "instanceType", "zone", "region", "shutdown", "addresses", "labels"});
  Instance node;
  node.name = fields.required_text("name");
  node.provider_id = fields.text("providerID");
  if (node.provider_id.empty()) node.provider_id = std::string(kProviderIdPrefix) + node.name;
  if (!node.provider_id.starts_with(kProviderIdPrefix) ||
      node.provider_id.size() == kProviderIdPrefix.size()) {
    fields.refuse("providerID", node.provider_id + " does not begin with static:// and go on");
  }
  node.instance_type = read_label_value(fields, "instanceType");
  node.zone = read_label_value(fields, "zone");
  node.region = read_label_value(fields, "region");
  node.state = fields.flag("shutdown", false) ? InstanceState::shutdown : InstanceState::running;
  const std::vector<json> addresses = fields.list("addresses");
  if (addresses.empty()) fields.refuse("addresses", "missing; a Node waits for its addresses");
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string at = place_of_item(fields.place_of("addresses"), i);
    node.addresses.push_back(read_node_address(addresses[i], at));
  }
  node.labels = read_labels(fields);
  return node;
}

std::vector<Instance> read_nodes(const Fields& top) {
  std::vector<Instance> nodes;
  std::set<std::string> names;
  std::set<std::string> ids;
  // Without a list every Node would lose its machine.
  if (!top.has("nodes")) top.refuse("nodes", "a list is wanted; [] when there is no machine");
  const std::vector<json> items = top.list("nodes");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string place = place_of_item("nodes", i);
    Instance node = read_node(items[i], place);
    if (!names.insert(node.name).second) {
      throw ConfigurationFault(place + ".name: " + node.name + " is given twice");
    }
    if (!ids.insert(node.provider_id).second) {
      throw ConfigurationFault(place + ".providerID: " + node.provider_id + " is given twice");
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

AddressPool read_pool(const json& item, const std::string& place) {
  const Fields fields(item, place, {"name", "addresses", "autoAssign"});
  AddressPool pool;
  pool.name = fields.required_text("name");
  pool.auto_assign = fields.flag("autoAssign", true);
  const std::vector<json> ranges = fields.list("addresses");
  if (ranges.empty()) fields.refuse("addresses", "missing");
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto range =
        ranges[i].is_string() ? parse_range(ranges[i].get<std::string>()) : std::nullopt;
    if (!range) {
      throw ConfigurationFault(place_of_item(fields.place_of("addresses"), i) +
                               ": 192.0.2.0/28, 192.0.2.10-192.0.2.20 or one address is wanted");
    }
    pool.ranges.push_back(*range);
  }
  return pool;
}

// An address belongs to one pool for certain, and no pool has an address twice.
void check_overlaps(const std::vector<AddressPool>& pools) {
  std::vector<std::pair<const AddressRange*, std::string>> seen;
  for (std::size_t p = 0; p < pools.size(); ++p) {
    for (std::size_t r = 0; r < pools[p].ranges.size(); ++r) {
      const AddressRange& range = pools[p].ranges[r];
      const std::string place = place_of_item(place_of_item("addressPools", p) + ".addresses", r);
      for (const auto& [other, where] : seen) {
        if (range.overlaps(*other)) throw ConfigurationFault(place + ": overlaps " + where);
      }
      seen.emplace_back(&range, place);
    }
  }
}

std::vector<AddressPool> read_pools(const Fields& top) {
  std::vector<AddressPool> pools;
  std::set<std::string> names;
  const std::vector<json> items = top.list("addressPools");
  if (items.empty()) {
    top.refuse("addressPools", "empty; leave it out to leave load balancers alone");
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string place = place_of_item("addressPools", i);
    AddressPool pool = read_pool(items[i], place);
    if (!names.insert(pool.name).second) {
      throw ConfigurationFault(place + ".name: " + pool.name + " is given twice");
    }
    pools.push_back(std::move(pool));
  }
  check_overlaps(pools);
  return pools;
}

Configuration read_configuration(const json& document) {
  const Fields top(document, "", {"nodes", "addressPools"});
  if (!document.contains("nodes") && !document.contains("addressPools")) {
    throw ConfigurationFault("neither nodes nor addressPools are given");
  }
  Configuration configuration;
  if (document.contains("nodes")) configuration.nodes = read_nodes(top);
  if (document.contains("addressPools")) configuration.address_pools = read_pools(top);
  return configuration;
}

}  // namespace

Result<Configuration> parse_configuration(std::string_view text) {
  const auto document = parse_yaml(text, kMostValues);
  if (!document.ok()) return document.status();
  try {
    return read_configuration(*document);
  } catch (const ConfigurationFault& fault) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec, fault.what())
        .with_reason("InvalidConfiguration");
  }
}

}  // namespace ccm::static_provider
