#include "owned.hpp"

#include "aws/api/error.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace ccm::aws {
namespace {

constexpr const char* kTargetGroupKind = "target-group";
constexpr std::chrono::milliseconds kNew{0};

Status not_marked(const OwnedObject& object) {
  return Status(Code::failed_precondition,
                object.kind + " " + object.id + " does not bear the mark of this cluster alone")
      .with_reason(CCM_REASON_NOT_OWNED);
}

// Sets the cluster, and whether it is the only one. False: none of `names` owns it.
bool set_cluster(OwnedObject& object, const Tags& tags, const std::vector<std::string>& names) {
  for (auto tag = tags.lower_bound(kClusterTagPrefix);
       tag != tags.end() && tag->first.starts_with(kClusterTagPrefix); ++tag) {
    const std::string id = tag->first.substr(kClusterTagPrefix.size());
    const bool asked = std::find(names.begin(), names.end(), id) != names.end();
    if (asked && tag->second == kOwned) {
      object.cluster = id;
    } else {
      object.shared = true;
    }
  }
  const auto legacy = tags.find(kLegacyClusterTag);  // older managers wrote no other one
  if (legacy != tags.end()) {
    const bool asked = std::find(names.begin(), names.end(), legacy->second) != names.end();
    if (asked && object.cluster.empty() && !object.shared) object.cluster = legacy->second;
    object.shared = object.shared || !asked;
  }
  return !object.cluster.empty();
}

std::string uid_of(const std::string& name, const Tags& tags) {
  const auto uid = tags.find(kServiceUidTag);
  if (uid != tags.end()) return uid->second;
  return is_made_name(name) ? name.substr(1) : std::string();
}

std::optional<OwnedObject> owned_one(const char* kind, const std::string& id,
                                     const std::string& name, const Tags& tags,
                                     const std::vector<std::string>& names) {
  const auto service = tags.find(kServiceTag);
  if (service == tags.end()) return std::nullopt;
  OwnedObject object;
  object.kind = kind;
  object.id = id;
  object.name = name;
  if (!set_cluster(object, tags, names)) return std::nullopt;
  object.services.push_back({service->second, uid_of(name, tags)});
  for (auto tag = tags.lower_bound(kGuestTagPrefix);
       tag != tags.end() && tag->first.starts_with(kGuestTagPrefix); ++tag) {
    object.services.push_back({tag->second, tag->first.substr(kGuestTagPrefix.size())});
  }
  return object;
}

// Other tools of the cluster have groups with its tag, too: only the two forms of names count.
std::optional<OwnedObject> owned_group(const SecurityGroup& group,
                                       const std::vector<std::string>& names) {
  constexpr std::string_view kClassicName = "k8s-elb-";
  const bool classic = group.name.starts_with(kClassicName) &&
                       is_made_name(std::string_view(group.name).substr(kClassicName.size()));
  if (!classic && group.description != kManagedGroupDescription) return std::nullopt;
  OwnedObject object;
  object.kind = CCM_OWNED_SECURITY_GROUP;
  object.id = group.id;
  object.name = group.name;
  if (!set_cluster(object, group.tags, names)) return std::nullopt;
  const std::size_t open = group.description.rfind('(');
  if (classic && open != std::string::npos && group.description.ends_with(")")) {
    const std::string service =
        group.description.substr(open + 1, group.description.size() - open - 2);
    object.services.push_back({service, group.name.substr(kClassicName.size() + 1)});
  }
  return object;
}

// Something that a step needs and that is missing does not mean that the object is gone.
Status not_gone(Status status) {
  if (!is_not_found(status)) return status;
  return Status(Code::unavailable, ErrorClass::unavailable, status.message())
      .with_reason(status.reason());
}

}  // namespace

std::vector<std::string> OwnedParts::names_of(const ClusterNames& cluster) const {
  return cluster.given ? cluster.names : std::vector<std::string>{cluster_.id};
}

Task<Status> OwnedParts::list_balancers(Ctx ctx, std::vector<std::string> names,
                                        std::vector<OwnedObject>& out) {
  const auto networks = co_await elbv2_.list(ctx, kNew);
  if (!networks.ok()) co_return networks.status();
  const auto network_tags = co_await finder_.network_tags().get(ctx, kNew);
  if (!network_tags.ok()) co_return network_tags.status();
  for (const auto& [arn, tags] : **network_tags) {
    const NetworkBalancer* balancer = (*networks)->find(arn);
    if (balancer == nullptr) continue;
    auto object = owned_one(CCM_OWNED_LOAD_BALANCER, arn, balancer->name, tags, names);
    if (!object) continue;
    object->address = balancer->dns_name;
    out.push_back(*std::move(object));
  }
  const auto classics = co_await elb_.list(ctx, kNew);
  if (!classics.ok()) co_return classics.status();
  const auto classic_tags = co_await finder_.classic_tags().get(ctx, kNew);
  if (!classic_tags.ok()) co_return classic_tags.status();
  for (const auto& [name, tags] : **classic_tags) {
    const auto balancer = (*classics)->find(name);
    auto object = owned_one(CCM_OWNED_LOAD_BALANCER, name, name, tags, names);
    if (balancer == (*classics)->end() || !object) continue;
    object->address = balancer->second.dns_name;
    out.push_back(*std::move(object));
  }
  co_return Status();
}

