#include "load_balancers.hpp"

#include <ccm/percent_encode.hpp>

#include <utility>

namespace sandbox {
namespace {

using ccm::Code;
using ccm::Ctx;
using ccm::ErrorClass;
using ccm::LoadBalancer;
using ccm::LoadBalancerService;
using ccm::LoadBalancerState;
using ccm::Result;
using ccm::Status;
using ccm::Task;

constexpr std::chrono::milliseconds kDeletionPoll{500};

std::string path_of(const std::string& id) {
  return "/v1/load_balancers/" + ccm::percent_encode(id);
}

// Without its id, which must not be recorded.
LoadBalancer foreign(const Balancer& balancer) {
  LoadBalancer answer;
  answer.state = LoadBalancerState::foreign;
  answer.name = balancer.spec.name;
  return answer;
}

Status still_deleting() {
  return Status(Code::unavailable, ErrorClass::waiting, "the cloud still deletes it")
      .with_retry_after(kDeletionPoll);
}

// A 404 for a list names no load balancer, so none is known to be gone.
Status no_list(const Status& status) {
  return Status(Code::unavailable, ErrorClass::unavailable, status.message())
      .with_reason("CloudUnavailable");
}

}  // namespace

Task<Result<std::optional<Balancer>>> LoadBalancers::get(Ctx ctx, std::string id) {
  using Maybe = std::optional<Balancer>;
  std::string path = path_of(id);
  std::string operation = "GetLoadBalancer";
  auto body = co_await cloud_.get(ctx, std::move(path), std::move(operation));
  if (body.status().code() == Code::not_found) co_return Maybe();
  if (!body.ok()) co_return body.status();
  auto balancer = parse_balancer(*body);
  if (!balancer.ok()) co_return balancer.status().with_context("GetLoadBalancer");
  co_return Maybe(*std::move(balancer));
}

Task<Result<std::vector<Balancer>>> LoadBalancers::list_owned(Ctx ctx, std::string cluster,
                                                              std::string uid) {
  std::string path = "/v1/load_balancers?cluster=" + ccm::percent_encode(cluster) +
                     "&service_uid=" + ccm::percent_encode(uid);
  std::string operation = "ListLoadBalancers";
  auto body = co_await cloud_.get(ctx, std::move(path), std::move(operation));
  if (body.status().code() == Code::not_found) co_return no_list(body.status());
  if (!body.ok()) co_return body.status();
  auto balancers = parse_balancers(*body);
  if (!balancers.ok()) co_return balancers.status().with_context("ListLoadBalancers");
  co_return balancers;
}

Task<Result<LoadBalancers::Found>> LoadBalancers::find(Ctx ctx, LoadBalancerService service) {
  const bool adopted = !service.adopt_id.empty();
  const std::string id = adopted ? service.adopt_id : service.id;
  Found found;
  if (!id.empty()) {
    auto recorded = co_await get(ctx, id);
    if (!recorded.ok()) co_return recorded.status();
    found.balancer = *std::move(recorded);
    if (adopted && !found.balancer) {
      co_return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                       "the load balancer to be adopted, " + id + ", does not exist")
          .with_reason("AdoptionFailed");
    }
  }
  if (found.balancer) {
    // The user writes the id, but not the mark.
    found.foreign = !adopted && !found.balancer->owned_by(service);
    if (!found.balancer->deleting()) co_return found;
    found = Found();
  }
  auto owned = co_await list_owned(ctx, service.cluster_name, service.uid);
  if (!owned.ok()) co_return owned.status();
  for (Balancer& balancer : *owned) {
    if (balancer.deleting() || found.balancer) continue;
    found.balancer = std::move(balancer);
  }
  co_return found;
}

LoadBalancers::Answer LoadBalancers::observe(Ctx ctx, LoadBalancerService service,
                                             MachineIds backends) {
  auto wanted = wanted_balancer(service, std::move(backends));
  if (!wanted.ok()) co_return wanted.status();
  auto found = co_await find(ctx, std::move(service));
  if (!found.ok()) co_return found.status();
  if (!found->balancer) co_return LoadBalancer();
  if (found->foreign) co_return foreign(*found->balancer);
  std::string differs = difference(*wanted, found->balancer->spec);
  co_return shown(*found->balancer, std::move(differs));
}

