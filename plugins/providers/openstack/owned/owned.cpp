#include "owned.hpp"

#include "openstack/answer.hpp"
#include "openstack/json_answer.hpp"
#include "openstack/pages.hpp"

#include <ccm/percent_encode.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

NamedSecurityGroup read_named_group(const json& entry) {
  return {id_of(entry), text_of(entry, "name"), text_of(entry, "description")};
}

FloatingIp read_listed_floating_ip(const json& entry) {
  return {id_of(entry), text_of(entry, "floating_ip_address"), text_of(entry, "description"),
          text_of(entry, "port_id")};
}

Status not_marked(const OwnedObject& object) {
  return Status(Code::failed_precondition,
                object.kind + " " + object.id + " does not bear the mark of this cluster alone")
      .with_reason(CCM_REASON_NOT_OWNED);
}

// Something that a step needs and that is missing does not mean that the object is gone.
Status not_gone(Status status) {
  if (status.error_class() != ErrorClass::not_found) return status;
  return Status(Code::unavailable, ErrorClass::unavailable, status.message())
      .with_reason(status.reason());
}

bool may_go(const std::optional<OwnedObject>& now, const ClusterNames& cluster) {
  return now && !now->shared && (!now->no_cluster || cluster.confirmed);
}

}  // namespace

Task<Status> Owned::list_load_balancers(Ctx ctx, std::vector<std::string> names, Objects& out) {
  Status there = co_await api_.find_service(ctx, "load-balancer");
  if (there.error_class() == ErrorClass::unsupported) co_return Status();
  if (!there.ok()) co_return there;
  const auto all = co_await octavia_.all(ctx);
  if (!all.ok()) co_return not_gone(all.status());
  for (const ExistingLoadBalancer& balancer : *all) {
    if (balancer.status == "DELETED" || balancer.status == "PENDING_DELETE") continue;
    if (auto object = owned_load_balancer(balancer, names)) out.push_back(*std::move(object));
  }
  co_return Status();
}

Task<Result<std::vector<FloatingIp>>> Owned::all_floating_ips(Ctx ctx) {
  const auto offered = co_await floating_ips_.offered(ctx);
  if (!offered.ok()) co_return offered.status();
  if (!*offered) co_return std::vector<FloatingIp>();
  Collection collection{"network", "floatingips", "ListFloatingIPs", ""};
  std::vector<FloatingIp> all;
  Status read = co_await read_pages(api_, ctx, std::move(collection), "floatingips",
                                    into(all, &read_listed_floating_ip));
  if (!read.ok()) co_return not_gone(std::move(read));
  co_return all;
}

Task<Result<std::vector<NamedSecurityGroup>>> Owned::security_groups(Ctx ctx, std::string query) {
  Collection collection{"network",
                        "security-groups?" + query + "fields=id&fields=name&fields=description",
                        "ListSecurityGroups", ""};
  std::vector<NamedSecurityGroup> all;
  Status read = co_await read_pages(api_, ctx, std::move(collection), "security_groups",
                                    into(all, &read_named_group));
  if (!read.ok()) co_return not_gone(std::move(read));
  co_return all;
}

Task<Result<Owned::Objects>> Owned::list(Ctx ctx, ClusterNames cluster) {
  Objects objects;
  const std::vector<std::string>& names = cluster.names;
  Status listed = co_await list_load_balancers(ctx, names, objects);
  if (!listed.ok()) co_return listed;
  const auto addresses = co_await all_floating_ips(ctx);
  if (!addresses.ok()) co_return addresses.status();
  for (const FloatingIp& address : *addresses) {
    if (auto object = owned_floating_ip(address, names)) objects.push_back(*std::move(object));
  }
  const auto groups = co_await security_groups(ctx, "");
  if (!groups.ok()) co_return groups.status();
  for (const NamedSecurityGroup& group : *groups) {
    if (auto object = owned_security_group(group, names)) objects.push_back(*std::move(object));
  }
  auto routes = co_await routes_.recorded(ctx, names);
  if (!routes.ok()) co_return routes.status();
  std::move(routes->begin(), routes->end(), std::back_inserter(objects));
  co_return objects;
}

Task<Status> Owned::remove_load_balancer(Ctx ctx, ClusterNames cluster, OwnedObject object) {
  auto found = co_await octavia_.find(ctx, object.id);
  if (!found.ok()) co_return found.status();
  if (!*found) co_return Status();
  if (!may_go(owned_load_balancer(**found, cluster.names), cluster)) co_return not_marked(object);
  ExistingLoadBalancer balancer = *std::move(*found);
  Status removed = co_await balancers_.remove_whole(ctx, std::move(balancer));
  co_return not_gone(std::move(removed));
}

// One on a port may carry somebody's traffic. A load balancer takes its own with it.
Task<Status> Owned::remove_floating_ip(Ctx ctx, ClusterNames cluster, OwnedObject object) {
  const auto all = co_await all_floating_ips(ctx);
  if (!all.ok()) co_return all.status();
  for (const FloatingIp& address : *all) {
    if (address.id != object.id) continue;
    if (!may_go(owned_floating_ip(address, cluster.names), cluster)) co_return not_marked(object);
    if (!address.port_id.empty()) {
      co_return Status(Code::failed_precondition,
                       "floating IP " + address.address + " is in use by port " + address.port_id);
    }
    Status removed = co_await floating_ips_.remove(ctx, object.id);
    co_return removed;
  }
  co_return Status();
}

Task<Status> Owned::remove_security_group(Ctx ctx, ClusterNames cluster, OwnedObject object) {
  const auto all = co_await security_groups(ctx, "name=" + percent_encode(object.name) + "&");
  if (!all.ok()) co_return all.status();
  for (const NamedSecurityGroup& group : *all) {
    if (group.id != object.id) continue;
    if (!may_go(owned_security_group(group, cluster.names), cluster)) co_return not_marked(object);
    Status removed = co_await groups_.remove(ctx, group.name, {});
    co_return not_gone(std::move(removed));
  }
  co_return Status();
}

Task<Status> Owned::remove(Ctx ctx, ClusterNames cluster, OwnedObject object) {
  Status removed(Code::invalid_argument, "this cloud has no " + object.kind);
  if (object.kind == CCM_OWNED_LOAD_BALANCER) {
    removed = co_await remove_load_balancer(ctx, std::move(cluster), std::move(object));
  } else if (object.kind == CCM_OWNED_FLOATING_IP) {
    removed = co_await remove_floating_ip(ctx, std::move(cluster), std::move(object));
  } else if (object.kind == CCM_OWNED_SECURITY_GROUP) {
    removed = co_await remove_security_group(ctx, std::move(cluster), std::move(object));
  } else if (object.kind == CCM_OWNED_ROUTE) {
    removed = co_await routes_.remove_recorded(ctx, std::move(cluster.names), std::move(object));
  }
  co_return removed;
}

}  // namespace ccm::openstack
