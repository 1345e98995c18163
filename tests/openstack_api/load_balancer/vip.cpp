#include "openstack_api/load_balancer/vip.hpp"

#include "openstack_api/load_balancer/fields.hpp"

#include <algorithm>
#include <set>

namespace ccm::openstack_api {

const json& visible_one(Network& network, const char* collection, const char* title,
                        const std::string& id, const Caller& caller) {
  const json* record = network.records(collection).find(id);
  const bool visible = record != nullptr &&
                       (caller.sees(record->at("project_id")) || record->value("shared", false) ||
                        record->value("router:external", false));
  if (!visible) refuse_octavia(400, std::string(title) + " " + id + " not found.");
  return *record;
}

Vip make_vip(Network& network, const json& wanted, const Caller& caller, const std::string& id) {
  Vip vip;
  if (wanted.contains("vip_port_id")) {
    const json& port = visible_one(network, "ports", "Port", wanted.at("vip_port_id"), caller);
    if (const std::string user = port.at("device_id"); !user.empty()) {
      refuse_octavia(400, "Validation failure: Port " + port.at("id").get<std::string>() +
                              " is already used by device " + user + " ");
    }
    const json& fixed_ips = port.at("fixed_ips");
    if (fixed_ips.size() != 1 && !wanted.contains("vip_subnet_id") &&
        !wanted.contains("vip_address")) {
      refuse_octavia(400,
                     "Validation failure: VIP port's subnet could not be determined. Please "
                     "specify either a VIP subnet "
                     "or address.");
    }
    const auto fixed = std::find_if(fixed_ips.begin(), fixed_ips.end(), [&](const json& candidate) {
      return candidate.at("subnet_id") ==
             wanted.value("vip_subnet_id", candidate.at("subnet_id").get<std::string>());
    });
    if (fixed == fixed_ips.end())
      refuse_octavia(400, "Validation failure: Specified VIP subnet does not belong to the port.");
    vip.port_id = port.at("id");
    vip.subnet_id = fixed->at("subnet_id");
    vip.network_id = port.at("network_id");
    vip.address = fixed->at("ip_address");
    return vip;
  }
  if (wanted.contains("vip_subnet_id")) {
    const json& subnet =
        visible_one(network, "subnets", "Subnet", wanted.at("vip_subnet_id"), caller);
    vip.subnet_id = subnet.at("id");
    vip.network_id = subnet.at("network_id");
  } else {
    const json& found =
        visible_one(network, "networks", "Network", wanted.at("vip_network_id"), caller);
    vip.network_id = found.at("id");
    // IPv4 where there is both.
    for (const json& subnet_id : found.at("subnets")) {
      const json* subnet = network.records("subnets").find(subnet_id);
      if (vip.subnet_id.is_null() || subnet->at("ip_version") == 4) vip.subnet_id = subnet_id;
    }
    if (vip.subnet_id.is_null())
      refuse_octavia(400, "Validation failure: Supplied network does not contain a subnet.");
  }
  json fixed_ips = json::array({{{"subnet_id", vip.subnet_id}}});
  if (wanted.contains("vip_address")) fixed_ips[0]["ip_address"] = wanted.at("vip_address");
  std::set<std::string> used = {vip.subnet_id.get<std::string>()};
  for (const json& additional : wanted.value("additional_vips", json::array())) {
    const json& subnet =
        visible_one(network, "subnets", "Subnet", additional.at("subnet_id"), caller);
    if (!used.insert(additional.at("subnet_id")).second) {
      refuse_octavia(400,
                     "Validation failure: Duplicate VIP subnet(s) specified. Only one IP can be "
                     "bound per subnet.");
    }
    if (subnet.at("network_id") != vip.network_id) {
      refuse_octavia(400, "Validation failure: All VIP subnets must belong to the same network.");
    }
    fixed_ips.push_back({{"subnet_id", additional.at("subnet_id")}});
    if (additional.contains("ip_address"))
      fixed_ips.back()["ip_address"] = additional.at("ip_address");
  }
  try {
    const json& port = network.add("ports", caller.project_id,
                                   {{"network_id", vip.network_id},
                                    {"name", "octavia-lb-" + id},
                                    {"device_id", "lb-" + id},
                                    {"device_owner", "Octavia"},
                                    {"admin_state_up", false},
                                    {"fixed_ips", fixed_ips}});
    vip.port_id = port.at("id");
    vip.address = port.at("fixed_ips").at(0).at("ip_address");
    for (size_t i = 1; i < port.at("fixed_ips").size(); ++i) {
      const json& fixed = port.at("fixed_ips").at(i);
      vip.additional.push_back({{"subnet_id", fixed.at("subnet_id")},
                                {"ip_address", fixed.at("ip_address")},
                                {"port_id", vip.port_id}});
    }
  } catch (const Refusal& refusal) {
    const int status = refusal.answer.status;
    refuse_octavia(500,
                   std::string("Provider 'amphora' reports error: ") +
                       (status == 409 ? "ConflictException: 409" : "BadRequestException: 400"));
  }
  return vip;
}
}  // namespace ccm::openstack_api
