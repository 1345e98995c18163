// Load balancers of others, and answers that were lost: ccm/abi/loadbalancers.h, R-92 to R-95.
#include "conformance/case.hpp"
#include "conformance/trial.hpp"

#include <fmt/format.h>

namespace ccm::conformance {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr const char* kHeader = "ccm/abi/loadbalancers.h";
constexpr std::size_t kMostWrites = 12;

std::string plant(Trial& trial) {
  trial.need(kEnsure);
  trial.backends();
  return trial.ask({{"do", "plant-load-balancer"}}).at("id");
}

void leaves_a_foreign_one(Trial& trial) {
  trial.service(0).id = plant(trial);
  trial.watch_cloud();
  const Outcome outcome = trial.run(kEnsure);
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(),
                "ensure of a Service whose recorded id leads to somebody else's "
                "changes the cloud: " +
                    changes);
  Trial::expect(outcome.ok() && outcome.balancer.state == LoadBalancerState::foreign,
                fmt::format("ensure of a Service whose recorded id leads to somebody else's ended "
                            "with {} and state {}",
                            describe(outcome.status), static_cast<int>(outcome.balancer.state)));
  Trial::expect(outcome.balancer.id.empty() && outcome.balancer.ingress.empty(),
                "a FOREIGN load balancer has an id or an ingress");
}

void observes_a_foreign_one(Trial& trial) {
  trial.need(kObserve);
  trial.service(0).id = plant(trial);
  const Outcome outcome = trial.run(kObserve);
  Trial::expect(outcome.ok() && outcome.balancer.state == LoadBalancerState::foreign,
                fmt::format("observe of a Service whose recorded id leads to somebody else's ended "
                            "with {} and state {}",
                            describe(outcome.status), static_cast<int>(outcome.balancer.state)));
}

void removes_no_foreign_one(Trial& trial) {
  trial.service(0).id = plant(trial);
  trial.watch_cloud();
  const Status status = trial.run(kRemove).status;
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(),
                "remove changes a load balancer that is somebody else's: " + changes);
  Trial::expect(
      status.code() == Code::failed_precondition && status.reason() == CCM_REASON_NOT_OWNED,
      "remove of somebody else's load balancer ended with " + describe(status));
}

void updates_no_foreign_one(Trial& trial) {
  trial.need(kUpdateBackends);
  trial.service(0).id = plant(trial);
  trial.watch_cloud();
  trial.run(kUpdateBackends);
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(),
                "update_backends changes a load balancer that is somebody else's: " + changes);
}

void adopts(Trial& trial) {
  const std::string id = plant(trial);
  trial.service(0).adopt_id = id;
  const Outcome outcome = trial.ensure_until_active(0);
  if (outcome.status.error_class() == ErrorClass::invalid_spec ||
      outcome.status.error_class() == ErrorClass::unsupported) {
    Trial::skip("the provider refuses this load balancer: " + describe(outcome.status));
  }
  Trial::expect(outcome.ok(), "ensure with adopt_id failed with " + describe(outcome.status));
  Trial::expect(outcome.balancer.id == id,
                fmt::format("ensure with adopt_id {} gives {}", id, outcome.balancer.id));
  trial.service(0).adopt_id.clear();
  const Outcome again = trial.ensure_until_active(0);
  Trial::expect(again.ok() && again.balancer.state == LoadBalancerState::active,
                "what was adopted does not bear our mark: " + describe(again.status));
}

// The record is gone, or wrong: the mark in the cloud counts.
void finds_its_own(Trial& trial) {
  const LoadBalancer made = trial.ensured();
  trial.service(0).id.clear();
  trial.watch_cloud();
  const Outcome outcome = trial.run(kEnsure);
  Trial::expect(outcome.ok() && outcome.balancer.id == made.id,
                fmt::format("the id was not recorded, and ensure makes {} besides {}",
                            outcome.balancer.id, made.id));
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(),
                "the id was not recorded, and ensure changes the cloud: " + changes);
}

void removes_without_a_record(Trial& trial) {
  trial.need(kObserve);
  trial.ensured();
  trial.service(0).id.clear();
  const Status gone = trial.removed(0);
  Trial::expect(gone.ok(), "remove without a recorded id ended with " + describe(gone));
  const Outcome seen = trial.run(kObserve);
  Trial::expect(seen.ok() && seen.balancer.state == LoadBalancerState::absent,
                "remove without a recorded id leaves the load balancer in the cloud");
}

