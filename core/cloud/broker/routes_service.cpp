#include "cloud/broker/routes_service.hpp"

#include "cloud/broker/abi_structs.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ccm::plugin {

void RoutesService::list(void* self, ccm_ctx ctx, const ccm_list_routes_request* request,
                         ccm_completion done) noexcept {
  call(self, ctx, done, "routes.list", check_request(request),
       [cluster = std::string(view(known(request).cluster_name))](
           RoutesBroker& broker, const HostOperation::Ptr& running) {
         broker.list(cluster, running->context(),
                     ending_with<std::vector<Route>>(
                         running, [](HostOperation& operation, const std::vector<Route>& listed) {
                           const detail::RoutesC raw(listed);
                           operation.end({}, raw.list());
                         }));
       });
}

void RoutesService::apply(void* self, ccm_ctx ctx, const ccm_apply_routes_request* given,
                          ccm_completion done) noexcept {
  const ccm_apply_routes_request request = known(given);
  Status wrong = check_request(given);
  auto remove = read_routes(request.remove, request.remove_count);
  auto add = read_routes(request.add, request.add_count);
  if (wrong.ok()) wrong = !remove.ok() ? remove.status() : add.status();
  auto changes = std::make_shared<RoutesBroker::Changes>();
  if (wrong.ok()) {
    *changes = {std::string(view(request.cluster_name)), *std::move(remove), *std::move(add)};
  }
  call(self, ctx, done, "routes.apply", std::move(wrong),
       [changes](RoutesBroker& broker, const HostOperation::Ptr& running) {
         broker.apply(std::move(*changes), running->context(),
                      ending_with<std::vector<Status>>(
                          running, [](HostOperation& operation, const std::vector<Status>& made) {
                            const detail::RouteResultsC raw(made);
                            operation.end({}, raw.get());
                          }));
       });
}

void RoutesService::limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                           ccm_completion done) noexcept {
  call(self, ctx, done, "routes.limits", check_request(request),
       [](RoutesBroker& broker, const HostOperation::Ptr& running) {
         broker.limits(running->context(),
                       ending_with<RouteLimits>(
                           running, [](HostOperation& operation, const RouteLimits& limits) {
                             const ccm_route_limits raw = detail::limits_to_c(limits);
                             operation.end({}, &raw);
                           }));
       });
}

const ccm_cloud_routes RoutesService::kTable{sizeof(kTable), 0, &list, &apply, &limits};

}  // namespace ccm::plugin
