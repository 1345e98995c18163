#include "openstack_api/network/routers.hpp"

#include "openstack_api/network/addresses.hpp"

#include <algorithm>
#include <set>
#include <utility>

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

// The answer of add_extraroutes and remove_extraroutes.
json full_router(const json& router) {
  json out = visible(router);
  out.update({{"distributed", false},
              {"enable_default_route_bfd", false},
              {"enable_default_route_ecmp", false},
              {"gw_port_id", router.value(".gw_port_id", json())},
              {"ha", false},
              {"ha_vr_id", 0}});
  return out;
}

}  // namespace

void Routers::make(json& router) {
  router.update(
      {{"status", "ACTIVE"}, {"routes", json::array()}, {"availability_zones", json::array()}});
  json& gateway = router.at("external_gateway_info");
  if (gateway.is_null()) return;
  const json& network = ports_.network_of(gateway);
  gateway["enable_snat"] = true;
  gateway["external_fixed_ips"] = json::array();
  const json port = ports_.add("", {{"network_id", network.at("id")},
                                    {"device_id", router.at("id")},
                                    {"device_owner", "network:router_gateway"}});
  gateway["external_fixed_ips"] = port.at("fixed_ips");
  router[".gw_port_id"] = port.at("id");
}

void Routers::add_interface(const std::string& router_id, const std::string& subnet_id) {
  const json& router = *store_.of("routers").find(router_id);
  const json& subnet = *store_.of("subnets").find(subnet_id);
  ports_.add(
      router.at("project_id"),
      {{"network_id", subnet.at("network_id")},
       {"device_id", router_id},
       {"device_owner", "network:router_interface"},
       {"fixed_ips",
        json::array({{{"subnet_id", subnet_id}, {"ip_address", subnet.at("gateway_ip")}}})}});
}

void Routers::check_routes(const json& router, const json& routes) const {
  if (routes.size() > most_routes_) {
    refuse(400, "RoutesExhausted",
           "Unable to complete operation for " + router.at("id").get<std::string>() +
               ". The number of routes exceeds the maximum " + std::to_string(most_routes_) + ".");
  }
  for (const json& route : routes) {
    const auto next_hop = parse_address(route.value("nexthop", ""));
    bool connected = false;
    for (const json& port : store_.of("ports")) {
      if (port.at("device_id") != router.at("id")) continue;
      for (const json& fixed : port.at("fixed_ips")) {
        if (fixed.at("ip_address") == route.value("nexthop", "")) {
          refuse(400, "InvalidRoutes",
                 "Invalid format for routes: " + as_in_python(routes) +
                     ", the nexthop is used by router");
        }
        const json* subnet = store_.of("subnets").find(fixed.at("subnet_id"));
        connected = connected || (next_hop && parse_range(subnet->at("cidr"))->contains(*next_hop));
      }
    }
    if (connected) continue;
    refuse(400, "InvalidRoutes",
           "Invalid format for routes: " + as_in_python(routes) +
               ", the nexthop is not connected with router");
  }
}

void Routers::change_routes(json& router, const json& routes) const {
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
Answer Routers::extra_routes(const Call& call, json& router, bool add) const {
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
    store_.touch(router);
  }
  return answer(200, {{"router", full_router(router)}});
}
}  // namespace ccm::openstack_api
