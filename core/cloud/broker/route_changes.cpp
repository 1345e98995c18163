#include "cloud/broker/route_changes.hpp"

#include "cloud/broker/abi_structs.hpp"
#include "plugin/dispatch.hpp"

#include <algorithm>
#include <unordered_map>

namespace ccm::cloud {

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
  const ccm_route_list raw = known(static_cast<const ccm_route_list*>(result));
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
  const ccm_route_results raw = known(static_cast<const ccm_route_results*>(result));
  if (!sound_list(raw.statuses, raw.count, kThingLimit)) return malformed_routes();
  std::vector<Status> statuses;
  statuses.reserve(raw.count);
  for (std::size_t index = 0; index < raw.count; ++index) {
    if (raw.statuses[index] == nullptr) return malformed_routes();
    statuses.push_back(plugin::checked_status(raw.statuses[index]));
  }
  return statuses;
}

Result<RouteLimits> copy_route_limits(const void* result) {
  if (result == nullptr) return malformed_routes();
  return detail::route_limits_from_c(*static_cast<const ccm_route_limits*>(result));
}

namespace {

class Batches {
 public:
  explicit Batches(int64_t limit) : limit_(limit > 0 ? static_cast<std::size_t>(limit) : 0) {}

  // The batch with room for that many more changes.
  RouteBatch& with_room(std::size_t changes) {
    if (all.empty() || (limit_ > 0 && size_ + changes > limit_)) {
      all.emplace_back();
      size_ = 0;
    }
    size_ += changes;
    return all.back();
  }

  std::vector<RouteBatch> all;

 private:
  const std::size_t limit_;
  std::size_t size_ = 0;  // changes in the last batch
};

}  // namespace

std::vector<RouteBatch> batches_of(const std::vector<Route>& all_removals,
                                   const std::vector<std::size_t>& removals,
                                   const std::vector<Route>& additions, int64_t limit) {
  std::unordered_set<std::string_view> added;
  for (const Route& route : additions) added.insert(route.destination_cidr);
  Batches batches(limit);
  std::unordered_map<std::string_view, std::vector<std::size_t>> replaced;
  for (const std::size_t index : removals) {
    const std::string_view destination = all_removals[index].destination_cidr;
    if (added.contains(destination)) {
      replaced[destination].push_back(index);
    } else {
      batches.with_room(1).removals.push_back(index);
    }
  }
  for (std::size_t index = 0; index < additions.size(); ++index) {
    // The first addition of a destination takes all of them.
    const auto gone = replaced.extract(additions[index].destination_cidr);
    const std::size_t changes = 1 + (gone.empty() ? 0 : gone.mapped().size());
    RouteBatch& batch = batches.with_room(changes);
    if (!gone.empty()) {
      batch.removals.insert(batch.removals.end(), gone.mapped().begin(), gone.mapped().end());
    }
    batch.additions.push_back(index);
  }
  return std::move(batches.all);
}

}  // namespace ccm::cloud
