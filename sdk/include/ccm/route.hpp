// A route of the cloud's network as a value. ccm/abi/routes.h says what each field means.
#pragma once

#include <ccm/abi/routes.h>
#include <ccm/detail/c_arrays.hpp>
#include <ccm/instances.hpp>
#include <ccm/object.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ccm {

struct Route {
  std::string id;         // the cloud's name of it; empty for one to be added
  std::string name_hint;  // for one to be added
  std::string destination_cidr;
  std::string target_node;         // the Node's name; empty = not known
  std::string target_provider_id;  // for one to be added; may be empty
  std::vector<NodeAddress> target_addresses;
  bool owned = false;      // this cluster's manager made it, as far as the cloud can show
  bool blackhole = false;  // its target does not exist any more
  Object node;             // for one to be added; may be empty
};

struct RouteLimits {
  int64_t routes = 0;                    // that the table holds; 0 = not known
  int64_t batch = 0;                     // changes of one apply; 0 = any number
  bool uses_addresses = false;           // a route is wrong when its Node's addresses differ
  std::chrono::milliseconds timeout{0};  // of one operation; 0 = 120 s, of a listing 60 s
};

namespace detail {

// The C form of routes. OWNERSHIP: borrows from the routes that it was made of.
class RoutesC {
 public:
  explicit RoutesC(const std::vector<Route>& routes) {
    addresses_.reserve(routes.size());
    raw_.reserve(routes.size());
    for (const Route& route : routes) {
      addresses_.push_back(addresses_to_c(route.target_addresses));
      ccm_route& raw = raw_.emplace_back(sized<ccm_route>());
      raw.flags =
          bit_if(route.owned, CCM_ROUTE_OWNED) | bit_if(route.blackhole, CCM_ROUTE_BLACKHOLE);
      raw.id = c_str(route.id);
      raw.name_hint = c_str(route.name_hint);
      raw.destination_cidr = c_str(route.destination_cidr);
      raw.target_node = c_str(route.target_node);
      raw.target_provider_id = c_str(route.target_provider_id);
      raw.target_addresses = addresses_.back().data();
      raw.target_address_count = addresses_.back().size();
      raw.node = route.node.get();
    }
    pointers_ = pointers_to(raw_);
    list_.routes = pointers_.data();
    list_.count = pointers_.size();
  }
  explicit RoutesC(const std::vector<Route>&&) = delete;  // it would be gone
  RoutesC(const RoutesC&) = delete;
  RoutesC& operator=(const RoutesC&) = delete;

  [[nodiscard]] const ccm_route_list* list() const { return &list_; }
  [[nodiscard]] const ccm_route* const* data() const { return pointers_.data(); }
  [[nodiscard]] size_t size() const { return pointers_.size(); }

 private:
  std::vector<std::vector<ccm_node_address>> addresses_;
  std::vector<ccm_route> raw_;
  std::vector<const ccm_route*> pointers_;
  ccm_route_list list_ = sized<ccm_route_list>();
};

// The C form of the outcomes of a batch. OWNERSHIP: borrows from the statuses.
class RouteResultsC {
 public:
  explicit RouteResultsC(const std::vector<Status>& statuses) {
    raw_.reserve(statuses.size());
    for (const Status& status : statuses) raw_.push_back(status.to_c());
    pointers_ = pointers_to(raw_);
    results_.statuses = pointers_.data();
    results_.count = pointers_.size();
  }
  explicit RouteResultsC(const std::vector<Status>&&) = delete;  // it would be gone
  RouteResultsC(const RouteResultsC&) = delete;
  RouteResultsC& operator=(const RouteResultsC&) = delete;

  [[nodiscard]] const ccm_route_results* get() const { return &results_; }

 private:
  std::vector<ccm_status> raw_;
  std::vector<const ccm_status*> pointers_;
  ccm_route_results results_ = sized<ccm_route_results>();
};

template <>
inline constexpr uint32_t kKnownFlags<ccm_route> = CCM_ROUTE_OWNED | CCM_ROUTE_BLACKHOLE;
template <>
struct Inner<ccm_apply_routes_request> {
  static bool understood(const ccm_apply_routes_request& request) {
    return all_understood(request.remove, request.remove_count) &&
           all_understood(request.add, request.add_count);
  }
};

inline std::vector<Route> routes_from_c(ObjectHost objects, const ccm_route* const* raw,
                                        size_t count) {
  std::vector<Route> routes;
  routes.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const ccm_route from = known(raw[i]);
    Route& route = routes.emplace_back();
    route.id = view(from.id);
    route.name_hint = view(from.name_hint);
    route.destination_cidr = view(from.destination_cidr);
    route.target_node = view(from.target_node);
    route.target_provider_id = view(from.target_provider_id);
    route.target_addresses = addresses_from_c(from.target_addresses, from.target_address_count);
    route.owned = (from.flags & CCM_ROUTE_OWNED) != 0;
    route.blackhole = (from.flags & CCM_ROUTE_BLACKHOLE) != 0;
    route.node = Object(objects, from.node);
  }
  return routes;
}

inline std::vector<Status> route_results_from_c(const ccm_route_results& given) {
  const ccm_route_results raw = known(&given);
  std::vector<Status> statuses;
  statuses.reserve(raw.count);
  for (size_t i = 0; i < raw.count; ++i) statuses.push_back(Status::from_c(raw.statuses[i]));
  return statuses;
}

inline RouteLimits route_limits_from_c(const ccm_route_limits& given) {
  const ccm_route_limits raw = known(&given);
  return {raw.routes, raw.batch, (raw.flags & CCM_ROUTES_USE_ADDRESSES) != 0,
          std::chrono::milliseconds(raw.timeout_ms)};
}
inline ccm_route_limits limits_to_c(const RouteLimits& limits) {
  ccm_route_limits raw = sized<ccm_route_limits>();
  raw.flags = bit_if(limits.uses_addresses, CCM_ROUTES_USE_ADDRESSES);
  raw.routes = limits.routes;
  raw.batch = limits.batch;
  raw.timeout_ms = limits.timeout.count();
  return raw;
}

}  // namespace detail

}  // namespace ccm
