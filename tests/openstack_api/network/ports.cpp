#include "openstack_api/network/ports.hpp"

#include "openstack_api/network/addresses.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <utility>

namespace ccm::openstack_api {
namespace {

std::string mac_address(uint64_t number) {
  std::array<char, 18> text{};
  std::snprintf(text.data(), text.size(), "fa:16:3e:%02x:%02x:%02x",
                static_cast<unsigned>(number >> 16U & 0xFFU),
                static_cast<unsigned>(number >> 8U & 0xFFU), static_cast<unsigned>(number & 0xFFU));
  return text.data();
}

}  // namespace

json& Ports::network_of(const json& object) {
  const json& id = object.at("network_id");
  json* network = id.is_null() ? nullptr : store_.of("networks").find(id);
  if (network == nullptr) {
    refuse(404, "NetworkNotFound",
           "Network " + (id.is_null() ? "None" : id.get<std::string>()) + " could not be found.");
  }
  return *network;
}

void Ports::make_network(json& network) {
  network.update({{"status", "ACTIVE"},
                  {"subnets", json::array()},
                  {"availability_zones", json::array()},
                  {"ipv4_address_scope", nullptr},
                  {"ipv6_address_scope", nullptr},
                  {"l2_adjacency", true}});
  if (network.at("provider:network_type") == "flat") network["mtu"] = 1500;
}

void Ports::make_subnet(json& subnet) {
  json& network = network_of(subnet);
  if (subnet.at("cidr").is_null()) {
    refuse(400, "BadRequest",
           "Bad subnets request: a subnetpool must be specified in the absence of a cidr.");
  }
  const std::string cidr = subnet.at("cidr");
  const auto range = parse_range(cidr);
  if (!range) {
    refuse(400, "HTTPBadRequest",
           "Invalid input for cidr. Reason: '" + cidr + "' is not a valid IP subnet.");
  }
  for (const json& id : network.at("subnets")) {
    const auto other = parse_range(store_.of("subnets").find(id)->at("cidr"));
    if (!range->overlaps(*other)) continue;
    refuse(400, "InvalidInput",
           "Invalid input for operation: Requested subnet with cidr: " + cidr + " for network: " +
               network.at("id").get<std::string>() + " overlaps with another subnet.");
  }
  subnet["cidr"] = range->text();
  const uint32_t gateway = range->address.v6 ? 0 : 1;
  if (subnet.at("gateway_ip") == "") subnet["gateway_ip"] = range->at(gateway).text();
  if (subnet.at("allocation_pools").empty()) {
    const uint32_t last = range->size() - (range->address.v6 ? 1 : 2);
    subnet["allocation_pools"].push_back(
        {{"start", range->at(gateway + 1).text()}, {"end", range->at(last).text()}});
  }
  subnet["router:external"] = network.at("router:external");
  network["subnets"].push_back(subnet.at("id"));
}

bool Ports::is_taken(const std::string& subnet_id, const std::string& address) const {
  const json* subnet = store_.of("subnets").find(subnet_id);
  for (const json& port : store_.of("ports")) {
    for (const json& fixed : port.at("fixed_ips")) {
      if (fixed.at("ip_address") == address && fixed.at("subnet_id") == subnet_id) return true;
    }
  }
  for (const json& floating_ip : store_.of("floatingips")) {
    const bool here = floating_ip.at("floating_network_id") == subnet->at("network_id");
    if (here && floating_ip.at("floating_ip_address") == address) return true;
  }
  return false;
}

// An address of the subnet: the wanted one, or the next one that is free.
json Ports::allocate(json& subnet, const std::string& wanted) {
  const std::string id = subnet.at("id");
  if (!wanted.empty()) {
    if (is_taken(id, wanted)) {
      refuse(409, "IpAddressAlreadyAllocated",
             "IP address " + wanted + " already allocated in subnet " + id);
    }
    return {{"subnet_id", id}, {"ip_address", wanted}};
  }
  const Range range = *parse_range(subnet.at("cidr"));
  const uint32_t begin = subnet.value(".next", uint32_t{0});
  for (uint32_t tried = 0; tried < range.size(); ++tried) {
    const uint32_t offset = (begin + tried) % range.size();
    const Address address = range.at(offset);
    const bool in_pool =
        std::any_of(subnet.at("allocation_pools").begin(), subnet.at("allocation_pools").end(),
                    [&](const json& pool) {
                      const Address first = *parse_address(pool.at("start"));
                      const Address last = *parse_address(pool.at("end"));
                      return first.bytes <= address.bytes && address.bytes <= last.bytes;
                    });
    if (!in_pool || is_taken(id, address.text())) continue;
    subnet[".next"] = offset + 1;
    return {{"subnet_id", id}, {"ip_address", address.text()}};
  }
  refuse(409, "IpAddressGenerationFailure",
         "No more IP addresses available on network " + subnet.at("network_id").get<std::string>() +
             ".");
}

json Ports::fixed_ips(const json& network, const json& wanted, const std::string& port_id) {
  json list = json::array();
  const auto subnet_for = [&](const Address& address) -> json* {
    for (const json& id : network.at("subnets")) {
      json* subnet = store_.of("subnets").find(id);
      if (parse_range(subnet->at("cidr"))->contains(address)) return subnet;
    }
    return nullptr;
  };
  if (wanted.is_null()) {
    // One of each family; with SLAAC of every such subnet.
    bool has_v4 = false;
    for (const json& id : network.at("subnets")) {
      json& subnet = *store_.of("subnets").find(id);
      const bool v4 = subnet.at("ip_version") == 4;
      if (v4 && has_v4) continue;
      has_v4 = has_v4 || v4;
      list.push_back(allocate(subnet, ""));
    }
    return list;
  }
  for (const json& fixed : wanted) {
    const std::string text = fixed.value("ip_address", "");
    json* subnet = nullptr;
    if (fixed.contains("subnet_id")) {
      const std::string id = fixed.at("subnet_id");
      subnet = store_.of("subnets").find(id);
      if (subnet == nullptr || subnet->at("network_id") != network.at("id")) {
        refuse(400, "InvalidInput",
               "Invalid input for operation: Failed to create port on network " +
                   network.at("id").get<std::string>() +
                   ", because fixed_ips included invalid subnet " + id + ".");
      }
    } else if (const auto address = parse_address(text)) {
      subnet = subnet_for(*address);
    }
    if (subnet == nullptr || (!text.empty() && subnet_for(*parse_address(text)) != subnet)) {
      refuse(400, "InvalidIpForNetwork",
             "IP address " + text +
                 " is not a valid IP for any of the subnets on the specified network.");
    }
    // An address that the port has already is its own.
    const json* port = store_.of("ports").find(port_id);
    const json own = {{"subnet_id", subnet->at("id")}, {"ip_address", text}};
    const bool has = port != nullptr &&
                     std::find(port->at("fixed_ips").begin(), port->at("fixed_ips").end(), own) !=
                         port->at("fixed_ips").end();
    list.push_back(has ? own : allocate(*subnet, text));
  }
  return list;
}

void Ports::check_pairs(const json& port, json& pairs) {
  if (!pairs.empty() && !port.at("port_security_enabled")) {
    refuse(409, "AddressPairAndPortSecurityRequired",
           "Port Security must be enabled in order to have allowed address pairs on a port.");
  }
  std::set<std::string> seen;
  for (json& pair : pairs) {
    const std::string address = pair.value("ip_address", "");
    if (!parse_range(address)) {
      refuse(400, "HTTPBadRequest",
             "'" + address + "' is not a valid IP " +
                 (address.find('/') == address.npos ? "address" : "subnet"));
    }
    const std::string mac = pair.value("mac_address", "None");
    if (!seen.insert(mac + " " + address).second) {
      refuse(400, "DuplicateAddressPairInRequest",
             "Request contains duplicate address pair: mac_address " + mac + " ip_address " +
                 address + ".");
    }
    if (!pair.contains("mac_address")) pair["mac_address"] = port.at("mac_address");
  }
}

void Ports::make(json& port) {
  json& network = network_of(port);
  const std::string id = port.at("id");
  port.update(
      {{"status",
        port.at("device_owner").get<std::string>().starts_with("compute:") ? "ACTIVE" : "DOWN"},
       {"fixed_ips", fixed_ips(network, port.at("fixed_ips"), id)}});
  if (port.at("mac_address").is_null()) port["mac_address"] = mac_address(++store_.world().made);
  port["ip_allocation"] = port.at("fixed_ips").empty() ? "none" : "immediate";
  const bool guarded = port.at("port_security_enabled");
  const bool of_a_router = port.at("device_owner").get<std::string>().starts_with("network:");
  if (port.at("security_groups").is_null()) {
    port["security_groups"] = json::array();
    if (guarded && !of_a_router)
      port["security_groups"].push_back(groups_.default_group(port.at("project_id")));
  }
  groups_.check(port.at("security_groups"));
  check_pairs(port, port.at("allowed_address_pairs"));
}

json& Ports::add(const std::string& project_id, json members) {
  json port = store_.begin(*resource_at("ports"), project_id, std::move(members));
  make(port);
  return store_.of("ports").add(std::move(port));
}

void Ports::change(json& port, json changes) {
  if (changes.contains("fixed_ips")) {
    changes["fixed_ips"] = fixed_ips(network_of(port), changes.at("fixed_ips"), port.at("id"));
  }
  json changed = port;
  changed.update(changes);
  if (changes.contains("security_groups")) {
    groups_.check(changes.at("security_groups"));
    if (!changes.at("security_groups").empty() && !changed.at("port_security_enabled")) {
      refuse(400, "PortSecurityAndIPRequiredForSecurityGroups",
             "Port security must be enabled and port must have an IP address in order to use "
             "security groups.");
    }
  }
  if (changes.contains("allowed_address_pairs"))
    check_pairs(changed, changed.at("allowed_address_pairs"));
  port = std::move(changed);
}
}  // namespace ccm::openstack_api
