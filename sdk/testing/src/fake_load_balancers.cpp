#include "ccm/testing/fake_load_balancers.hpp"

#include "fake_operation.hpp"

#include <algorithm>
#include <memory>

namespace ccm::testing {
namespace {

std::vector<std::string> names_of(const Backends& backends) {
  std::vector<std::string> names;
  for (const Backend& backend : backends) names.push_back(backend.name);
  std::sort(names.begin(), names.end());
  return names;
}

bool same_intent(const LoadBalancerService& left, const LoadBalancerService& right) {
  return left.ports == right.ports && left.source_ranges == right.source_ranges &&
         left.ip_families == right.ip_families && left.parameters == right.parameters &&
         left.requested_ip == right.requested_ip && left.local_traffic == right.local_traffic &&
         left.client_ip_affinity == right.client_ip_affinity &&
         left.affinity_timeout == right.affinity_timeout &&
         left.health_check_node_port == right.health_check_node_port;
}

std::string difference_of(const FakeLoadBalancer& existing, const LoadBalancerCall& wanted,
                          bool backends_only) {
  std::string difference;
  if (!backends_only && !same_intent(existing.service, wanted.service)) difference = "settings";
  if (names_of(existing.backends) != names_of(wanted.backends)) {
    difference += difference.empty() ? "backends" : ", backends";
  }
  return difference;
}

Status not_owned() {
  return Status(Code::failed_precondition, "the load balancer belongs to somebody else")
      .with_reason("NotOwned");
}

}  // namespace

struct FakeLoadBalancers::Table {
  static FakeLoadBalancers& owner(void* self) { return *static_cast<FakeLoadBalancers*>(self); }

  // Refuses a request that has something unknown, else `serve(cloud, call)`.
  template <typename Serve>
  static void take(void* self, const char* operation, const ccm_load_balancer_request* request,
                   ccm_completion done, Serve serve) {
    FakeLoadBalancers& cloud = owner(self);
    if (!detail::understood(*request)) {
      return cloud.refuse(std::string("loadbalancers.") + operation, done);
    }
    const ObjectHost objects = cloud.objects_.service();
    const ccm_load_balancer_request raw = known(request);
    const LoadBalancerCall call{operation, detail::service_from_c(objects, *raw.service),
                                cloud.lists_.read(objects, raw.backends, raw.backend_count)};
    cloud.record(call);
    serve(cloud, call);
  }

  static void with_backends(void* self, const char* operation, ccm_ctx ctx,
                            const ccm_load_balancer_request* request, ccm_completion done) {
    const auto serve = [&](FakeLoadBalancers& cloud, const LoadBalancerCall& call) {
      cloud.serve(operation, ctx, done, [&cloud, call]() -> Answer {
        const auto existing = cloud.balancers.find(call.service.uid);
        if (call.operation == "update_backends" && existing == cloud.balancers.end()) {
          return ended(Status(Code::not_found, ErrorClass::not_found, "no such load balancer"));
        }
        return cloud.answer_for(call);
      });
    };
    take(self, operation, request, done, serve);
  }

  static void observe(void* self, ccm_ctx ctx, const ccm_load_balancer_request* request,
                      ccm_completion done) {
    with_backends(self, "observe", ctx, request, done);
  }
  static void ensure(void* self, ccm_ctx ctx, const ccm_load_balancer_request* request,
                     ccm_completion done) {
    with_backends(self, "ensure", ctx, request, done);
  }
  static void update_backends(void* self, ccm_ctx ctx, const ccm_load_balancer_request* request,
                              ccm_completion done) {
    with_backends(self, "update_backends", ctx, request, done);
  }

  static void remove(void* self, ccm_ctx ctx, const ccm_load_balancer_request* request,
                     ccm_completion done) {
    const auto serve = [&](FakeLoadBalancers& cloud, const LoadBalancerCall& call) {
      cloud.serve("remove", ctx, done, [&cloud, uid = call.service.uid]() -> Answer {
        const auto existing = cloud.balancers.find(uid);
        if (existing == cloud.balancers.end()) return ended(Status());
        if (existing->second.shown.state == LoadBalancerState::foreign) return ended(not_owned());
        cloud.balancers.erase(existing);
        ++cloud.writes_;
        return ended(Status());
      });
    };
    take(self, "remove", request, done, serve);
  }

  static void name(void* self, ccm_ctx ctx, const ccm_load_balancer_request* request,
                   ccm_completion done) {
    const auto serve = [&](FakeLoadBalancers& cloud, const LoadBalancerCall& call) {
      cloud.serve("name", ctx, done, [text = call.service.default_name]() -> Answer {
        return [text](ccm_completion completion) {
          ccm_load_balancer_name raw = sized<ccm_load_balancer_name>();
          raw.name = c_str(text);
          complete(completion, {}, &raw);
        };
      });
    };
    take(self, "name", request, done, serve);
  }