void removes_without_ports(Trial& trial) {
  trial.need(kObserve);
  trial.ensured();
  const auto ports = trial.service(0).ports;
  trial.service(0).ports.clear();
  const Status gone = trial.removed(0);
  Trial::expect(gone.ok(), "remove of a Service without ports ended with " + describe(gone));
  trial.service(0).ports = ports;
  trial.service(0).id.clear();
  const Outcome seen = trial.run(kObserve);
  Trial::expect(seen.ok() && seen.balancer.state == LoadBalancerState::absent,
                "remove of a Service without ports leaves the load balancer in the cloud");
}

// Writes of `method` for a Service, by their places among its exchanges.
std::vector<std::size_t> writes_of(Trial& trial, const Method& method, int number) {
  if (method.prepare != nullptr) method.prepare(trial, number);
  method.make(trial, number, Shape::plain);
  trial.network.restart();
  trial.run(method, number);
  return trial.network.write_places();
}

Outcome repeat(Trial& trial, const Method& method, int number) {
  if (&method != &kRemove) return trial.ensure_until_active(number);
  return trial.removed(number);
}

// After a write that broke, the next attempts end where one without trouble would have.
void recovers(Trial& trial, const Method& method, const Break& how, const char* what) {
  trial.need(kEnsure);
  trial.need(method);
  if (trial.cloud.ask({{"do", "snapshot"}}).is_null()) {
    Trial::skip("the cloud's command has no snapshot");
  }
  trial.ensured(1);
  (void)trial.removed(1);
  const auto places = writes_of(trial, method, 20);
  if (places.empty()) Trial::skip("the operation writes nothing through " CCM_HOST_HTTP);
  trial.ensure_until_active(20);
  (void)trial.removed(20);
  trial.network.restart();
  const auto before = trial.ask({{"do", "snapshot"}});
  for (std::size_t i = 0; i < places.size() && i < kMostWrites; ++i) {
    const int number = 21 + static_cast<int>(i);
    if (method.prepare != nullptr) method.prepare(trial, number);
    trial.network.restart();
    trial.network.break_at(places[i], how);
    const Outcome broken = trial.run(method, number);
    if (&method == &kRemove && broken.ok()) {
      Trial::expect(trial.ask({{"do", "snapshot"}}) == before,
                    fmt::format("{} {}, said success and left something", what, i + 1));
    }
    // what was made so far is recorded although the operation failed.
    if (!broken.balancer.id.empty()) trial.service(number).id = broken.balancer.id;
    trial.network.restart();
    const Outcome mended = repeat(trial, method, number);
    Trial::expect(mended.ok(), fmt::format("{} {}, and then {} ended with {}", what, i + 1,
                                           method.name, describe(mended.status)));
    trial.service(number).id.clear();
    const Status gone = trial.removed(number);
    Trial::expect(gone.ok(),
                  fmt::format("{} {}, and then remove ended with {}", what, i + 1, describe(gone)));
    const auto after = trial.ask({{"do", "snapshot"}});
    Trial::expect(after == before,
                  fmt::format("{} {}, and when all is removed again something is left: {}", what,
                              i + 1, after.dump()));
  }
}

void survives_lost_answers(Trial& trial) {
  recovers(trial, kEnsure, {Break::Kind::lost_answer}, "ensure lost the answer to write");
}
void survives_lost_writes(Trial& trial) {
  recovers(trial, kEnsure, {Break::Kind::no_answer}, "ensure lost write");
}
void survives_lost_answers_of_remove(Trial& trial) {
  recovers(trial, kRemove, {Break::Kind::lost_answer}, "remove lost the answer to write");
}
void survives_lost_writes_of_remove(Trial& trial) {
  recovers(trial, kRemove, {Break::Kind::no_answer}, "remove lost write");
}
void survives_refused_writes(Trial& trial) {
  recovers(trial, kEnsure, Break::with(500, "{}"), "ensure got a 500 for write");
}
void survives_refused_writes_of_remove(Trial& trial) {
  recovers(trial, kRemove, Break::with(500, "{}"), "remove got a 500 for write");
}