Task<Result<Balancer>> LoadBalancers::write(Ctx ctx, std::string method, std::string path,
                                            std::string body, std::string operation) {
  auto answer =
      co_await cloud_.send(ctx, std::move(method), std::move(path), std::move(body), operation);
  if (!answer.ok()) co_return answer.status();
  auto balancer = parse_balancer(*answer);
  if (!balancer.ok()) co_return balancer.status().with_context(operation);
  co_return balancer;
}

LoadBalancers::Answer LoadBalancers::ensure(Ctx ctx, LoadBalancerService service,
                                            MachineIds backends) {
  auto wanted = wanted_balancer(service, std::move(backends));
  if (!wanted.ok()) co_return wanted.status();
  auto found = co_await find(ctx, std::move(service));
  if (!found.ok()) co_return found.status();
  if (found->foreign) co_return foreign(*found->balancer);
  std::string method = "POST";
  std::string path = "/v1/load_balancers";
  std::string operation = "CreateLoadBalancer";
  std::string differs = "created";
  if (found->balancer) {
    differs = difference(*wanted, found->balancer->spec);
    if (differs.empty()) co_return shown(*found->balancer, std::move(differs));
    method = "PUT";
    path = path_of(found->balancer->id);
    operation = "UpdateLoadBalancer";
    found->balancer.reset();  // long; many wait for the cloud at a time
  }
  std::string body = to_json(*wanted);
  auto written = co_await write(ctx, std::move(method), std::move(path), std::move(body),
                                std::move(operation));
  if (!written.ok()) co_return written.status();
  co_return shown(*written, std::move(differs));
}

LoadBalancers::Answer LoadBalancers::update(Ctx ctx, LoadBalancerService service,
                                            MachineIds backends) {
  auto found = co_await find(ctx, std::move(service));
  if (!found.ok()) co_return found.status();
  if (found->foreign) co_return foreign(*found->balancer);
  if (!found->balancer) {
    co_return Status(Code::not_found, ErrorClass::not_found, "there is no load balancer")
        .with_reason("LoadBalancerNotFound");
  }
  if (*found->balancer->spec.backends == *backends) co_return shown(*found->balancer, "");
  std::string method = "PUT";
  std::string path = path_of(found->balancer->id) + "/backends";
  std::string body = backends_to_json(backends);
  std::string operation = "UpdateBackends";
  found->balancer.reset();
  auto written = co_await write(ctx, std::move(method), std::move(path), std::move(body),
                                std::move(operation));
  if (!written.ok()) co_return written.status();
  co_return shown(*written, "backends");
}

// Deletes every load balancer with the Service's mark: a creation with a lost answer may have left
// more than one, and the recorded id may name another one. Read again afterwards, because "deleted"
// is no proof.
Task<Status> LoadBalancers::remove(Ctx ctx, LoadBalancerService service) {
  bool foreign = false;
  if (!service.id.empty()) {
    auto recorded = co_await get(ctx, service.id);
    if (!recorded.ok()) co_return recorded.status();
    foreign = *recorded && !(*recorded)->owned_by(service);
  }
  auto all = co_await list_owned(ctx, service.cluster_name, service.uid);
  if (!all.ok()) co_return all.status();
  for (const Balancer& balancer : *all) {
    if (balancer.deleting()) continue;
    std::string method = "DELETE";
    std::string path = path_of(balancer.id);
    std::string body;
    std::string operation = "DeleteLoadBalancer";
    auto deleted = co_await cloud_.send(ctx, std::move(method), std::move(path), std::move(body),
                                        std::move(operation));
    if (!deleted.ok() && deleted.status().code() != Code::not_found) co_return deleted.status();
  }
  for (const Balancer& balancer : *all) {
    auto left = co_await get(ctx, balancer.id);
    if (!left.ok()) co_return left.status();
    if (*left) co_return still_deleting();
  }
  if (!foreign) co_return Status();
  co_return Status(Code::failed_precondition, "the recorded load balancer belongs to somebody else")
      .with_reason("NotOwned");
}

Task<Result<ccm::LoadBalancerLimits>> LoadBalancers::limits(Ctx ctx) {
  std::string path = "/v1/limits";
  std::string operation = "GetLimits";
  auto body = co_await cloud_.get(ctx, std::move(path), std::move(operation));
  if (!body.ok()) co_return body.status();
  co_return parse_balancer_limits(*body);
}

}  // namespace sandbox
