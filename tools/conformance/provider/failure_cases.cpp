// The status of a provider whose cloud refuses: ccm/abi/status.h. The same cases for each
// operation, since the host acts on the class alone (R-37).
#include "conformance/case.hpp"
#include "conformance/trial.hpp"

#include <fmt/format.h>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHeader = "ccm/abi/status.h";

// Each exchange is broken; what the operation says.
Status say(Trial& trial, const Method& method, const Break& how) {
  trial.need(method);
  if (method.prepare != nullptr) method.prepare(trial, 3);
  if (method.interface != kInitialize.interface) method.make(trial, 3, Shape::plain);
  if (method.interface != kInitialize.interface) trial.need_http();
  trial.network.restart();
  trial.network.break_all(how);
  const Outcome outcome = trial.run(method, 3);
  if (trial.network.count() == 0) Trial::skip("the operation asks the cloud for nothing");
  Trial::expect(!outcome.status.ok(), fmt::format("{} succeeds although every answer of the cloud "
                                                  "is an error",
                                                  method.name));
  return outcome.status;
}

void says_throttled(Trial& trial, const Method& method) {
  const Status status =
      say(trial, method,
          Break::with(429, R"({"id":"too_many_requests","message":"API rate limit exceeded."})",
                      {{"retry-after", "7"}, {"content-type", "application/json"}}));
  Trial::expect(status.error_class() == ErrorClass::throttled,
                fmt::format("after a 429, {} ended with {}", method.name, describe(status)));
  Trial::expect(status.retry_after() >= 7s && status.retry_after() <= 60s,
                fmt::format("after a 429 with \"Retry-After: 7\", {} says {} ms", method.name,
                            status.retry_after().count()));
}

void says_auth(Trial& trial, const Method& method) {
  const Status status =
      say(trial, method,
          Break::with(401, R"({"id":"unauthorized","message":"Unable to authenticate you."})",
                      {{"content-type", "application/json"}}));
  Trial::expect(status.error_class() == ErrorClass::auth,
                fmt::format("after a 401, {} ended with {}", method.name, describe(status)));
}

void says_unavailable(Trial& trial, const Method& method) {
  const Status status = say(trial, method, Break::with(503, "try later"));
  Trial::expect(status.error_class() == ErrorClass::unavailable,
                fmt::format("after a 503, {} ended with {}", method.name, describe(status)));
  Trial::expect(!status.message().empty(),
                fmt::format("after a 503, {} fails without a message", method.name));
}

void says_unreachable(Trial& trial, const Method& method) {
  const Status status = say(trial, method, {Break::Kind::no_answer});
  Trial::expect(status.error_class() == ErrorClass::unavailable,
                fmt::format("without an answer, {} ended with {}", method.name, describe(status)));
}

void add(Cases& cases, const char* family, const Method& method, int first) {
  const auto put = [&](int offset, const char* what, const char* rule,
                       void (*run)(Trial&, const Method&)) {
    cases.push_back({fmt::format("{}-{:02}", family, first + offset),
                     fmt::format("{} says {}", method.name, what), kHeader, rule,
                     [&method, run](Trial& trial) { run(trial, method); }});
  };
  put(0, "THROTTLED and when to come back, after a 429", "CCM_CLASS_THROTTLED", &says_throttled);
  put(1, "AUTH after a 401", "CCM_CLASS_AUTH", &says_auth);
  put(2, "UNAVAILABLE after a 503", "CCM_CLASS_UNAVAILABLE", &says_unavailable);
  put(3, "UNAVAILABLE when no answer came", "CCM_CLASS_UNAVAILABLE", &says_unreachable);
}

}  // namespace

void add_failure_cases(Cases& cases) {
  add(cases, "PROVIDER", kInitialize, 30);
  add(cases, "INSTANCES", kList, 30);
  add(cases, "INSTANCES", kGet, 34);
  add(cases, "INSTANCES", kDescribe, 38);
  add(cases, "LOADBALANCERS", kEnsure, 50);
  add(cases, "LOADBALANCERS", kObserve, 54);
  add(cases, "LOADBALANCERS", kRemove, 58);
  add(cases, "ROUTES", kListRoutes, 30);
  add(cases, "ROUTES", kAddRoute, 34);
}

}  // namespace ccm::conformance
