#include "owned.hpp"

#include "digitalocean/firewall/search.hpp"
#include "digitalocean/load_balancers/ownership.hpp"

#include <ccm/percent_encode.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace ccm::digitalocean {
namespace {

constexpr std::string_view kMarkPrefix = "k8s:";
constexpr std::string_view kServiceMark = ":service:";
// Where dashes stand in a UID, without the "a" of the name that is made from it.
constexpr std::size_t kDashes[] = {8, 13, 18, 23};

// "k8s:CLUSTER" and "k8s:CLUSTER:service:UID"; empty for "k8s:service:UID" and other tags.
std::string_view cluster_of_tag(std::string_view tag) {
  if (!tag.starts_with(kMarkPrefix)) return {};
  const std::size_t end = tag.find(kServiceMark);
  if (end == std::string_view::npos) return tag.substr(kMarkPrefix.size());
  return end < kMarkPrefix.size() ? std::string_view()
                                  : tag.substr(kMarkPrefix.size(), end - kMarkPrefix.size());
}

// The UID from which the name is made, but for its last digit (DO-92).
std::string uid_in(std::string_view name) {
  std::string uid;
  for (const char c : name.substr(1)) {
    if (std::find(std::begin(kDashes), std::end(kDashes), uid.size()) != std::end(kDashes)) {
      uid += '-';
    }
    uid += c;
  }
  return uid;
}

bool among(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Status bears_other_mark(const std::string& id) {
  return Status(Code::failed_precondition,
                "load balancer " + id + " does not bear the mark of this cluster alone")
      .with_reason(CCM_REASON_NOT_OWNED);
}

}  // namespace

std::optional<OwnedObject> owned_balancer(const ExistingLoadBalancer& balancer,
                                          const std::vector<std::string>& clusters) {
  OwnedObject object;
  std::set<std::string, std::less<>> named;
  std::map<std::string, std::string> services;  // by UID: one may have two tags
  for (const std::string& tag : balancer.tags.value_or(std::vector<std::string>())) {
    const std::string_view cluster = cluster_of_tag(tag);
    if (!cluster.empty()) named.emplace(cluster);
    if (const auto service = marked_service(tag)) {
      std::string& name = services[std::string(*service)];
      if (name.empty()) name = marked_name(tag);
    }
  }
  for (const auto& [uid, name] : services) object.services.push_back({name, uid});
  const bool of_uid = is_uid_name(balancer.name);
  if (object.services.empty() && of_uid) {
    object.services.push_back({std::string(), uid_in(balancer.name)});
  }
  const auto ours = std::find_if(named.begin(), named.end(), [&](const std::string& cluster) {
    return among(clusters, cluster);
  });
  if (ours != named.end()) {
    object.cluster = *ours;
    object.shared = std::any_of(named.begin(), named.end(), [&](const std::string& cluster) {
      return !among(clusters, cluster);
    });
  } else if (named.empty() && !object.services.empty()) {
    object.no_cluster = true;
  } else {
    return std::nullopt;
  }
  object.kind = CCM_OWNED_LOAD_BALANCER;
  object.id = balancer.id;
  object.name = balancer.name;
  object.address = balancer.ip.empty() ? balancer.ipv6 : balancer.ip;
  return object;
}

std::vector<std::string> Owned::names_of(const ClusterNames& cluster) const {
  if (cluster.given) return cluster.names;
  const std::string& own = api_.settings().cluster();
  return own.empty() ? std::vector<std::string>() : std::vector<std::string>{own};
}

Task<Status> Owned::list_firewall(Ctx ctx, Objects& out) {
  const std::string& name = api_.settings().firewall_name;
  if (name.empty()) co_return Status();
  auto found = co_await firewalls_named(api_, ctx, name);
  if (!found.ok()) co_return found.status();
  for (const ExistingFirewall& firewall : *found) {
    OwnedObject& object = out.emplace_back();
    object.kind = CCM_OWNED_FIREWALL;
    object.id = firewall.id;
    object.name = firewall.name;
    object.no_cluster = true;
  }
  co_return Status();
}

Task<Result<Owned::Objects>> Owned::list(Ctx ctx, ClusterNames cluster) {
  const auto all = co_await balancers_.get(ctx, std::chrono::milliseconds(0));
  if (!all.ok()) co_return all.status();
  const std::vector<std::string> names = names_of(cluster);
  Objects objects;
  for (const auto& [id, balancer] : **all) {
    if (auto object = owned_balancer(*balancer, names)) objects.push_back(*std::move(object));
  }
  Status listed = co_await list_firewall(ctx, objects);
  if (!listed.ok()) co_return listed;
  co_return objects;
}

// The tag "k8s:CLUSTER" is that of all load balancers of the cluster, and stays.
Task<void> Owned::drop_marks(Ctx ctx, ExistingLoadBalancer deleted,
                             std::vector<std::string> clusters) {
  for (const std::string& tag : deleted.tags.value_or(std::vector<std::string>())) {
    const std::string_view cluster = cluster_of_tag(tag);
    if (!marked_service(tag) || !(cluster.empty() || among(clusters, cluster))) continue;
    Call call;
    call.method = "DELETE";
    call.path = "/v2/tags/" + percent_encode(tag);
    call.operation = "DeleteTag";
    auto body = co_await api_.call(ctx, std::move(call));
    if (body.ok() || body.status().error_class() == ErrorClass::not_found) continue;
    host_.log.info("The tag of a deleted load balancer is left in the account",
                   {{"tag", tag}, {"err", body.status()}});
  }
}

Task<Status> Owned::remove(Ctx ctx, ClusterNames cluster, OwnedObject object) {
  if (object.kind != CCM_OWNED_LOAD_BALANCER) {
    co_return Status(Code::failed_precondition, "a " + object.kind + " is not removed by itself")
        .with_reason(CCM_REASON_NOT_OWNED);
  }
  const std::string path = "/v2/load_balancers/" + percent_encode(object.id);
  Call look;
  look.path = path;
  look.operation = "GetLoadBalancer";
  auto body = co_await api_.call(ctx, std::move(look));
  if (body.status().error_class() == ErrorClass::not_found) co_return Status();
  if (!body.ok()) co_return body.status();
  auto balancer = parse_load_balancer(*body);
  if (!balancer.ok()) co_return balancer.status().with_context("GetLoadBalancer");
  const std::vector<std::string> names = names_of(cluster);
  const auto now = owned_balancer(*balancer, names);
  const bool may_go =
      now && now->id == object.id && !now->shared && (!now->no_cluster || cluster.confirmed);
  if (!may_go) co_return bears_other_mark(object.id);
  Call call;
  call.method = "DELETE";
  call.path = path;
  call.operation = "DeleteLoadBalancer";
  auto deleted = co_await api_.call(ctx, std::move(call));
  if (!deleted.ok() && deleted.status().error_class() != ErrorClass::not_found) {
    co_return deleted.status();
  }
  co_await drop_marks(ctx, *std::move(balancer), names);
  co_return Status();
}

}  // namespace ccm::digitalocean
