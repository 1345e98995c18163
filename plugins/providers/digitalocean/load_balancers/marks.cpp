#include "marks.hpp"

#include "digitalocean/load_balancers/ownership.hpp"
#include "digitalocean/tags/tagging.hpp"

#include <ccm/percent_encode.hpp>

#include <utility>
#include <vector>

namespace ccm::digitalocean {
namespace {

constexpr const char* kResourceType = "load_balancer";

// Those of another Service, and of any cluster but ours.
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

bool Marks::cluster_tag_due(const WantedLoadBalancer& wanted,
                            const ExistingLoadBalancer& existing) const {
  return allowed_ && !wanted.cluster_tag.empty() && existing.tags &&
         !existing.has_tag(wanted.cluster_tag);
}

Task<Status> Marks::put(Ctx ctx, const WantedLoadBalancer& wanted, ExistingLoadBalancer& existing) {
  if (cluster_tag_due(wanted, existing)) {
    Status added = co_await add(ctx, wanted.cluster_tag, existing);
    tell(added, wanted.cluster_tag);
  }
  if (allowed_ && !wanted.mark.empty() && existing.tags && !existing.has_tag(wanted.mark)) {
    Status added = co_await add(ctx, wanted.mark, existing);
    tell(added, wanted.mark);
  }
  co_return Status();
}

Task<Status> Marks::take_over(Ctx ctx, const LoadBalancerService& service,
                              const WantedLoadBalancer& wanted, ExistingLoadBalancer& existing) {
  WantedLoadBalancer marked = wanted;
  const auto others = tags_of_others(existing, service.uid, wanted.cluster_tag);
  for (const std::string& tag : others) {
    Status removed = co_await remove(ctx, tag, existing);
    tell(removed, tag);
    // Where the other mark stays, ours has to stand beside it.
    if (!removed.ok()) marked.mark = api_.settings().service_tag(service.uid);
  }
  Status done = co_await put(ctx, marked, existing);
  co_return done;
}

Task<Status> Marks::add(Ctx ctx, std::string tag, ExistingLoadBalancer& existing) {
  std::string type = kResourceType;
  std::vector<std::string> ids = {existing.id};
  Status status = co_await change_tag(api_, ctx, TagChange::add, tag, type, ids);
  if (status.ok()) existing.tags->push_back(tag);
  co_return status;
}

Task<Status> Marks::remove(Ctx ctx, std::string tag, ExistingLoadBalancer& existing) {
  std::string type = kResourceType;
  std::vector<std::string> ids = {existing.id};
  Status status = co_await change_tag(api_, ctx, TagChange::remove, tag, type, ids);
  if (status.ok()) std::erase(*existing.tags, tag);
  co_return status;
}

void Marks::tell(const Status& status, const std::string& tag) {
  if (status.ok()) return;
  if (status.code() == Code::permission_denied) return refused(status);
  host_.log.warning("Could not change a tag of a load balancer", {{"tag", tag}, {"err", status}});
}

Task<Status> Marks::drop(Ctx ctx, const LoadBalancerService& service,
                         const ExistingLoadBalancer& deleted) {
  const std::string tag = api_.settings().service_tag(service.uid);
  if (!deleted.has_tag(tag)) co_return Status();
  Call call;
  call.method = "DELETE";
  call.path = "/v2/tags/" + percent_encode(tag);
  call.operation = "DeleteTag";
  auto body = co_await api_.call(ctx, std::move(call));
  if (!body.ok() && body.status().error_class() != ErrorClass::not_found) {
    host_.log.v(2, "The tag of a deleted load balancer is left in the account",
                {{"tag", tag}, {"err", body.status()}});
  }
  co_return Status();
}

void Marks::refused(const Status& status) {
  if (!std::exchange(allowed_, false)) return;
  host_.log.warning(
      "The token may not change tags, so load balancers get none: give it tag:create and "
      "tag:delete",
      {{"err", status}});
}

}  // namespace ccm::digitalocean