// Lists target groups that no load balancer uses; the others go with theirs.
Task<Status> OwnedParts::list_target_groups(Ctx ctx, std::vector<std::string> names,
                                            std::vector<OwnedObject>& out) {
  const auto groups = co_await elbv2_.groups(ctx, kNew);
  if (!groups.ok()) co_return groups.status();
  std::vector<std::string> arns;
  for (const auto& [arn, group] : **groups) {
    const bool ours = group.name.starts_with("k8s-") && group.vpc_id == cluster_.vpc_id;
    if (ours && group.balancers.empty()) arns.push_back(arn);
  }
  const auto tags = co_await elbv2_.tags(ctx, std::move(arns));
  if (!tags.ok()) co_return tags.status();
  for (const auto& [arn, of] : *tags) {
    const auto group = (*groups)->find(arn);
    if (group == (*groups)->end()) continue;
    auto object = owned_one(kTargetGroupKind, arn, group->second.name, of, names);
    if (object) out.push_back(*std::move(object));
  }
  co_return Status();
}

Task<Result<std::vector<OwnedObject>>> OwnedParts::list(Ctx ctx, ClusterNames cluster) {
  const auto names = names_of(cluster);
  std::vector<OwnedObject> out;
  Status listed = co_await list_balancers(ctx, names, out);
  if (listed.ok()) listed = co_await list_target_groups(ctx, names, out);
  if (!listed.ok()) co_return not_gone(std::move(listed));
  const auto groups = co_await groups_.list(ctx, kNew);
  if (!groups.ok()) co_return not_gone(groups.status());
  for (const auto& [id, group] : **groups) {
    if (auto object = owned_group(group, names)) out.push_back(*std::move(object));
  }
  co_return out;
}

Task<Status> OwnedParts::remove_balancer(Ctx ctx, OwnedObject object) {
  const bool classic = !object.id.starts_with("arn:");
  std::vector<std::string> no_groups;
  Status gone;
  if (is_made_name(object.name)) {
    const auto groups = co_await groups_.list(ctx, kNew);
    if (!groups.ok()) co_return groups.status();
    const LoadBalancerService none;
    gone = co_await removal_.remove_rules(ctx, none, object.name, std::move(no_groups));
    if (!gone.ok()) co_return gone;
  }
  if (classic) {
    gone = co_await removal_.delete_classic(ctx, object.id);
    co_return gone;
  }
  const auto all = co_await elbv2_.list(ctx, kNew);
  if (!all.ok()) co_return all.status();
  const NetworkBalancer* balancer = (*all)->find(object.id);
  if (balancer == nullptr) co_return Status();
  gone = co_await removal_.delete_network(ctx, *balancer);
  co_return gone;
}

// Read again: what it is now counts, not what a listing said.
Task<Status> OwnedParts::remove(Ctx ctx, ClusterNames cluster, OwnedObject object) {
  const std::string kind = object.kind;
  const auto all = co_await list(ctx, std::move(cluster));
  if (!all.ok()) co_return all.status();
  const auto now = std::find_if(all->begin(), all->end(), [&](const OwnedObject& listed) {
    return listed.kind == kind && listed.id == object.id;
  });
  if (now == all->end()) {
    Status why = co_await is_gone(ctx, std::move(object));
    co_return why;
  }
  if (now->shared) co_return not_marked(object);
  Status gone(Code::invalid_argument, "this cloud has no " + kind);
  if (kind == CCM_OWNED_LOAD_BALANCER) gone = co_await remove_balancer(ctx, *now);
  if (kind == kTargetGroupKind) gone = co_await elbv2_.delete_group(ctx, object.id);
  if (kind == CCM_OWNED_SECURITY_GROUP) {
    std::vector<std::string> ids{object.id};
    const LoadBalancerService none;
    gone = co_await removal_.remove_rules(ctx, none, "", ids);
    if (gone.ok()) gone = co_await removal_.remove_groups(ctx, std::move(ids));
  }
  co_return not_gone(std::move(gone));
}

// ok when the object is gone; else it is not this cluster's.
Task<Status> OwnedParts::is_gone(Ctx ctx, OwnedObject object) {
  bool there = false;
  const auto networks = co_await elbv2_.list(ctx, kKnown);
  if (!networks.ok()) co_return networks.status();
  there = (*networks)->find(object.id) != nullptr;
  const auto classics = co_await elb_.list(ctx, kKnown);
  if (!classics.ok()) co_return classics.status();
  there = there || (*classics)->contains(object.id);
  const auto targets = co_await elbv2_.groups(ctx, kKnown);
  if (!targets.ok()) co_return targets.status();
  there = there || (*targets)->contains(object.id);
  const auto groups = co_await groups_.list(ctx, kKnown);
  if (!groups.ok()) co_return groups.status();
  there = there || (*groups)->contains(object.id);
  co_return there ? not_marked(object) : Status();
}

}  // namespace ccm::aws
