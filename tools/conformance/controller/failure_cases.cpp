// Calls of the host that fail: each class of error at each call, after which the world has to come
// to fit all the same.
#include "stage.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;

constexpr const char* kController = "ccm/abi/controller.h";
constexpr std::size_t kMostSteps = 12;
constexpr auto kRetryAfter = 20s;

bool is_kube(const HostCall& call) { return call.service == "kube"; }
bool any_call(const HostCall&) { return true; }
bool kube_write(const HostCall& call) { return is_kube(call) && call.writes; }
bool cloud_write(const HostCall& call) { return !is_kube(call) && call.writes; }
bool any_write(const HostCall& call) { return call.writes; }
bool of_object(const HostCall& call) { return !call.name.empty(); }

using Matches = bool (*)(const HostCall& call);

// Breaks the `step`-th call that matches; false when there are fewer.
bool break_at(Stage& stage, Matches matches, std::size_t step, const Fault& fault,
              std::string& broken) {
  std::size_t seen = 0;
  stage.tap.judge([&, matches, step](const HostCall& call, std::size_t) -> std::optional<Fault> {
    if (!matches(call) || seen++ != step) return std::nullopt;
    broken = call.text();
    return fault;
  });
  stage.settle();
  stage.tap.judge(nullptr);
  return !broken.empty();
}

void heals(Trial& trial, const std::string& component, Matches matches, const Fault& fault) {
  Stage& whole = Stage::make(trial, component);
  whole.settle();
  const auto calls = whole.tap.calls();
  if (std::none_of(calls.begin(), calls.end(), matches)) {
    Trial::skip("it makes no such call");
  }
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    Stage& stage = Stage::make(trial, component);
    std::string broken;
    if (!break_at(stage, matches, step, fault, broken)) return;
    Trial::expect(stage.form() == whole.form(),
                  fmt::format("when the {} ends with {}, the world does not come to fit, although "
                              "all works again and a resync came",
                              broken, conformance::describe(fault.status)));
  }
}

Status no_answer() { return Status(Code::unavailable, ErrorClass::unavailable, "no answer"); }

void heals_after_conflict(Trial& trial, const std::string& component) {
  heals(trial, component, &kube_write,
        {Fault::Kind::fail,
         Status(Code::aborted, ErrorClass::conflict, "the object has been modified")
             .with_reason("Conflict")});
}
void heals_after_no_answer(Trial& trial, const std::string& component) {
  heals(trial, component, &any_call, {Fault::Kind::fail, no_answer()});
}
void heals_after_lost_answer(Trial& trial, const std::string& component) {
  heals(trial, component, &any_write, {Fault::Kind::lose, no_answer()});
}
void heals_after_throttling(Trial& trial, const std::string& component) {
  heals(trial, component, &any_call,
        {Fault::Kind::fail,
         Status(Code::resource_exhausted, ErrorClass::throttled, "too many requests")
             .with_retry_after(kRetryAfter)});
}
void heals_after_internal_error(Trial& trial, const std::string& component) {
  heals(trial, component, &any_call, {Fault::Kind::fail, Status(Code::internal, "a fault")});
}
void heals_after_refused_credential(Trial& trial, const std::string& component) {
  heals(trial, component, &any_call,
        {Fault::Kind::fail,
         Status(Code::permission_denied, ErrorClass::auth, "forbidden").with_reason("Forbidden")});
}
void heals_after_quota(Trial& trial, const std::string& component) {
  heals(trial, component, &cloud_write,
        {Fault::Kind::fail,
         Status(Code::resource_exhausted, ErrorClass::quota, "the quota is used up")});
}
void heals_after_refusal(Trial& trial, const std::string& component) {
  heals(
      trial, component, &any_write,
      {Fault::Kind::fail, Status(Code::invalid_argument, ErrorClass::invalid_spec, "impossible")});
}
void heals_after_lost_lease(Trial& trial, const std::string& component) {
  heals(trial, component, &any_write,
        {Fault::Kind::fail, Status(Code::failed_precondition, "this host does not lead")
                                .with_reason(CCM_REASON_NOT_LEADING)});
}
void heals_after_hanging(Trial& trial, const std::string& component) {
  heals(trial, component, &any_call,
        {Fault::Kind::hang, Status(Code::deadline_exceeded, "the deadline passed")});
}

void heals_in_a_newer_host(Trial& trial, const std::string& component) {
  Stage& whole = Stage::make(trial, component);
  whole.settle();
  Stage& stage = Stage::make(trial, component);
  stage.tap.set_future(true);
  stage.settle();
  Trial::expect(stage.form() == whole.form(),
                "with statuses and results that are larger than these headers know, the world "
                "does not come to fit");
}

