// Operations whose ctx ends: ccm/abi/ctx.h, R-41. The same cases for each operation, at each of its
// exchanges with the cloud.
#include "conformance/case.hpp"
#include "conformance/trial.hpp"

#include <fmt/format.h>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHeader = "ccm/abi/ctx.h";
constexpr std::size_t kMostSteps = 12;
constexpr auto kDeadline = 5s;

// Ends the ctx while exchange `step` hangs. False when the operation has fewer.
bool end_at(Trial& trial, const Method& method, std::size_t step, bool by_deadline) {
  const int number = 10 + static_cast<int>(step);
  if (method.prepare != nullptr) method.prepare(trial, number);
  if (method.interface != kInitialize.interface) method.make(trial, number, Shape::plain);
  trial.network.restart();
  trial.network.break_at(step, {Break::Kind::hang});
  const Ctx ctx = trial.host.contexts.make(by_deadline ? kDeadline : 60s);
  const auto pending = trial.begin(method, ctx, number);
  trial.host.loop.run_until([&] { return trial.network.count() > step || pending.done(); });
  if (pending.done()) return false;
  if (trial.network.count() <= step) {
    Trial::skip("it neither completes nor asks the cloud; see the case about its deadline alone");
  }
  if (by_deadline) {
    trial.host.loop.advance(kDeadline);
  } else {
    trial.host.contexts.cancel(ctx);
  }
  const bool ended = trial.run_now([&] { return pending.done(); });
  const char* how = by_deadline ? "its deadline passed" : "it was cancelled";
  Trial::expect(ended, fmt::format("{} does not complete when {} while request {} is open",
                                   method.name, how, step + 1));
  const auto writes = trial.network.writes().size();
  trial.host.loop.advance(60s);
  trial.run_now([&] { return trial.network.writes().size() > writes; });
  Trial::expect(trial.network.writes().size() == writes,
                fmt::format("{} changes the cloud after {}", method.name, how));
  trial.network.restart();
  return true;
}

void ends(Trial& trial, const Method& method, bool by_deadline) {
  trial.need(method);
  if (method.interface != kInitialize.interface) {
    trial.ready();
  }
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    if (end_at(trial, method, step, by_deadline)) continue;
    if (step == 0) Trial::skip("the operation asks the cloud for nothing");
    return;
  }
}

// Without a cloud that hangs: the operation itself waits.
void list_ends(Trial& trial) {
  trial.need(kList);
  const Ctx ctx = trial.host.contexts.make(kDeadline);
  const auto pending = trial.begin(kList, ctx);
  trial.run_now([&] { return pending.done(); });
  if (pending.done()) Trial::skip("list completes at once");
  trial.host.loop.advance(kDeadline);
  Trial::expect(trial.run_now([&] { return pending.done(); }),
                "list does not complete soon after its deadline");
}

void works_again(Trial& trial, const Method& method) {
  trial.need(method);
  trial.ready();
  if (method.prepare != nullptr) method.prepare(trial, 8);
  const Outcome whole = trial.run(method, 8);
  if (!whole.ok() && whole.status.error_class() != ErrorClass::waiting) {
    Trial::skip("it fails without being cancelled, too");
  }
  if (method.prepare != nullptr) method.prepare(trial, 9);
  const Ctx ctx = trial.host.contexts.make(60s);
  const auto pending = trial.begin(method, ctx, 9);
  trial.host.contexts.cancel(ctx);
  trial.run_now([&] { return pending.done(); });
  if (!pending.done()) Trial::skip("it does not complete when it is cancelled");
  Outcome outcome;
  for (int round = 0; round < 30; ++round) {
    outcome = trial.run(method, 9);
    if (outcome.status.error_class() != ErrorClass::waiting) break;
    trial.host.loop.advance(5s);
  }
  Trial::expect(outcome.ok() || outcome.status.error_class() == ErrorClass::not_found,
                fmt::format("after one that was cancelled, {} ended with {}", method.name,
                            describe(outcome.status)));
}

void add(Cases& cases, const char* family, const Method& method, int first) {
  const auto put = [&](int offset, const std::string& title, auto run) {
    cases.push_back({fmt::format("{}-{:02}", family, first + offset), title, kHeader, "R-41",
                     [&method, run](Trial& trial) { run(trial, method); }});
  };
  put(0,
      fmt::format("{} completes when it is cancelled at any request, and changes nothing then",
                  method.name),
      [](Trial& trial, const Method& which) { ends(trial, which, false); });
  put(1,
      fmt::format("{} completes when its deadline passes at any request, and changes nothing then",
                  method.name),
      [](Trial& trial, const Method& which) { ends(trial, which, true); });
  put(2, fmt::format("{} works after one that was cancelled", method.name), &works_again);
}

}  // namespace

void add_ending_cases(Cases& cases) {
  add(cases, "PROVIDER", kInitialize, 40);
  add(cases, "INSTANCES", kList, 50);
  add(cases, "INSTANCES", kGet, 53);
  add(cases, "INSTANCES", kDescribe, 56);
  cases.push_back({"INSTANCES-59", "list completes after its deadline, whatever it waits for",
                   kHeader, "R-41", &list_ends});
  add(cases, "LOADBALANCERS", kEnsure, 70);
  add(cases, "LOADBALANCERS", kObserve, 73);
  add(cases, "LOADBALANCERS", kUpdateBackends, 76);
  add(cases, "LOADBALANCERS", kRemove, 79);
  add(cases, "ROUTES", kListRoutes, 40);
  add(cases, "ROUTES", kAddRoute, 43);
}

}  // namespace ccm::conformance
