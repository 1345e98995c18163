#include "owned.hpp"

#include <ccm/percent_encode.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace sandbox {
namespace {

using ccm::ClusterNames;
using ccm::Code;
using ccm::Ctx;
using ccm::ErrorClass;
using ccm::OwnedObject;
using ccm::Result;
using ccm::Route;
using ccm::Status;
using ccm::Task;

constexpr int kBalancerPageSize = 200;
constexpr std::chrono::milliseconds kGonePoll{500};

bool names_it(const ClusterNames& cluster, const std::string& owner) {
  return !owner.empty() &&
         std::find(cluster.names.begin(), cluster.names.end(), owner) != cluster.names.end();
}

OwnedObject owned_balancer(const Balancer& balancer) {
  OwnedObject object;
  object.kind = CCM_OWNED_LOAD_BALANCER;
  object.id = balancer.id;
  object.name = balancer.spec.name;
  object.cluster = balancer.spec.owner_cluster;
  if (!balancer.ips.empty()) object.address = balancer.ips.front();
  if (!balancer.spec.owner_uid.empty()) {
    object.services.push_back({std::string(), balancer.spec.owner_uid});
  }
  return object;
}

OwnedObject owned_route(const Route& route, std::string cluster) {
  OwnedObject object;
  object.kind = CCM_OWNED_ROUTE;
  object.id = route.id;
  object.cluster = std::move(cluster);
  object.node = route.target_node;
  object.destination_cidr = route.destination_cidr;
  return object;
}

Status not_its_mark(const std::string& id) {
  return Status(Code::failed_precondition, id + " does not bear the mark of this cluster")
      .with_reason(CCM_REASON_NOT_OWNED);
}

Status bad_listing(const std::string& what) {
  return Status(Code::data_loss, ErrorClass::unavailable,
                "ListLoadBalancers: the cloud's answer " + what)
      .with_reason("BadAnswer");
}

}  // namespace

Task<Status> Owned::list_load_balancers(Ctx ctx, ClusterNames cluster, Objects& out) {
  std::set<std::string> ids;
  for (int number = 1;; ++number) {
    std::string path = "/v1/load_balancers?page=" + std::to_string(number) +
                       "&per_page=" + std::to_string(kBalancerPageSize);
    std::string operation = "ListLoadBalancers";
    auto body = co_await cloud_.get(ctx, std::move(path), std::move(operation));
    if (!body.ok()) co_return body.status();
    const auto page = parse_balancer_page(*body);
    if (!page.ok()) co_return page.status().with_context("ListLoadBalancers");
    if (!page->last && page->balancers.empty()) co_return bad_listing("has an empty page");
    for (const Balancer& balancer : page->balancers) {
      if (!ids.insert(balancer.id).second) {
        co_return bad_listing("has load balancer " + balancer.id + " twice");
      }
      if (balancer.deleting() || !names_it(cluster, balancer.spec.owner_cluster)) continue;
      out.push_back(owned_balancer(balancer));
    }
    if (!page->last) continue;
    if (page->total != ids.size()) {
      co_return bad_listing("has not all load balancers that it counts");
    }
    co_return Status();
  }
}

Task<Status> Owned::list_routes(Ctx ctx, std::string cluster, Objects& out) {
  const auto routes = co_await routes_.list(ctx, cluster);
  if (!routes.ok()) co_return routes.status();
  for (const Route& route : *routes) {
    if (route.owned) out.push_back(owned_route(route, cluster));
  }
  co_return Status();
}

Task<Result<Owned::Objects>> Owned::list(Ctx ctx, ClusterNames cluster) {
  Objects objects;
  Status listed = co_await list_load_balancers(ctx, cluster, objects);
  if (!listed.ok()) co_return listed;
  for (const std::string& name : cluster.names) {
    listed = co_await list_routes(ctx, name, objects);
    if (!listed.ok()) co_return listed;
  }
  co_return objects;
}

Task<Status> Owned::remove_load_balancer(Ctx ctx, ClusterNames cluster, std::string id) {
  const std::string path = "/v1/load_balancers/" + ccm::percent_encode(id);
  for (bool deleted = false;; deleted = true) {
    std::string look = "GetLoadBalancer";
    auto body = co_await cloud_.get(ctx, path, std::move(look));
    if (body.status().code() == Code::not_found) co_return Status();
    if (!body.ok()) co_return body.status();
    const auto balancer = parse_balancer(*body);
    if (!balancer.ok()) co_return balancer.status().with_context("GetLoadBalancer");
    if (!names_it(cluster, balancer->spec.owner_cluster)) co_return not_its_mark(id);
    if (deleted || balancer->deleting()) {
      co_return Status(Code::unavailable, ErrorClass::waiting, "the cloud still deletes it")
          .with_retry_after(kGonePoll);
    }
    std::string method = "DELETE";
    std::string nothing;
    std::string operation = "DeleteLoadBalancer";
    auto sent = co_await cloud_.send(ctx, std::move(method), path, std::move(nothing),
                                     std::move(operation));
    if (!sent.ok() && sent.status().code() != Code::not_found) co_return sent.status();
  }
}

Task<Status> Owned::remove_route(Ctx ctx, OwnedObject object) {
  const auto routes = co_await routes_.list(ctx, object.cluster);
  if (!routes.ok()) co_return routes.status();
  for (const Route& route : *routes) {
    if (route.id != object.id) continue;
    if (!route.owned || route.destination_cidr != object.destination_cidr) {
      co_return not_its_mark(object.id);
    }
    std::vector<Route> removals(1, route);
    std::vector<Route> additions;
    std::vector<std::string> machines;
    auto outcome = co_await routes_.apply(ctx, object.cluster, std::move(removals),
                                          std::move(additions), std::move(machines));
    if (!outcome.ok()) co_return outcome.status();
    co_return outcome->front();
  }
  co_return Status();
}

Task<Status> Owned::remove(Ctx ctx, ClusterNames cluster, OwnedObject object) {
  if (!names_it(cluster, object.cluster)) co_return not_its_mark(object.id);
  Status removed(Code::invalid_argument, "this cloud has no " + object.kind);
  if (object.kind == CCM_OWNED_LOAD_BALANCER) {
    removed = co_await remove_load_balancer(ctx, std::move(cluster), std::move(object.id));
  } else if (object.kind == CCM_OWNED_ROUTE) {
    removed = co_await remove_route(ctx, std::move(object));
  }
  co_return removed;
}

}  // namespace sandbox
