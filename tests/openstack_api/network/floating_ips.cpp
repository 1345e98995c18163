#include "openstack_api/network/floating_ips.hpp"

#include <utility>

namespace ccm::openstack_api {

// The router with one leg on the port's subnets and its gateway on the network.
std::string FloatingIps::router_between(const json& port, const json& external_network) const {
  for (const json& router : store_.of("routers")) {
    const json& gateway = router.at("external_gateway_info");
    if (gateway.is_null() || gateway.at("network_id") != external_network) continue;
    for (const json& leg : store_.of("ports")) {
      const bool is_leg = leg.at("device_owner") != "network:router_gateway" &&
                          leg.at("device_id") == router.at("id");
      if (is_leg && leg.at("network_id") == port.at("network_id")) return router.at("id");
    }
  }
  return {};
}

void FloatingIps::associate(json& floating_ip, const json& port_id,
                            const json& fixed_address) const {
  json changed = floating_ip;
  changed.update({{"port_id", port_id},
                  {"fixed_ip_address", nullptr},
                  {"router_id", nullptr},
                  {"status", "DOWN"}});
  if (!port_id.is_null()) {
    const std::string id = port_id;
    const json* port = store_.of("ports").find(id);
    if (port == nullptr) refuse(404, "PortNotFound", "Port " + id + " could not be found.");
    for (const json& fixed : port->at("fixed_ips")) {
      const bool v4 = fixed.at("ip_address").get<std::string>().find(':') == std::string::npos;
      const bool wanted = fixed_address.is_null() || fixed_address == fixed.at("ip_address");
      if (v4 && wanted && changed.at("fixed_ip_address").is_null())
        changed["fixed_ip_address"] = fixed.at("ip_address");
    }
    if (changed.at("fixed_ip_address").is_null()) {
      refuse(400, "BadRequest",
             "Bad floatingip request: Cannot add floating IP to port " + id +
                 " that has no fixed IPv4 addresses.");
    }
    const std::string network_id = changed.at("floating_network_id");
    for (const json& other : store_.of("floatingips")) {
      if (other.at("id") == changed.at("id") || other.at("port_id") != id ||
          other.at("fixed_ip_address") != changed.at("fixed_ip_address") ||
          other.at("floating_network_id") != network_id) {
        continue;
      }
      refuse(409, "FloatingIPPortAlreadyAssociated",
             "Cannot associate floating IP " +
                 changed.at("floating_ip_address").get<std::string>() + " (" +
                 changed.at("id").get<std::string>() + ") with port " + id + " using fixed IP " +
                 changed.at("fixed_ip_address").get<std::string>() +
                 ", as that fixed IP already has a floating IP on external network " + network_id +
                 ".");
    }
    const std::string router = router_between(*port, network_id);
    if (router.empty()) {
      refuse(404, "ExternalGatewayForFloatingIPNotFound",
             "External network " + network_id + " is not reachable from subnet " +
                 port->at("fixed_ips").at(0).at("subnet_id").get<std::string>() +
                 ".  Therefore, cannot associate Port " + id + " with a Floating IP.");
    }
    changed["router_id"] = router;
  }
  floating_ip = std::move(changed);
}

void FloatingIps::make(json& floating_ip) {
  const json& id = floating_ip.at("floating_network_id");
  const json* network = id.is_null() ? nullptr : store_.of("networks").find(id);
  if (network == nullptr) {
    refuse(404, "NetworkNotFound",
           "Network " + (id.is_null() ? "None" : id.get<std::string>()) + " could not be found.");
  }
  if (!network->at("router:external")) {
    refuse(400, "BadRequest",
           "Bad floatingip request: Network " + id.get<std::string>() +
               " is not a valid external network.");
  }
  json wanted = json::object();
  if (!floating_ip.at("subnet_id").is_null()) wanted["subnet_id"] = floating_ip.at("subnet_id");
  if (!floating_ip.at("floating_ip_address").is_null())
    wanted["ip_address"] = floating_ip.at("floating_ip_address");
  const json address =
      ports_.fixed_ips(*network, wanted.empty() ? json() : json::array({wanted}), "").at(0);
  floating_ip["floating_ip_address"] = address.at("ip_address");
  floating_ip["port_forwardings"] = json::array();
  const json port_id = floating_ip.at("port_id");
  const json fixed_address = floating_ip.at("fixed_ip_address");
  floating_ip.erase("subnet_id");
  associate(floating_ip, port_id, fixed_address);
}

void FloatingIps::leave(const std::string& port_id) {
  for (json& floating_ip : store_.of("floatingips")) {
    if (floating_ip.at("port_id") == port_id) associate(floating_ip, nullptr, nullptr);
  }
}

// An empty change takes the address off its port, a description alone does not.
void FloatingIps::change(json& floating_ip, const json& changes) const {
  if (changes.contains("port_id") || changes.empty()) {
    associate(floating_ip, changes.value("port_id", json()),
              changes.value("fixed_ip_address", json()));
  }
  if (changes.contains("description")) floating_ip["description"] = changes.at("description");
}
}  // namespace ccm::openstack_api