// Too early, by the same reconcile or by its retry.
void waits_when_throttled(Trial& trial, const std::string& component) {
  bool any = false;
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    Stage& stage = Stage::make(trial, component);
    std::size_t seen = 0;
    std::string broken;
    bool early = false;
    stage.tap.judge([&, step](const HostCall& call, std::size_t) -> std::optional<Fault> {
      if (!broken.empty()) early = early || call.text() == broken;
      if (!of_object(call) || seen++ != step) return std::nullopt;
      broken = call.text();
      return Fault{Fault::Kind::fail,
                   Status(Code::resource_exhausted, ErrorClass::throttled, "too many requests")
                       .with_retry_after(kRetryAfter)};
    });
    for (const std::string& key : stage.keys()) {
      const auto began = stage.host.loop.now();
      const auto outcome = stage.reconcile(key);
      if (broken.empty()) continue;
      any = true;
      if (stage.host.loop.now() - began >= kRetryAfter) break;
      Trial::expect(!early, fmt::format("the {} was THROTTLED for 20 s, and the same reconcile "
                                        "repeats it at once",
                                        broken));
      const Status status = outcome.status();
      const bool comes_back = !status.ok() && !status.permanent() && !status.over_quota();
      Trial::expect(!comes_back || status.retry_after() >= kRetryAfter - 1s,
                    fmt::format("the {} was THROTTLED for 20 s, and the key comes back in {} ms",
                                broken, status.retry_after().count()));
      break;
    }
    if (broken.empty()) break;
  }
  if (!any) Trial::skip("it makes no call about one object");
}

void expect_nodes_kept(Stage& stage, const std::string& why) {
  const auto calls = stage.tap.calls();
  const bool asked = std::any_of(calls.begin(), calls.end(),
                                 [](const HostCall& call) { return call.service == "instances"; });
  if (!asked) Trial::skip("it asks for no instance");
  for (const HostCall& call : calls) {
    Trial::expect(call.resource != "v1/nodes" || call.operation != "delete",
                  fmt::format("it deletes the Node {} although {}", call.name, why));
  }
}

void deletes_no_node_when_listing_fails(Trial& trial, const std::string& component) {
  for (const ErrorClass error_class :
       {ErrorClass::none, ErrorClass::invalid_spec, ErrorClass::auth, ErrorClass::quota,
        ErrorClass::conflict, ErrorClass::throttled, ErrorClass::unavailable, ErrorClass::waiting,
        ErrorClass::unsupported}) {
    Stage& stage = Stage::make(trial, component);
    stage.tap.judge([error_class](const HostCall& call, std::size_t) -> std::optional<Fault> {
      if (call.service != "instances") return std::nullopt;
      return Fault{Fault::Kind::fail, Status(Code::unavailable, error_class, "no listing")};
    });
    stage.settle();
    expect_nodes_kept(stage, "instances cannot be listed");
  }
}

void deletes_no_node_of_unknown_machines(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  stage.machines.all_unknown = true;
  stage.settle();
  expect_nodes_kept(stage, "its instance is UNKNOWN");
  Stage& future = Stage::make(trial, component);
  future.machines.state_of_the_future = true;
  future.settle();
  expect_nodes_kept(future, "the state of its instance is a number that counts as UNKNOWN");
}

}  // namespace

void add_controller_failure_cases(Cases& cases) {
  const char* status = "ccm/abi/status.h";
  add_case(cases, "CONTROLLER-50", "the world comes to fit after a CONFLICT at any write", status,
           "CCM_CLASS_CONFLICT", &heals_after_conflict);
  add_case(cases, "CONTROLLER-51", "the world comes to fit after no answer to any call",
           kController, "R-102, R-100", &heals_after_no_answer);
  add_case(cases, "CONTROLLER-52", "the world comes to fit after a lost answer to any write",
           "ccm/abi/kube.h", "R-162", &heals_after_lost_answer);
  add_case(cases, "CONTROLLER-53", "the world comes to fit after any call was THROTTLED",
           kController, "R-102", &heals_after_throttling);
  add_case(cases, "CONTROLLER-54", "a THROTTLED call is not repeated before its time", status,
           "CCM_CLASS_THROTTLED", &waits_when_throttled);
  add_case(cases, "CONTROLLER-55",
           "the world comes to fit after a failure without class at any call", kController,
           "R-102, R-100", &heals_after_internal_error);
  add_case(cases, "CONTROLLER-56", "the world comes to fit after a refused credential at any call",
           kController, "R-102", &heals_after_refused_credential);
  add_case(cases, "CONTROLLER-57", "the world comes to fit after a quota was used up", kController,
           "R-102", &heals_after_quota);
  add_case(cases, "CONTROLLER-58",
           "the world comes to fit at the next event after a write was impossible", kController,
           "R-102", &heals_after_refusal);
  add_case(cases, "CONTROLLER-59", "the world comes to fit when the host leads again",
           "ccm/abi/kube.h", "R-160", &heals_after_lost_lease);
  add_case(cases, "CONTROLLER-60",
           "the world comes to fit after the deadline of a reconcile at any call", kController,
           "R-102, R-41", &heals_after_hanging);
  add_case(cases, "CONTROLLER-61", "the world comes to fit in a host whose results are larger",
           "ccm/abi/base.h", "R-5, R-7", &heals_in_a_newer_host);
  add_case(cases, "CONTROLLER-62", "no Node is deleted when instances cannot be listed",
           "ccm/abi/instances.h", "R-70", &deletes_no_node_when_listing_fails);
  add_case(cases, "CONTROLLER-63", "no Node is deleted when its instance is UNKNOWN",
           "ccm/abi/instances.h", "R-70, ccm_instance.state", &deletes_no_node_of_unknown_machines);
}

}  // namespace ccm::conformance
