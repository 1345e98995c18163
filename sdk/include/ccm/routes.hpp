// Routes of the cloud's network from a controller's side: the host's broker stands before the
// provider.
#pragma once

#include <ccm/abi/routes.h>
#include <ccm/ctx.hpp>
#include <ccm/detail/limits_call.hpp>
#include <ccm/detail/operation.hpp>
#include <ccm/route.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ccm {

// Routes from a controller's side. Empty when the provider has none.
class Routes {
  using Host = Service<ccm_cloud_routes>;

 public:
  struct List {
    using Output = Result<std::vector<Route>>;
    Host host;
    Ctx ctx;
    std::string cluster_name;
    Status start(ccm_completion done) const {
      auto request = sized<ccm_list_routes_request>();
      request.cluster_name = c_str(cluster_name);
      return detail::begin_call(host, &ccm_cloud_routes::list, CCM_CLOUD_ROUTES, "list", ctx,
                                request, done);
    }
    Output decode(Status status, const void* result) const {
      if (!status.ok()) return status;
      const auto* given = static_cast<const ccm_route_list*>(result);
      if (given == nullptr || !CCM_HAS(given, count)) {
        return Status(Code::internal, "a route list is missing");
      }
      const ccm_route_list raw = known(given);
      return detail::routes_from_c({}, raw.routes, raw.count);
    }
  };
  struct Apply {
    using Output = Result<std::vector<Status>>;
    Host host;
    Ctx ctx;
    std::string cluster_name;
    std::vector<Route> removals;
    std::vector<Route> additions;
    Status start(ccm_completion done) const {
      const detail::RoutesC remove(removals);
      const detail::RoutesC add(additions);
      auto request = sized<ccm_apply_routes_request>();
      request.cluster_name = c_str(cluster_name);
      request.remove = remove.data();
      request.remove_count = remove.size();
      request.add = add.data();
      request.add_count = add.size();
      return detail::begin_call(host, &ccm_cloud_routes::apply, CCM_CLOUD_ROUTES, "apply", ctx,
                                request, done);
    }
    Output decode(Status status, const void* result) const {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "the outcome of the routes is missing");
      const ccm_route_results raw = known(static_cast<const ccm_route_results*>(result));
      if (raw.count != removals.size() + additions.size()) {
        return Status(Code::internal, "apply answered for another number of routes");
      }
      return detail::route_results_from_c(raw);
    }
  };
  struct Limits : detail::LimitsCall<ccm_cloud_routes, RouteLimits, ccm_route_limits,
                                     detail::route_limits_from_c> {
    Status start(ccm_completion done) const { return start_of(CCM_CLOUD_ROUTES, done); }
  };

  Routes() = default;
  explicit Routes(Host host) : host_(host) {}
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(host_); }

  // Every route of the cluster's table, foreign ones included.
  [[nodiscard]] Operation<List> list(Ctx ctx, std::string cluster_name) const {
    return Operation<List>(List{host_, std::move(ctx), std::move(cluster_name)});
  }
  // Removes, then adds. The outcome of each change in that order.
  [[nodiscard]] Operation<Apply> apply(Ctx ctx, std::string cluster_name,
                                       std::vector<Route> removals,
                                       std::vector<Route> additions) const {
    return Operation<Apply>(Apply{host_, std::move(ctx), std::move(cluster_name),
                                  std::move(removals), std::move(additions)});
  }
  [[nodiscard]] Operation<Limits> limits(Ctx ctx) const {
    return Operation<Limits>(Limits{host_, std::move(ctx)});
  }

 private:
  Host host_;
};

}  // namespace ccm
