#include "cloud/broker/route_values.hpp"

#include "cloud/broker/abi_structs.hpp"
#include "plugin/dispatch.hpp"

#include <algorithm>
#include <utility>

namespace ccm::plugin {

namespace {

bool sound_route(const ccm_route& route) {
  if (!sound_list(route.target_addresses, route.target_address_count)) return false;
  for (std::size_t index = 0; index < route.target_address_count; ++index) {
    if (!sound_name(route.target_addresses[index].address)) return false;
  }
  return sound_name(route.id) && sound_name(route.name_hint) &&
         sound_name(route.destination_cidr) && sound_name(route.target_node) &&
         sound_name(route.target_provider_id);
}

bool sound_routes(const WholeList<ccm_route>& list) {
  return list.sound() && std::all_of(list.items().begin(), list.items().end(), sound_route);
}

void repair_texts(Route& route) {
  repair(route.name_hint);
  repair(route.destination_cidr);
  repair(route.target_node);
  repair(route.target_provider_id);
  for (NodeAddress& address : route.target_addresses) {
    repair(address.type);
    repair(address.address);
  }
}

Status malformed_routes() {
  return Status(Code::internal, "the provider completed with malformed routes");
}

}  // namespace

Result<std::vector<Route>> read_routes(const ccm_route* const* routes, std::size_t count) {
  const WholeList<ccm_route> list(routes, count, kThingLimit);
  if (!sound_routes(list)) return Status(Code::invalid_argument, "malformed routes were given");
  if (!detail::all_understood(routes, count)) {
    return Status(Code::unimplemented, ErrorClass::unsupported,
                  "a route has a part that this host does not know")
        .with_reason(CCM_REASON_UNKNOWN_REQUEST);
  }
  return detail::routes_from_c(kept_objects(), list.data(), list.size());
}

Result<std::vector<Route>> copy_routes(const void* result) {
  if (result == nullptr) return malformed_routes();
  const ccm_route_list raw = whole(*static_cast<const ccm_route_list*>(result));
  // A struct that ends before the count says nothing, least of all that there are no routes.
  if (raw.size < offsetof(ccm_route_list, count) + sizeof(raw.count)) return malformed_routes();
  const WholeList<ccm_route> list(raw.routes, raw.count, kThingLimit);
  if (!sound_routes(list)) return malformed_routes();
  // Handles of objects mean nothing in an answer.
  std::vector<Route> routes = detail::routes_from_c({}, list.data(), list.size());
  for (Route& route : routes) {
    if (!is_utf8(route.id)) return malformed_routes();
    repair_texts(route);
  }
  return routes;
}

Result<std::vector<Status>> copy_route_results(const void* result) {
  if (result == nullptr) return malformed_routes();
  const ccm_route_results raw = whole(*static_cast<const ccm_route_results*>(result));
  if (!sound_list(raw.statuses, raw.count, kThingLimit)) return malformed_routes();
  std::vector<Status> statuses;
  statuses.reserve(raw.count);
  for (std::size_t index = 0; index < raw.count; ++index) {
    if (raw.statuses[index] == nullptr) return malformed_routes();
    statuses.push_back(checked_status(raw.statuses[index]));
  }
  return statuses;
}

Result<RouteLimits> copy_route_limits(const void* result) {
  if (result == nullptr) return malformed_routes();
  return detail::route_limits_from_c(*static_cast<const ccm_route_limits*>(result));
}

}  // namespace ccm::plugin
