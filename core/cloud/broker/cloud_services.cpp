#include "cloud/broker/cloud_services.hpp"

#include "base/log.hpp"
#include "cloud/broker/abi_structs.hpp"
#include "plugin/host_services/kube_service.hpp"
#include "plugin/operations.hpp"
#include "plugin/waiting.hpp"

#include <string>
#include <vector>

namespace ccm::cloud {

namespace {

Result<InstanceQuery> read_query(const ccm_node_identity* given) {
  if (given == nullptr) return Status(Code::invalid_argument, "no node was given to look for");
  if (!only_known(given)) return plugin::unknown_request();
  const ccm_node_identity node = known(given);
  InstanceQuery query;
  query.name = view(node.name);
  query.provider_id = view(node.provider_id);
  query.max_age = std::chrono::milliseconds(node.max_age_ms);
  query.node = kube::ObjectPtr(plugin::object_of(node.node));
  query.not_before = query.node ? query.node->seen() : BootClock::now();
  if (query.name.empty() && query.provider_id.empty()) {
    return Status(Code::invalid_argument, "a node without a name and a provider ID was given");
  }
  return query;
}

void end_with_list(plugin::HostOperation& running, const InstanceSnapshot::Ptr& snapshot) {
  InstanceExport instances;
  for (std::size_t index = 0; index < snapshot->size(); ++index) instances.add(snapshot, index);
  for (const auto& prefix : snapshot->unknown_prefixes()) instances.add_unknown(prefix);
  // An instance that stands twice moved while the pages were read, and another may have been
  // missed.
  if (snapshot->repeats() > 0) instances.add_unknown("");
  running.end({}, &instances.list());
}

// Questions about several instances with their answers.
struct Batch {
  InstancesBroker& broker;
  std::vector<InstanceQuery> queries;
  std::vector<InstanceAnswer> answers;
};

Task<Result<Batch>> find_all(InstancesBroker& broker, std::vector<InstanceQuery> queries,
                             std::shared_ptr<plugin::Origin> origin) {
  Batch batch{broker, std::move(queries), {}};
  std::vector<Task<InstanceAnswer>> questions;
  for (InstanceQuery& query : batch.queries) {
    query.origin = origin;
    questions.push_back(broker.find(query));
  }
  batch.answers = co_await plugin::all_of(std::move(questions));
  co_return batch;
}

bool same_fault(const Status& one, const Status& other) {
  return one.code() == other.code() && one.error_class() == other.error_class() &&
         one.reason() == other.reason();
}

// An instance of which nothing is known is UNKNOWN in the list, with the reason. When no instance
// is known at all, and all for the same reason, the whole call fails with it.
void end_batch(plugin::HostOperation& running, const Batch& batch) {
  InstanceExport instances;
  std::size_t failed = 0;
  const Status first = batch.answers.empty() ? Status() : batch.answers.front().status;
  for (std::size_t index = 0; index < batch.answers.size(); ++index) {
    const InstanceAnswer& answer = batch.answers[index];
    const InstanceQuery& query = batch.queries[index];
    if (answer.snapshot) {
      instances.add(answer.snapshot, answer.index);
      continue;
    }
    const Status why = answer.status.ok()
                           ? Status(Code::not_found, batch.broker.absence_text(query))
                           : answer.status;
    instances.add_state(answer.state(), query.name, query.provider_id, why);
    if (answer.status.ok()) continue;
    if (same_fault(answer.status, first)) ++failed;
    if (const auto line = log::v(2)) {
      line.info("Nothing is known of an instance", {{"node", query.name}, {"err", answer.status}});
    }
  }
  if (failed > 0 && failed == batch.answers.size()) return running.end(first);
  running.end({}, &instances.list());
}

void end_with_answer(plugin::HostOperation& running, const Batch& batch) {
  const InstanceAnswer& answer = batch.answers.front();
  if (!answer.status.ok()) return running.end(answer.status);
  if (!answer.snapshot) {
    return running.end(Status(Code::not_found, ErrorClass::not_found, "the instance does not exist")
                           .with_reason("InstanceNotFound"));
  }
  InstanceExport instance;
  instance.add(answer.snapshot, answer.index);
  running.end({}, instance.list().instances[0]);
}

// The broker keeps to the provider's limits and takes any number of instances.
Task<Result<InstanceLimits>> no_limits() { co_return InstanceLimits(); }

}  // namespace

void InstancesService::list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                            ccm_completion done) noexcept {
  call(
      self, ctx, done, plugin::known_operation("instances.list"), plugin::check_request(request),
      [](InstancesBroker& broker, const plugin::HostOperation&) { return broker.list(); },
      ending_with<InstanceSnapshot::Ptr>(end_with_list));
}

