// Requests of older and newer hosts: ccm/abi/base.h, R-4 to R-8. The same three cases for each
// operation.
#include "conformance/case.hpp"
#include "conformance/trial.hpp"

#include <fmt/format.h>

namespace ccm::conformance {
namespace {

constexpr const char* kHeader = "ccm/abi/base.h";

void prepare(Trial& trial, const Method& method, int number) {
  trial.need(method);
  if (method.prepare != nullptr) method.prepare(trial, number);
}

void expect_refused(const Outcome& outcome, const Method& method, const char* what) {
  Trial::expect(outcome.status.code() == Code::unimplemented,
                fmt::format("{} with {} ended with {}, not with UNIMPLEMENTED", method.name, what,
                            describe(outcome.status)));
  Trial::expect(
      outcome.status.reason() == CCM_REASON_UNKNOWN_REQUEST,
      fmt::format("{} with {} was refused with reason {}, not " CCM_REASON_UNKNOWN_REQUEST,
                  method.name, what, outcome.status.reason()));
}

// Before anything is done.
void refuses_unknown(Trial& trial, const Method& method) {
  prepare(trial, method, 1);
  // The operation's needs are there before the exchanges are counted.
  if (method.interface != kInitialize.interface) {
    method.make(trial, 1, Shape::plain);
  }
  trial.network.restart();
  expect_refused(trial.run(method, 1, Shape::unknown_flag), method, "an unknown flag");
  expect_refused(trial.run(method, 1, Shape::unknown_member), method, "an unknown member");
  const auto writes = trial.network.writes();
  Trial::expect(writes.empty(),
                fmt::format("{} changes the cloud although it refuses the request", method.name));
}

void takes_larger(Trial& trial, const Method& method) {
  prepare(trial, method, 2);
  const Outcome outcome = trial.run(method, 2, Shape::larger);
  Trial::expect(outcome.status.code() != Code::unimplemented,
                fmt::format("{} refuses the request of a newer host that asks for nothing new: {}",
                            method.name, describe(outcome.status)));
}

void add(Cases& cases, const char* family, const Method& method, int first) {
  cases.push_back(
      {fmt::format("{}-{:02}", family, first),
       fmt::format("{} refuses a request with a flag or member that it does not know", method.name),
       kHeader, "R-6", [&method](Trial& trial) { refuses_unknown(trial, method); }});
  cases.push_back({fmt::format("{}-{:02}", family, first + 1),
                   fmt::format("{} takes the larger request of a newer host", method.name), kHeader,
                   "R-4, R-5", [&method](Trial& trial) { takes_larger(trial, method); }});
}

// Members of the structs to which a request points.
Outcome with_unknown_bit_in_service(Trial& trial, const Method& method, bool in_port) {
  trial.need(method);
  const auto table = trial.created().interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  LoadBalancerService service = trial.service(1);
  Call call{[table, service, in_port](ccm_ctx ctx, ccm_completion done) {
              const detail::LoadBalancerServiceC raw(service);
              ccm_service wanted = *raw.get();
              ccm_service_port port = *wanted.ports[0];
              const ccm_service_port* const ports[] = {&port};
              if (in_port) {
                port.flags |= 1U << 30;
                wanted.ports = ports;
              } else {
                wanted.flags |= 1U << 30;
              }
              auto request = sized<ccm_load_balancer_request>();
              request.service = &wanted;
              table.get (&ccm_cloud_loadbalancers::ensure)(table.self(), ctx, &request, done);
            },
            &read_balancer,
            {}};
  call.ctx = trial.host.contexts.make(std::chrono::seconds(30));
  trial.network.restart();
  return trial.finish(trial.created().start("ensure", std::move(call)));
}

void refuses_unknown_service(Trial& trial) {
  expect_refused(with_unknown_bit_in_service(trial, kEnsure, false), kEnsure,
                 "an unknown flag of the Service");
  Trial::expect(trial.network.writes().empty(),
                "ensure changes the cloud although it refuses the request");
}

void refuses_unknown_port(Trial& trial) {
  expect_refused(with_unknown_bit_in_service(trial, kEnsure, true), kEnsure,
                 "an unknown flag of a port");
  Trial::expect(trial.network.writes().empty(),
                "ensure changes the cloud although it refuses the request");
}

void refuses_unknown_backend(Trial& trial) {
  trial.need(kEnsure);
  const auto table = trial.created().interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  Call call{[table, service = trial.service(1)](ccm_ctx ctx, ccm_completion done) {
              const detail::LoadBalancerServiceC raw(service);
              auto backend = sized<ccm_backend>();
              backend.flags = 1U << 30;
              const ccm_backend* const backends[] = {&backend};
              auto request = sized<ccm_load_balancer_request>();
              request.service = raw.get();
              request.backends = backends;
              request.backend_count = 1;
              table.get (&ccm_cloud_loadbalancers::ensure)(table.self(), ctx, &request, done);
            },
            &read_balancer,
            {}};
  call.ctx = trial.host.contexts.make(std::chrono::seconds(30));
  expect_refused(trial.finish(trial.created().start("ensure", std::move(call))), kEnsure,
                 "an unknown flag of a backend");
}

void refuses_unknown_identity(Trial& trial) {
  trial.need(kGet);
  const auto table = trial.created().interface<ccm_cloud_instances>(CCM_CLOUD_INSTANCES);
  Call call{[table](ccm_ctx ctx, ccm_completion done) {
              auto identity = sized<ccm_node_identity>();
              identity.flags = 1U << 30;
              identity.name = {"node", 4};
              auto request = sized<ccm_get_instance_request>();
              request.node = &identity;
              table.get (&ccm_cloud_instances::get)(table.self(), ctx, &request, done);
            },
            &read_machine,
            {}};
  call.ctx = trial.host.contexts.make(std::chrono::seconds(30));
  expect_refused(trial.finish(trial.created().start("get", std::move(call))), kGet,
                 "an unknown flag of the Node");
}

}  // namespace

void add_request_cases(Cases& cases) {
  add(cases, "PROVIDER", kInitialize, 20);
  add(cases, "PROVIDER", kShutdown, 22);
  add(cases, "INSTANCES", kList, 20);
  add(cases, "INSTANCES", kDescribe, 22);
  add(cases, "INSTANCES", kGet, 24);
  cases.push_back({"INSTANCES-26", "get refuses a Node with a flag that it does not know", kHeader,
                   "R-6", &refuses_unknown_identity});
  add(cases, "LOADBALANCERS", kEnsure, 30);
  add(cases, "LOADBALANCERS", kObserve, 32);
  add(cases, "LOADBALANCERS", kUpdateBackends, 34);
  add(cases, "LOADBALANCERS", kRemove, 36);
  cases.push_back({"LOADBALANCERS-38", "ensure refuses a Service with a flag that it does not know",
                   kHeader, "R-6", &refuses_unknown_service});
  cases.push_back({"LOADBALANCERS-39", "ensure refuses a port with a flag that it does not know",
                   kHeader, "R-6", &refuses_unknown_port});
  cases.push_back({"LOADBALANCERS-40", "ensure refuses a backend with a flag that it does not know",
                   kHeader, "R-6", &refuses_unknown_backend});
  add(cases, "ROUTES", kListRoutes, 20);
  add(cases, "ROUTES", kAddRoute, 22);
  add(cases, "OWNED", kListOwned, 20);
  add(cases, "OWNED", kRemoveOwned, 22);
}

}  // namespace ccm::conformance
