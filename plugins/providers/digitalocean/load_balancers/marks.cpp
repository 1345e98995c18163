#include "marks.hpp"

#include "digitalocean/load_balancers/ownership.hpp"

#include <ccm/percent_encode.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace ccm::digitalocean {
namespace {

constexpr const char* kResourceType = "load_balancer";

// Tags of another Service, and of any other cluster.
std::vector<std::string> tags_of_others(const ExistingLoadBalancer& balancer,
                                        const std::string& service_uid,
                                        const std::string& cluster_tag) {
  std::vector<std::string> others;
  for (const std::string& tag : balancer.tags.value_or(std::vector<std::string>())) {
    const auto service = marked_service(tag);
    const bool theirs =
        service ? *service != service_uid : tag.starts_with("k8s:") && tag != cluster_tag;
    if (theirs) others.push_back(tag);
  }
  return others;
}

}  // namespace

bool Marks::due(const std::string& tag, const ExistingLoadBalancer& existing) const {
  if (!allowed_ || tag.empty() || !existing.tags) return false;
  const auto service = marked_service(tag);
  return std::none_of(existing.tags->begin(), existing.tags->end(), [&](const std::string& each) {
    return each == tag || (service && marked_service(each) == service);
  });
}

Task<void> Marks::put(Ctx ctx, const WantedLoadBalancer& wanted, ExistingLoadBalancer& existing) {
  if (due(wanted.cluster_tag, existing)) {
    (void)co_await send(ctx, TagChange::add, wanted.cluster_tag, existing);
  }
  if (due(wanted.mark, existing)) {
    (void)co_await send(ctx, TagChange::add, wanted.mark, existing);
  }
}

Task<void> Marks::take_over(Ctx ctx, const LoadBalancerService& service,
                            const WantedLoadBalancer& wanted, ExistingLoadBalancer& existing) {
  WantedLoadBalancer marked = wanted;
  const auto others = tags_of_others(existing, service.uid, wanted.cluster_tag);
  for (const std::string& tag : others) {
    const bool removed = co_await send(ctx, TagChange::remove, tag, existing);
    // If the other mark cannot be removed, ours is added to it.
    if (!removed) marked.mark = api_.settings().service_tag(service);
  }
  co_await put(ctx, marked, existing);
}

Task<bool> Marks::send(Ctx ctx, TagChange change, std::string tag, ExistingLoadBalancer& existing) {
  std::string type = kResourceType;
  std::vector<std::string> ids = {existing.id};
  Status status = co_await change_tag(api_, ctx, change, tag, type, ids);
  if (!status.ok()) {
    if (status.code() == Code::permission_denied) {
      refused(status);
    } else {
      host_.log.warning("Could not change a tag of a load balancer",
                        {{"tag", tag}, {"err", status}});
    }
  } else if (change == TagChange::add) {
    existing.tags->push_back(tag);
  } else {
    std::erase(*existing.tags, tag);
  }
  co_return status.ok();
}

Task<void> Marks::drop(Ctx ctx, const LoadBalancerService& service,
                       const ExistingLoadBalancer& deleted) {
  for (const std::string& tag : deleted.tags.value_or(std::vector<std::string>())) {
    if (!marked_service(tag) || *marked_service(tag) != service.uid) continue;
    Call call;
    call.method = "DELETE";
    call.path = "/v2/tags/" + percent_encode(tag);
    call.operation = "DeleteTag";
    auto body = co_await api_.call(ctx, std::move(call));
    if (!body.ok() && body.status().error_class() != ErrorClass::not_found) {
      host_.log.v(2, "The tag of a deleted load balancer is left in the account",
                  {{"tag", tag}, {"err", body.status()}});
    }
  }
}

void Marks::refused(const Status& status) {
  if (!std::exchange(allowed_, false)) return;
  host_.log.warning(
      "The token may not change tags, so load balancers get none: give it tag:create and "
      "tag:delete",
      {{"err", status}});
}

}  // namespace ccm::digitalocean