void InstancesService::describe(void* self, ccm_ctx ctx,
                                const ccm_describe_instances_request* given,
                                ccm_completion done) noexcept {
  const ccm_describe_instances_request request = known(given);
  Status wrong = plugin::check_request(given);
  if (wrong.ok() && !sound_list(request.nodes, request.node_count, kThingLimit)) {
    wrong = Status(Code::invalid_argument, "a malformed list of nodes was given");
  }
  std::vector<InstanceQuery> queries;
  for (std::size_t index = 0; wrong.ok() && index < request.node_count; ++index) {
    auto query = read_query(request.nodes[index]);
    wrong = query.status();
    if (wrong.ok()) queries.push_back(*std::move(query));
  }
  call(
      self, ctx, done, plugin::known_operation("instances.describe"), std::move(wrong),
      [queries = std::move(queries)](InstancesBroker& broker,
                                     const plugin::HostOperation& running) {
        return find_all(broker, queries, running.context()->origin());
      },
      ending_with<Batch>(end_batch));
}

void InstancesService::get(void* self, ccm_ctx ctx, const ccm_get_instance_request* given,
                           ccm_completion done) noexcept {
  const Status wrong = plugin::check_request(given);
  auto query = wrong.ok() ? read_query(known(given).node) : Result<InstanceQuery>(wrong);
  call(
      self, ctx, done, plugin::known_operation("instances.get"), query.status(),
      [query](InstancesBroker& broker, const plugin::HostOperation& running) {
        return find_all(broker, {*query}, running.context()->origin());
      },
      ending_with<Batch>(end_with_answer));
}

void InstancesService::limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                              ccm_completion done) noexcept {
  call(
      self, ctx, done, plugin::known_operation("instances.limits"), plugin::check_request(request),
      [](const InstancesBroker&, const plugin::HostOperation&) { return no_limits(); },
      ending_with<InstanceLimits>([](plugin::HostOperation& running, const InstanceLimits&) {
        const auto none = sized<ccm_instance_limits>();
        running.end({}, &none);
      }));
}

const ccm_cloud_instances InstancesService::kTable{sizeof(kTable), 0,    &list,
                                                   &describe,      &get, &limits};

namespace {

// A failure may have made something first.
void end_with_balancer(plugin::HostOperation& running, const Result<LoadBalancer>& outcome) {
  const LoadBalancer* made = outcome.ok() ? &*outcome : outcome.partial();
  if (made == nullptr) return running.end(outcome.status());
  const detail::LoadBalancerC raw(*made);
  running.end(outcome.status(), raw.get());
}

// With the text in that member.
template <typename Raw>
auto ending_with_text(ccm_str Raw::*member) {
  return ending_with<std::string>(
      [member](plugin::HostOperation& operation, const std::string& text) {
        auto raw = sized<Raw>();
        raw.*member = c_str(text);
        operation.end({}, &raw);
      });
}

// With the limits in the ABI's form.
template <typename T>
auto ending_with_limits() {
  return ending_with<T>([](plugin::HostOperation& operation, const T& limits) {
    const auto raw = detail::limits_to_c(limits);
    operation.end({}, &raw);
  });
}

}  // namespace

template <typename Method, typename End>
void LoadBalancersService::ask(void* self, ccm_ctx ctx, Asked request, ccm_completion done,
                               std::string_view name, Method method, End end) noexcept {
  // Read on the caller's thread and shared from then on: it can be long.
  auto& service = *static_cast<LoadBalancersService*>(self);
  auto read =
      std::make_shared<const Result<LoadBalancerRequest>>(read_request(request, service.lists_));
  Status wrong = read->status();
  auto work = [read = std::move(read), method](LoadBalancersBroker& broker,
                                               const plugin::HostOperation& running) {
    return (broker.*method)(LoadBalancersBroker::Request(read, &**read), running.context());
  };
  call(self, ctx, done, name, std::move(wrong), std::move(work), std::move(end));
}

void LoadBalancersService::observe(void* self, ccm_ctx ctx, Asked request,
                                   ccm_completion done) noexcept {
  ask(self, ctx, request, done, plugin::known_operation("loadbalancers.observe"),
      &LoadBalancersBroker::observe, end_with_balancer);
}

