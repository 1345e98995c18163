// Routers with their extra routes, and floating IPs.
#include "openstack_api/network/network.hpp"

#include <algorithm>
#include <set>

namespace ccm::openstack_api {
namespace {

// As Python shows it.
std::string as_in_python(const json& routes) {
  std::string out = "[";
  for (const json& route : routes) {
    if (out.size() > 1) out += ", ";
    out += "{'destination': '" + route.value("destination", "") + "', 'nexthop': '" +
           route.value("nexthop", "") + "'}";
  }
  return out + "]";
}

}  // namespace

void Network::make_router(json& router) {
  router.update(
      {{"status", "ACTIVE"}, {"routes", json::array()}, {"availability_zones", json::array()}});
  json& gateway = router.at("external_gateway_info");
  if (gateway.is_null()) return;
  const json& network = network_of(gateway);
  gateway["enable_snat"] = true;
  gateway["external_fixed_ips"] = json::array();
  const json port = add("ports", "",
                        {{"network_id", network.at("id")},
                         {"device_id", router.at("id")},
                         {"device_owner", "network:router_gateway"}});
  gateway["external_fixed_ips"] = port.at("fixed_ips");
  router[".gw_port_id"] = port.at("id");
}

void Network::add_interface(const std::string& router_id, const std::string& subnet_id) {
  const json& router = *records_.at("routers").find(router_id);
  const json& subnet = *records_.at("subnets").find(subnet_id);
  add("ports", router.at("project_id"),
      {{"network_id", subnet.at("network_id")},
       {"device_id", router_id},
       {"device_owner", "network:router_interface"},
       {"fixed_ips",
        json::array({{{"subnet_id", subnet_id}, {"ip_address", subnet.at("gateway_ip")}}})}});
}

// The answer of add_extraroutes and remove_extraroutes.
json Network::full_router(const json& router) const {
  json out = visible(router);
  out.update({{"distributed", false},
              {"enable_default_route_bfd", false},
              {"enable_default_route_ecmp", false},
              {"gw_port_id", router.value(".gw_port_id", json())},
              {"ha", false},
              {"ha_vr_id", 0}});
  return out;
}

void Network::check_routes(const json& router, const json& routes) const {
  if (routes.size() > most_routes) {
    refuse(400, "RoutesExhausted",
           "Unable to complete operation for " + router.at("id").get<std::string>() +
               ". The number of routes exceeds the maximum " + std::to_string(most_routes) + ".");
  }
  for (const json& route : routes) {
    const auto next_hop = parse_address(route.value("nexthop", ""));
    bool connected = false;
    for (const json& port : records_.at("ports")) {
      if (port.at("device_id") != router.at("id")) continue;
      for (const json& fixed : port.at("fixed_ips")) {
        if (fixed.at("ip_address") == route.value("nexthop", "")) {
          refuse(400, "InvalidRoutes",
                 "Invalid format for routes: " + as_in_python(routes) +
                     ", the nexthop is used by router");
        }
        const json* subnet = records_.at("subnets").find(fixed.at("subnet_id"));
        connected = connected || (next_hop && parse_range(subnet->at("cidr"))->contains(*next_hop));
      }
    }
    if (connected) continue;
    refuse(400, "InvalidRoutes",
           "Invalid format for routes: " + as_in_python(routes) +
               ", the nexthop is not connected with router");
  }
}

void Network::change_routes(json& router, const json& routes) {
  for (size_t i = 0; i < routes.size(); ++i) {
    const std::string destination = routes[i].value("destination", "");
    const bool again = std::find(routes.begin(), routes.begin() + static_cast<ptrdiff_t>(i),
                                 routes[i]) != routes.begin() + static_cast<ptrdiff_t>(i);
    if (!parse_range(destination) || !parse_address(routes[i].value("nexthop", "")) || again) {
      refuse(400, "HTTPBadRequest",
             "Invalid input for routes. Reason: " +
                 std::string(again ? "Duplicate hostroute '" : "'") +
                 (again ? routes[i].dump() : destination) +
                 (again ? "'." : "' is not a valid IP subnet."));
    }
  }
  check_routes(router, routes);
  router["routes"] = routes;
}

// Not checked as a router's own are: destinations keep their host bits, and one that is there twice
// is there once.
Answer Network::extra_routes(const Call& call, json& router, bool add) {
  const json body = json::parse(call.request.body, nullptr, false);
  if (!body.is_object() || !body.contains("router"))
    refuse(400, "HTTPBadRequest", "Body contains invalid data");
  if (!body.at("router").contains("routes")) {
    refuse(500, "HTTPInternalServerError",
           "Request Failed: internal server error while processing your request.");
  }
  json routes = router.at("routes");
  for (const json& route : body.at("router").at("routes")) {
    const std::string destination = route.value("destination", "");
    if (!parse_range(destination))
      refuse(400, "AddrFormatError", "invalid IPNetwork " + destination);
    const auto place = std::find(routes.begin(), routes.end(), route);
    if (add && place == routes.end()) routes.push_back(route);
    if (!add && place != routes.end()) routes.erase(place);
  }
  if (add) check_routes(router, routes);
  if (routes != router.at("routes")) {
    router["routes"] = std::move(routes);
    touch(router);
  }
  return answer(200, {{"router", full_router(router)}});
}

// The router with one leg on the port's subnets and its gateway on the network.
std::string Network::router_between(const json& port, const json& external_network) const {
  for (const json& router : records_.at("routers")) {
    const json& gateway = router.at("external_gateway_info");
    if (gateway.is_null() || gateway.at("network_id") != external_network) continue;
    for (const json& leg : records_.at("ports")) {
      const bool is_leg = leg.at("device_owner") != "network:router_gateway" &&
                          leg.at("device_id") == router.at("id");
      if (is_leg && leg.at("network_id") == port.at("network_id")) return router.at("id");
    }
  }
  return {};
}

void Network::associate(json& floating_ip, const json& port_id, const json& fixed_address) {
  json changed = floating_ip;
  changed.update({{"port_id", port_id},
                  {"fixed_ip_address", nullptr},
                  {"router_id", nullptr},
                  {"status", "DOWN"}});
  if (!port_id.is_null()) {
    const std::string id = port_id;
    const json* port = records_.at("ports").find(id);
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
    for (const json& other : records_.at("floatingips")) {
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

void Network::make_floating_ip(json& floating_ip) {
  const json& id = floating_ip.at("floating_network_id");
  const json* network = id.is_null() ? nullptr : records_.at("networks").find(id);
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
      fixed_ips(*network, wanted.empty() ? json() : json::array({wanted}), "").at(0);
  floating_ip["floating_ip_address"] = address.at("ip_address");
  floating_ip["port_forwardings"] = json::array();
  const json port_id = floating_ip.at("port_id");
  const json fixed_address = floating_ip.at("fixed_ip_address");
  floating_ip.erase("subnet_id");
  associate(floating_ip, port_id, fixed_address);
}

// An empty change takes the address off its port, a description alone does not.
void Network::change_floating_ip(json& floating_ip, const json& changes) {
  if (changes.contains("port_id") || changes.empty()) {
    associate(floating_ip, changes.value("port_id", json()),
              changes.value("fixed_ip_address", json()));
  }
  if (changes.contains("description")) floating_ip["description"] = changes.at("description");
}

}  // namespace ccm::openstack_api
