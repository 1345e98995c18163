// Each read inside ensure, observe and remove breaks in turn, and then exactly one load balancer
// exists, or none: ccm/abi/loadbalancers.h, R-94.
#include "conformance/case.hpp"
#include "conformance/trial.hpp"

#include <fmt/format.h>

#include <array>

namespace ccm::conformance {
namespace {

using nlohmann::json;

constexpr const char* kHeader = "ccm/abi/loadbalancers.h";
constexpr std::size_t kMostSteps = 16;
constexpr int kExisting = 90;  // a Service whose load balancer stays

struct Fault {
  const char* what;
  Break how;
};

const std::array<Fault, 6>& faults() {
  static const std::array<Fault, 6> kFaults = {{{"a 404", Break::with(404, "{}")},
                                                {"a 401", Break::with(401, "{}")},
                                                {"a 500", Break::with(500, "{}")},
                                                {"an empty body", Break::with(200, "")},
                                                {"half of the body", {Break::Kind::half}},
                                                {"a stale answer", {Break::Kind::stale}}}};
  return kFaults;
}

// What the cloud holds when nothing of ours is there.
struct Ground {
  json snapshot;
  std::optional<std::size_t> balancers;
};

Ground ground(Trial& trial) {
  trial.need(kEnsure);
  trial.backends();
  trial.need_snapshot();
  trial.ensured(1);
  (void)trial.removed(1);  // what the first time brings for good, such as a tag of the cluster
  trial.need_http();
  return {trial.need_snapshot(), trial.count_load_balancers()};
}

// Runs `method` with read `step` broken. Whether there was such a request.
bool run_broken(Trial& trial, const Method& method, int number, const Fault& fault,
                std::size_t step, Outcome& outcome) {
  Break how = fault.how;
  how.reads_only = true;
  if (&method != &kEnsure) how.names = trial.service(number).id;
  trial.network.restart();
  trial.network.break_at(step, how);
  outcome = trial.run(method, number);
  const bool there = trial.network.count() > step;
  trial.network.restart();
  return there;
}

std::string described(const Fault& fault, std::size_t step, const Method& method) {
  return fmt::format("{} instead of the answer to request {} of {}, and then ", fault.what,
                     step + 1, method.name);
}

void expect_one(Trial& trial, const Ground& ground, const std::string& what) {
  const auto now = trial.count_load_balancers();
  if (!now || !ground.balancers) return;
  Trial::expect(
      *now == *ground.balancers + 1,
      what + fmt::format("there are {} load balancers of one Service",
                         static_cast<int64_t>(*now) - static_cast<int64_t>(*ground.balancers)));
}

// From whatever there is to one load balancer, and to nothing.
void settle(Trial& trial, const Ground& ground, int number, const std::string& what) {
  const Outcome mended = trial.ensure_until_active(number);
  Trial::expect(mended.ok(), what + "ensure ended with " + describe(mended.status));
  expect_one(trial, ground, what);
  const Status gone = trial.removed(number);
  Trial::expect(gone.ok(), what + "remove ended with " + describe(gone));
  const json after = trial.need_snapshot();
  Trial::expect(after == ground.snapshot,
                what + "when it is removed something is left: " + after.dump());
}

void keep_id(Trial& trial, int number, const Outcome& outcome) {
  if (!outcome.balancer.id.empty()) trial.service(number).id = outcome.balancer.id;
}

void makes_one(Trial& trial, const Fault& fault, const Ground& ground) {
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    const int number = 20 + static_cast<int>(step);
    Outcome broken;
    const bool there = run_broken(trial, kEnsure, number, fault, step, broken);
    keep_id(trial, number, broken);
    settle(trial, ground, number, described(fault, step, kEnsure));
    if (!there) return;
  }
}

// Ensures a load balancer that is there; its record may be gone.
void keeps_one(Trial& trial, const Fault& fault, const Ground& ground, bool recorded) {
  trial.ensured(kExisting);
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    if (!recorded) trial.service(kExisting).id.clear();
    Outcome broken;
    const bool there = run_broken(trial, kEnsure, kExisting, fault, step, broken);
    expect_one(trial, ground, described(fault, step, kEnsure));
    keep_id(trial, kExisting, broken);
    const Outcome mended = trial.ensure_until_active(kExisting);
    Trial::expect(mended.ok(),
                  described(fault, step, kEnsure) + "ensure ended with " + describe(mended.status));
    expect_one(trial, ground, described(fault, step, kEnsure));
    if (!there) break;
  }
  settle(trial, ground, kExisting,
         fmt::format("{} at each request of ensure, and then ", fault.what));
}

void breaks_ensure(Trial& trial, const Fault& fault) {
  const Ground before = ground(trial);
  makes_one(trial, fault, before);
  keeps_one(trial, fault, before, true);
  // A list from before it was made says nothing of it, and no other place has its id.
  if (fault.how.kind != Break::Kind::stale) keeps_one(trial, fault, before, false);
}

void breaks_observe(Trial& trial, const Fault& fault) {
  trial.need(kObserve);
  ground(trial);
  trial.ensured(kExisting);
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    Outcome seen;
    trial.watch_cloud();
    const bool there = run_broken(trial, kObserve, kExisting, fault, step, seen);
    const std::string changes = trial.changed();
    Trial::expect(changes.empty(),
                  described(fault, step, kObserve) + "it changes the cloud: " + changes);
    const bool lost = seen.ok() && (seen.balancer.state == LoadBalancerState::absent ||
                                    seen.balancer.state == LoadBalancerState::foreign);
    Trial::expect(
        !lost && seen.status.error_class() != ErrorClass::not_found,
        described(fault, step, kObserve) + "it says that there is none, or somebody else's");
    if (!there) return;
  }
}

void breaks_remove(Trial& trial, const Fault& fault) {
  trial.need(kRemove);
  const Ground before = ground(trial);
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    const int number = 20 + static_cast<int>(step);
    trial.ensured(number);
    Outcome broken;
    const bool there = run_broken(trial, kRemove, number, fault, step, broken);
    const std::string what = described(fault, step, kRemove);
    if (broken.ok() || broken.status.error_class() == ErrorClass::not_found) {
      const json left = trial.need_snapshot();
      Trial::expect(left == before.snapshot, what + "it says that nothing is left: " + left.dump());
    } else {
      const Status gone = trial.removed(number);
      Trial::expect(gone.ok(), what + "remove ended with " + describe(gone));
      const json left = trial.need_snapshot();
      Trial::expect(left == before.snapshot, what + "something is left: " + left.dump());
    }
    if (!there) return;
  }
}

void add(Cases& cases, const Method& method, int first, const char* outcome,
         void (*run)(Trial&, const Fault&)) {
  for (const Fault& fault : faults()) {
    // A list from before it was made says that nothing is left, and no later one is due.
    if (&method == &kRemove && fault.how.kind == Break::Kind::stale) continue;
    cases.push_back({fmt::format("OWNERSHIP-{:02}", first++),
                     fmt::format("{} at any read of {} {}", fault.what, method.name, outcome),
                     kHeader, "R-94", [&fault, run](Trial& trial) { run(trial, fault); }});
  }
}

}  // namespace

void add_broken_read_cases(Cases& cases) {
  add(cases, kEnsure, 30, "leads to no second load balancer", &breaks_ensure);
  add(cases, kObserve, 40, "hides no load balancer", &breaks_observe);
  add(cases, kRemove, 50, "leaves nothing in the cloud", &breaks_remove);
}

}  // namespace ccm::conformance
