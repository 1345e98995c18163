#include "cloud/broker/routes_service.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ccm::plugin {

void RoutesService::list(void* self, const ccm_ctx* ctx, ccm_str cluster_name,
                         ccm_completion done) noexcept {
  call(self, ctx, done, "routes.list",
       [cluster = std::string(view(cluster_name))](RoutesBroker& broker,
                                                   const ServiceOperation& running) {
         broker.list(cluster, running->context(),
                     ending_with<std::vector<Route>>(
                         running, [](HostOperation& operation, const std::vector<Route>& listed) {
                           const detail::RoutesC raw(listed);
                           operation.end({}, raw.list());
                         }));
       });
}

void RoutesService::apply(void* self, const ccm_ctx* ctx, ccm_str cluster_name,
                          const ccm_route* const* removals, size_t removal_count,
                          const ccm_route* const* additions, size_t addition_count,
                          ccm_completion done) noexcept {
  auto remove = read_routes(removals, removal_count);
  auto add = read_routes(additions, addition_count);
  const Status malformed = !remove.ok() ? remove.status() : add.status();
  auto changes = std::make_shared<RoutesBroker::Changes>();
  if (malformed.ok()) {
    *changes = {std::string(view(cluster_name)), *std::move(remove), *std::move(add)};
  }
  call(self, ctx, done, "routes.apply",
       [malformed, changes](RoutesBroker& broker, const ServiceOperation& running) {
         if (!malformed.ok()) return running->end(malformed);
         broker.apply(std::move(*changes), running->context(),
                      ending_with<std::vector<Status>>(
                          running, [](HostOperation& operation, const std::vector<Status>& made) {
                            const detail::RouteResultsC raw(made);
                            operation.end({}, raw.get());
                          }));
       });
}

void RoutesService::limits(void* self, const ccm_ctx* ctx, ccm_completion done) noexcept {
  call(self, ctx, done, "routes.limits", [](RoutesBroker& broker, const ServiceOperation& running) {
    broker.limits(
        running->context(),
        ending_with<RouteLimits>(running, [](HostOperation& operation, const RouteLimits& limits) {
          const ccm_route_limits raw{
              sizeof(raw), detail::bit_if(limits.uses_addresses, CCM_ROUTES_USE_ADDRESSES),
              limits.routes, limits.batch};
          operation.end({}, &raw);
        }));
  });
}

const void* RoutesService::table() const {
  static const ccm_cloud_routes table{sizeof(table), 0, &list, &apply, &limits};
  return &table;
}

}  // namespace ccm::plugin