void LoadBalancersService::ensure(void* self, ccm_ctx ctx, Asked request,
                                  ccm_completion done) noexcept {
  ask(self, ctx, request, done, plugin::known_operation("loadbalancers.ensure"),
      &LoadBalancersBroker::ensure, end_with_balancer);
}

void LoadBalancersService::update_backends(void* self, ccm_ctx ctx, Asked request,
                                           ccm_completion done) noexcept {
  ask(self, ctx, request, done, plugin::known_operation("loadbalancers.update_backends"),
      &LoadBalancersBroker::update_backends, end_with_balancer);
}

void LoadBalancersService::remove(void* self, ccm_ctx ctx, Asked request,
                                  ccm_completion done) noexcept {
  ask(self, ctx, request, done, plugin::known_operation("loadbalancers.delete"),
      &LoadBalancersBroker::remove,
      [](plugin::HostOperation& running, const Status& status) { running.end(status); });
}

void LoadBalancersService::name(void* self, ccm_ctx ctx, Asked request,
                                ccm_completion done) noexcept {
  ask(self, ctx, request, done, plugin::known_operation("loadbalancers.name"),
      &LoadBalancersBroker::name, ending_with_text(&ccm_load_balancer_name::name));
}

void LoadBalancersService::lane(void* self, ccm_ctx ctx, Asked request,
                                ccm_completion done) noexcept {
  ask(self, ctx, request, done, plugin::known_operation("loadbalancers.lane"),
      &LoadBalancersBroker::lane, ending_with_text(&ccm_load_balancer_lane::lane));
}

void LoadBalancersService::limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                                  ccm_completion done) noexcept {
  call(
      self, ctx, done, plugin::known_operation("loadbalancers.limits"),
      plugin::check_request(request),
      [](LoadBalancersBroker& broker, const plugin::HostOperation& running) {
        return broker.limits(running.context());
      },
      ending_with_limits<LoadBalancerLimits>());
}

const ccm_cloud_loadbalancers LoadBalancersService::kTable{
    sizeof(kTable), 0, &observe, &ensure, &update_backends, &remove, &name, &lane, &limits};

void RoutesService::list(void* self, ccm_ctx ctx, const ccm_list_routes_request* request,
                         ccm_completion done) noexcept {
  call(
      self, ctx, done, plugin::known_operation("routes.list"), plugin::check_request(request),
      [cluster = std::string(view(known(request).cluster_name))](
          RoutesBroker& broker, const plugin::HostOperation& running) {
        return broker.list(cluster, running.context());
      },
      ending_with<std::vector<Route>>(
          [](plugin::HostOperation& operation, const std::vector<Route>& listed) {
            const detail::RoutesC raw(listed);
            operation.end({}, raw.list());
          }));
}

void RoutesService::apply(void* self, ccm_ctx ctx, const ccm_apply_routes_request* given,
                          ccm_completion done) noexcept {
  const ccm_apply_routes_request request = known(given);
  Status wrong = plugin::check_request(given);
  auto remove = read_routes(request.remove, request.remove_count);
  auto add = read_routes(request.add, request.add_count);
  if (wrong.ok()) wrong = !remove.ok() ? remove.status() : add.status();
  auto changes = std::make_shared<RoutesBroker::Changes>();
  if (wrong.ok()) {
    *changes = {std::string(view(request.cluster_name)), *std::move(remove), *std::move(add)};
  }
  call(
      self, ctx, done, plugin::known_operation("routes.apply"), std::move(wrong),
      [changes](RoutesBroker& broker, const plugin::HostOperation& running) {
        return broker.apply(std::move(*changes), running.context());
      },
      ending_with<std::vector<Status>>(
          [](plugin::HostOperation& operation, const std::vector<Status>& made) {
            const detail::RouteResultsC raw(made);
            operation.end({}, raw.get());
          }));
}

void RoutesService::limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                           ccm_completion done) noexcept {
  call(
      self, ctx, done, plugin::known_operation("routes.limits"), plugin::check_request(request),
      [](RoutesBroker& broker, const plugin::HostOperation& running) {
        return broker.limits(running.context());
      },
      ending_with_limits<RouteLimits>());
}

const ccm_cloud_routes RoutesService::kTable{sizeof(kTable), 0, &list, &apply, &limits};

}  // namespace ccm::cloud