// The account's limit of calls is reached in the middle: the operation says so, asks for no more,
// and the next one ends where it would have.
void stops_at_a_rate_limit(Trial& trial, const Method& method) {
  constexpr std::size_t kUnderWay = 8;  // requests that were sent beside the one that was refused
  trial.need(kEnsure);
  trial.need(method);
  const json before = [&] {
    trial.need_snapshot();
    trial.ensured(1);
    (void)trial.removed(1);
    return trial.need_snapshot();
  }();
  trial.need_http();
  for (std::size_t step = 0; step < 24; ++step) {
    const int number = 40 + static_cast<int>(step);
    if (method.prepare != nullptr) method.prepare(trial, number);
    trial.network.restart();
    trial.network.break_at(
        step, Break::with(429, "{}", {{"retry-after", "7"}, {"content-type", "application/json"}}));
    const Outcome outcome = trial.run(method, number);
    const std::size_t count = trial.network.count();
    if (!outcome.balancer.id.empty()) trial.service(number).id = outcome.balancer.id;
    trial.network.restart();
    // What goes on after the last of it is gone, such as the tidying of a tag, may stay undone.
    const bool gone_already =
        &method == &kRemove && outcome.ok() && trial.need_snapshot() == before;
    if (count > step && !gone_already) {
      Trial::expect(outcome.status.error_class() == ErrorClass::throttled,
                    fmt::format("after a 429 for request {}, {} ended with {}", step + 1,
                                method.name, describe(outcome.status)));
      Trial::expect(outcome.status.retry_after() >= 7s,
                    fmt::format("after a 429 for request {} with \"Retry-After: 7\", {} says {} ms",
                                step + 1, method.name, outcome.status.retry_after().count()));
      Trial::expect(count <= step + 1 + kUnderWay,
                    fmt::format("after a 429 for request {}, {} goes on with {} others", step + 1,
                                method.name, count - step - 1));
    }
    const Outcome mended = repeat(trial, method, number);
    Trial::expect(mended.ok(), fmt::format("after a 429 for request {}, the next {} ended with {}",
                                           step + 1, method.name, describe(mended.status)));
    const Status gone = trial.removed(number);
    Trial::expect(gone.ok() && trial.need_snapshot() == before,
                  fmt::format("after a 429 for request {} of {}, something is left when all is "
                              "removed",
                              step + 1, method.name));
    if (count <= step) return;
  }
}

// A load balancer that was made for an earlier Service of the same name.
void leaves_that_of_another_uid(Trial& trial) {
  trial.need(kEnsure);
  trial.backends();
  trial.need_snapshot();
  const LoadBalancer theirs = trial.ensured();
  trial.make_anew(0);
  for (const std::string& id : {theirs.id, std::string()}) {
    trial.service(0).id = id;
    const json before = trial.need_snapshot();
    const Status gone = trial.run(kRemove).status;
    Trial::expect(trial.need_snapshot() == before,
                  "remove takes away the load balancer of another: " + describe(gone));
  }
  trial.service(0).id = theirs.id;
  const json before = trial.need_snapshot();
  const Outcome claimed = trial.run(kEnsure);
  Trial::expect(!claimed.ok() || claimed.balancer.id != theirs.id,
                "ensure takes the load balancer of another, whose id is recorded, for its own");
  if (claimed.ok() && claimed.balancer.state == LoadBalancerState::foreign) {
    Trial::expect(trial.need_snapshot() == before, "a FOREIGN load balancer was changed");
  }
  trial.service(0).id.clear();
  const Outcome made = trial.run(kEnsure);
  Trial::expect(!made.ok() || made.balancer.id != theirs.id,
                "ensure takes the load balancer of another for its own");
}

// The Service wants a load balancer again while the cloud still deletes the one that it had.
void takes_none_that_goes(Trial& trial) {
  trial.need(kRemove);
  trial.ensured();
  trial.need_snapshot();
  if (trial.run(kRemove).status.error_class() != ErrorClass::waiting) {
    Trial::skip("the cloud deletes at once");
  }
  const Outcome again = trial.ensure_until_active(0);
  Trial::expect(again.ok() && again.balancer.state == LoadBalancerState::active,
                "while the cloud deletes the former load balancer, ensure ends with " +
                    describe(again.status));
  trial.service(0).id = again.balancer.id;
  trial.host.loop.advance(10min);
  trial.watch_cloud();
  trial.run(kEnsure);
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(),
                "ensure said ACTIVE of a load balancer that the cloud was deleting, and makes "
                "another one when it is gone: " +
                    changes);
}