  static void lane(void* self, ccm_ctx ctx, const ccm_load_balancer_request* request,
                   ccm_completion done) {
    const auto serve = [&](FakeLoadBalancers& cloud, const LoadBalancerCall& call) {
      cloud.serve("lane", ctx, done, [text = call.service.uid]() -> Answer {
        return [text](ccm_completion completion) {
          ccm_load_balancer_lane raw = sized<ccm_load_balancer_lane>();
          raw.lane = c_str(text);
          complete(completion, {}, &raw);
        };
      });
    };
    take(self, "lane", request, done, serve);
  }

  static void limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                     ccm_completion done) {
    FakeLoadBalancers& cloud = owner(self);
    if (!detail::understood(*request)) return cloud.refuse("loadbalancers.limits", done);
    cloud.record({"limits", {}, {}});
    cloud.serve("limits", ctx, done, [limits = cloud.known_limits]() -> Answer {
      return [limits](ccm_completion completion) {
        const ccm_load_balancer_limits raw = detail::limits_to_c(limits);
        complete(completion, {}, &raw);
      };
    });
  }
};

FakeLoadBalancers::FakeLoadBalancers(FakeLoop& loop, FakeObjects& objects, FakeContexts& contexts)
    : FakeCloudScript(loop, contexts), objects_(objects) {
  table_ = sized<ccm_cloud_loadbalancers>();
  table_.observe = &Table::observe;
  table_.ensure = &Table::ensure;
  table_.update_backends = &Table::update_backends;
  table_.remove = &Table::remove;
  table_.name = &Table::name;
  table_.lane = &Table::lane;
  table_.limits = &Table::limits;
}

FakeCloudScript::Answer FakeLoadBalancers::give(Result<LoadBalancer> outcome) {
  return [outcome = std::move(outcome)](ccm_completion completion) {
    const LoadBalancer* shown = outcome.ok() ? &*outcome : outcome.partial();
    if (shown == nullptr) return complete(completion, outcome.status());
    const detail::LoadBalancerC raw(*shown);
    complete(completion, outcome.status(), raw.get());
  };
}

FakeCloudScript::Answer FakeLoadBalancers::answer_for(const LoadBalancerCall& call) {
  const auto scripted = std::find_if(answers_.begin(), answers_.end(), [&](const auto& answer) {
    return answer.first == call.operation;
  });
  if (scripted != answers_.end()) {
    Result<LoadBalancer> answer = std::move(scripted->second);
    answers_.erase(scripted);
    return give(std::move(answer));
  }
  return give(state_for(call));
}

LoadBalancer FakeLoadBalancers::state_for(const LoadBalancerCall& call) {
  const auto existing = balancers.find(call.service.uid);
  if (call.operation == "observe" && existing == balancers.end()) return {};
  if (existing != balancers.end() && existing->second.shown.state == LoadBalancerState::foreign) {
    return existing->second.shown;
  }
  if (call.operation != "observe") return apply(call);
  LoadBalancer answer = existing->second.shown;
  answer.difference = difference_of(existing->second, call, false);
  return answer;
}

LoadBalancer FakeLoadBalancers::apply(const LoadBalancerCall& call) {
  const auto [place, created] = balancers.try_emplace(call.service.uid);
  FakeLoadBalancer& balancer = place->second;
  const bool backends_only = call.operation == "update_backends";
  const std::string difference = created ? "created" : difference_of(balancer, call, backends_only);
  if (!difference.empty()) ++writes_;
  if (!backends_only) balancer.service = call.service;
  balancer.backends = call.backends;
  if (created) {
    balancer.shown.id = "lb-" + std::to_string(++created_);
    balancer.shown.name = call.service.default_name;
    balancer.shown.state = created_state;
    balancer.shown.retry_after = pending_retry;
    if (created_state == LoadBalancerState::active) give_address(balancer);
  }
  LoadBalancer answer = balancer.shown;
  answer.difference = difference;
  return answer;
}

void FakeLoadBalancers::give_address(FakeLoadBalancer& balancer) {
  balancer.shown.retry_after = {};
  const std::string number = balancer.shown.id.substr(balancer.shown.id.rfind('-') + 1);
  Ingress ingress;
  ingress.ip = "203.0.113." + number;
  balancer.shown.ingress = {ingress};
}

void FakeLoadBalancers::activate(const std::string& uid) {
  const std::lock_guard lock(mutex_);
  FakeLoadBalancer& balancer = balancers.at(uid);
  balancer.shown.state = LoadBalancerState::active;
  if (balancer.shown.ingress.empty()) give_address(balancer);
}

void FakeLoadBalancers::answer_next(std::string operation, Result<LoadBalancer> answer) {
  const std::lock_guard lock(mutex_);
  answers_.emplace_back(std::move(operation), std::move(answer));
}

void FakeLoadBalancers::record(LoadBalancerCall call) {
  const std::lock_guard lock(mutex_);
  calls_.push_back(std::move(call));
}

std::vector<LoadBalancerCall> FakeLoadBalancers::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::vector<LoadBalancerCall> FakeLoadBalancers::calls(std::string_view operation) const {
  std::vector<LoadBalancerCall> found = calls();
  std::erase_if(found, [&](const LoadBalancerCall& call) { return call.operation != operation; });
  return found;
}

void FakeLoadBalancers::clear_calls() {
  const std::lock_guard lock(mutex_);
  calls_.clear();
}

}  // namespace ccm::testing
