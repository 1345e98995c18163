#include "cloud/broker/routes_service.hpp"

#include "plugin/host_services/host_operation.hpp"

#include <string>
#include <utility>

namespace ccm::plugin {

using ApplyingPtr = std::shared_ptr<HostOperation>;

void RoutesService::list(void* self, const ccm_ctx* ctx, ccm_str cluster_name,
                         ccm_completion done) noexcept {
  auto& service = *static_cast<RoutesService*>(self);
  const auto component = service.component();
  if (!component) return;
  auto start = [broker = service.broker_,
                cluster = std::string(view(cluster_name))](const ApplyingPtr& running) {
    broker->list(cluster, running->context(), [running](const Result<std::vector<Route>>& listed) {
      if (running->ended()) return;
      if (!listed.ok()) return running->end(listed.status());
      const detail::RoutesC raw(*listed);
      running->end({}, raw.list());
    });
  };
  HostOperation::begin(component, ctx, done, "routes.list", std::move(start));
}

void RoutesService::apply(void* self, const ccm_ctx* ctx, ccm_str cluster_name,
                          const ccm_route* const* removals, size_t removal_count,
                          const ccm_route* const* additions, size_t addition_count,
                          ccm_completion done) noexcept {
  auto& service = *static_cast<RoutesService*>(self);
  const auto component = service.component();
  if (!component) return;
  auto remove = read_routes(removals, removal_count);
  auto add = read_routes(additions, addition_count);
  const Status malformed = !remove.ok() ? remove.status() : add.status();
  auto changes = std::make_shared<RoutesBroker::Changes>();
  if (malformed.ok()) {
    *changes = {std::string(view(cluster_name)), *std::move(remove), *std::move(add)};
  }
  auto start = [broker = service.broker_, malformed, changes](const ApplyingPtr& running) {
    if (!malformed.ok()) return running->end(malformed);
    broker->apply(std::move(*changes), running->context(),
                  [running](const Result<std::vector<Status>>& outcome) {
                    if (running->ended()) return;
                    if (!outcome.ok()) return running->end(outcome.status());
                    const detail::RouteResultsC raw(*outcome);
                    running->end({}, raw.get());
                  });
  };
  HostOperation::begin(component, ctx, done, "routes.apply", std::move(start));
}

void RoutesService::limits(void* self, const ccm_ctx* ctx, ccm_completion done) noexcept {
  auto& service = *static_cast<RoutesService*>(self);
  const auto component = service.component();
  if (!component) return;
  auto start = [broker = service.broker_](const ApplyingPtr& running) {
    broker->limits(running->context(), [running](const Result<RouteLimits>& outcome) {
      if (running->ended()) return;
      if (!outcome.ok()) return running->end(outcome.status());
      const ccm_route_limits raw{sizeof(raw),
                                 detail::bit_if(outcome->uses_addresses, CCM_ROUTES_USE_ADDRESSES),
                                 outcome->routes, outcome->batch};
      running->end({}, &raw);
    });
  };
  HostOperation::begin(component, ctx, done, "routes.limits", std::move(start));
}

const void* RoutesService::table() const {
  static const ccm_cloud_routes table{sizeof(table), 0, &list, &apply, &limits};
  return &table;
}

}  // namespace ccm::plugin