void makes_it_again(Trial& trial) {
  const LoadBalancer made = trial.ensured();
  trial.ask({{"do", "remove-load-balancer"}, {"id", made.id}});
  trial.host.loop.advance(60s);
  const Outcome outcome = trial.ensure_until_active(0);
  Trial::expect(
      outcome.ok() && outcome.balancer.state == LoadBalancerState::active,
      fmt::format("somebody deleted the load balancer, and ensure ended with {}, state {}",
                  describe(outcome.status), static_cast<int>(outcome.balancer.state)));
}

void says_quota(Trial& trial) {
  trial.need(kEnsure);
  trial.backends();
  trial.ask({{"do", "exhaust-quota"}});
  const Outcome outcome = trial.ensure_until_active(0);
  Trial::expect(outcome.status.error_class() == ErrorClass::quota,
                "the account may have no further load balancer, and ensure ended with " +
                    describe(outcome.status));
}

}  // namespace

void add_ownership_cases(Cases& cases) {
  cases.insert(cases.end(),
               {{"OWNERSHIP-01", "ensure leaves a load balancer without our mark alone", kHeader,
                 "R-92", &leaves_a_foreign_one},
                {"OWNERSHIP-02", "observe says that it is FOREIGN", kHeader, "R-92",
                 &observes_a_foreign_one},
                {"OWNERSHIP-03", "remove leaves it alone and says NotOwned", kHeader, "R-92",
                 &removes_no_foreign_one},
                {"OWNERSHIP-04", "update_backends leaves it alone", kHeader, "R-92",
                 &updates_no_foreign_one},
                {"OWNERSHIP-05", "ensure takes over what the administrator allowed", kHeader,
                 "ccm_service.adopt_id, R-92", &adopts},
                {"OWNERSHIP-06", "ensure finds its own without a recorded id", kHeader, "R-94",
                 &finds_its_own},
                {"OWNERSHIP-07", "remove finds its own without a recorded id", kHeader,
                 "ccm_cloud_loadbalancers.remove", &removes_without_a_record},
                {"OWNERSHIP-08", "remove works for a Service whose ports are gone", kHeader,
                 "ccm_cloud_loadbalancers.remove", &removes_without_ports},
                {"OWNERSHIP-09", "a lost answer of ensure leads to no second load balancer",
                 kHeader, "R-94, R-95", &survives_lost_answers},
                {"OWNERSHIP-10", "a write of ensure that never arrived is made later", kHeader,
                 "R-95", &survives_lost_writes},
                {"OWNERSHIP-11", "a lost answer of remove leaves nothing in the cloud", kHeader,
                 "ccm_cloud_loadbalancers.remove", &survives_lost_answers_of_remove},
                {"OWNERSHIP-12", "a write of remove that never arrived is made later", kHeader,
                 "ccm_cloud_loadbalancers.remove", &survives_lost_writes_of_remove},
                {"OWNERSHIP-13", "ensure makes again what somebody deleted", kHeader,
                 "ccm_cloud_loadbalancers.ensure", &makes_it_again},
                {"OWNERSHIP-14", "ensure says QUOTA when the account's limit is reached",
                 "ccm/abi/status.h", "CCM_CLASS_QUOTA", &says_quota},
                {"OWNERSHIP-15", "the load balancer of a namesake with another UID is left alone",
                 kHeader, "R-92", &leaves_that_of_another_uid},
                {"OWNERSHIP-20", "a write of ensure that got a 500 is made later", kHeader, "R-95",
                 &survives_refused_writes},
                {"OWNERSHIP-21", "a write of remove that got a 500 is made later", kHeader,
                 "ccm_cloud_loadbalancers.remove", &survives_refused_writes_of_remove},
                {"OWNERSHIP-22", "ensure stops at a 429 in its middle, and goes on later",
                 "ccm/abi/status.h", "CCM_CLASS_THROTTLED",
                 [](Trial& trial) { stops_at_a_rate_limit(trial, kEnsure); }},
                {"OWNERSHIP-23", "remove stops at a 429 in its middle, and goes on later",
                 "ccm/abi/status.h", "CCM_CLASS_THROTTLED",
                 [](Trial& trial) { stops_at_a_rate_limit(trial, kRemove); }},
                {"OWNERSHIP-24", "ensure takes no load balancer that is being deleted", kHeader,
                 "ccm_cloud_loadbalancers.ensure", &takes_none_that_goes}});
}

}  // namespace ccm::conformance
