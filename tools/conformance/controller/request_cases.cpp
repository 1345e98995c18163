// Requests of older and newer hosts to a controller: ccm/abi/base.h, R-4 to R-8.
#include "stage.hpp"

#include <fmt/format.h>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHeader = "ccm/abi/base.h";

using ControllerTable = Service<ccm_controller>;

ControllerTable table_of(Stage& stage) {
  const auto table = stage.created().component.interface<ccm_controller>(CCM_CONTROLLER);
  if (!table || table.get(&ccm_controller::setup) == nullptr ||
      table.get(&ccm_controller::reconcile) == nullptr) {
    Trial::skip("the controller lacks a mandatory function; see CONTROLLER-02");
  }
  return table;
}

// The three operations, each with a request of that shape.
Call setup_call(Stage& stage, Shape shape) {
  const auto table = table_of(stage);
  return {[table, shape](ccm_ctx ctx, ccm_completion done) {
            const Shaped<ccm_setup_request> shaped(shape);
            table.get (&ccm_controller::setup)(table.self(), ctx, &shaped.request, done);
          },
          nullptr,
          {}};
}

Call reconcile_call(Stage& stage, Shape shape) {
  stage.ready();
  const auto keys = stage.keys();
  if (keys.empty()) Trial::skip("no event leads to a key");
  const auto table = table_of(stage);
  return {[table, shape, key = keys.front()](ccm_ctx ctx, ccm_completion done) {
            Shaped<ccm_reconcile_request> shaped(shape);
            shaped.request.key = c_str(key);
            table.get (&ccm_controller::reconcile)(table.self(), ctx, &shaped.request, done);
          },
          nullptr,
          {}};
}

Call stop_call(Stage& stage, Shape shape) {
  stage.ready();
  const auto table = table_of(stage);
  if (table.get(&ccm_controller::stop) == nullptr) Trial::skip("the controller has no stop");
  return {[table, shape](ccm_ctx ctx, ccm_completion done) {
            const Shaped<ccm_stop_request> shaped(shape);
            table.get (&ccm_controller::stop)(table.self(), ctx, &shaped.request, done);
          },
          nullptr,
          {}};
}

using MakeCall = Call (*)(Stage& stage, Shape shape);

Status ended(Stage& stage, MakeCall make, Shape shape) {
  Call call = make(stage, shape);
  stage.tap.restart();
  call.ctx = stage.host.contexts.make(30s);
  auto& component = stage.created().component;
  const auto pending = component.start("operation", std::move(call));
  stage.host.loop.run_until([&] { return pending.done(); });
  if (!pending.done()) Trial::skip("it does not complete; see CONTROLLER-01 and CONTROLLER-20");
  stage.skip_when_broken();
  return pending.outcome().status;
}

template <MakeCall Make>
void refuses_unknown(Trial& trial, const std::string& component) {
  for (const Shape shape : {Shape::unknown_flag, Shape::unknown_member}) {
    const char* what = shape == Shape::unknown_flag ? "an unknown flag" : "an unknown member";
    Stage& stage = Stage::make(trial, component);
    const Status status = ended(stage, Make, shape);
    Trial::expect(status.code() == Code::unimplemented,
                  fmt::format("with {}, it ended with {}, not with UNIMPLEMENTED", what,
                              conformance::describe(status)));
    Trial::expect(
        status.reason() == CCM_REASON_UNKNOWN_REQUEST,
        fmt::format("with {}, it was refused with reason {}, not " CCM_REASON_UNKNOWN_REQUEST, what,
                    status.reason()));
    const auto writes = stage.tap.writes();
    Trial::expect(writes.empty(), "it refuses the request after a write: " +
                                      (writes.empty() ? std::string() : writes.front().text()));
  }
}

template <MakeCall Make>
void takes_larger(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  const Status status = ended(stage, Make, Shape::larger);
  Trial::expect(status.reason() != CCM_REASON_UNKNOWN_REQUEST,
                "it refuses the request of a newer host that asks for nothing new: " +
                    conformance::describe(status));
}

}  // namespace

void add_controller_request_cases(Cases& cases) {
  const std::string refuses =
      " refuses a request that asks for something unknown, and does nothing";
  const std::string takes = " takes the larger request of a newer host that asks for nothing new";
  add_case(cases, "CONTROLLER-40", "setup" + refuses, kHeader, "R-6",
           &refuses_unknown<&setup_call>);
  add_case(cases, "CONTROLLER-41", "setup" + takes, kHeader, "R-4, R-6",
           &takes_larger<&setup_call>);
  add_case(cases, "CONTROLLER-42", "reconcile" + refuses, kHeader, "R-6",
           &refuses_unknown<&reconcile_call>);
  add_case(cases, "CONTROLLER-43", "reconcile" + takes, kHeader, "R-4, R-6",
           &takes_larger<&reconcile_call>);
  add_case(cases, "CONTROLLER-44", "stop" + refuses, kHeader, "R-6", &refuses_unknown<&stop_call>);
  add_case(cases, "CONTROLLER-45", "stop" + takes, kHeader, "R-4, R-6", &takes_larger<&stop_call>);
}

}  // namespace ccm::conformance
