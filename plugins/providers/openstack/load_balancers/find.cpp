// The load balancer of a Service among those of the cloud (OS-226..OS-229).
#include "operations.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::openstack {
namespace {

std::array<std::string, 2> possible_names(const LoadBalancerService& service) {
  return {load_balancer_name(service), service.default_name};
}

}  // namespace

Task<Result<LoadBalancers::Found>> LoadBalancers::find(Ctx ctx,
                                                       const LoadBalancerService& service) {
  const std::string id = service.adopt_id.empty() ? service.id : service.adopt_id;
  Found foreign;
  if (!id.empty()) {  // one that is gone is made again (OS-259, OS-428)
    auto found = co_await octavia_.find(ctx, id);
    if (!found.ok()) co_return found;
    if (*found) {
      const auto whose = co_await claim(ctx, service, **found);
      if (!whose.ok()) co_return whose.status();
      if (*whose != Claim::none) co_return found;
      foreign = *std::move(found);
    }
  }
  auto marked = co_await octavia_.with_tag(ctx, service_mark(service));
  if (!marked.ok()) co_return marked.status();
  if (marked->empty()) {
    auto named = co_await find_by_name(ctx, service);
    if (!named.ok() || *named) co_return named;
    co_return foreign;
  }
  // One that is being deleted counts last.
  const auto place = std::find_if(marked->begin(), marked->end(),
                                  [](const auto& one) { return one.status != "PENDING_DELETE"; });
  co_return Found(place != marked->end() ? *place : marked->front());
}

// OS-226. The name alone proves nothing (OS-229): a cluster of the same name may have it.
Task<Result<LoadBalancers::Found>> LoadBalancers::find_by_name(Ctx ctx,
                                                               const LoadBalancerService& service) {
  const std::array<std::string, 2> names = possible_names(service);
  for (const std::string& name : names) {
    if (name.empty()) continue;
    const auto all = co_await octavia_.with_name(ctx, name);
    if (!all.ok()) co_return all.status();
    for (const ExistingLoadBalancer& balancer : *all) {
      if (balancer.status == "PENDING_DELETE") continue;
      const auto whose = co_await claim(ctx, service, balancer);
      if (!whose.ok()) co_return whose.status();
      if (*whose == Claim::owner) co_return Found(balancer);
    }
  }
  co_return Found();
}

Task<Result<Claim>> LoadBalancers::claim(Ctx ctx, const LoadBalancerService& service,
                                         const ExistingLoadBalancer& balancer) {
  Claim made = claim_of(service, balancer);
  if (made == Claim::owner || !status_decides(service, balancer)) co_return made;
  const auto floating = co_await addresses_.floating_address(ctx, balancer);
  if (!floating.ok()) co_return floating.status();
  co_return claim_of(service, balancer, *floating);
}

}  // namespace ccm::openstack
