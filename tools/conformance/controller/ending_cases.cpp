// Reconciles whose ctx ends, at each of their calls: ccm/abi/ctx.h, R-41.
#include "stage.hpp"

#include <fmt/format.h>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHeader = "ccm/abi/ctx.h";
constexpr std::size_t kMostSteps = 12;
constexpr auto kDeadline = 5s;

enum class Step { none, fine, open };

struct Ended {
  std::string hung;        // the call
  std::size_t before = 0;  // calls that were made before the end of the ctx
};

// Ends the ctx of a reconcile while call `step` hangs. Open: it does not complete then.
Step end_at(Stage& stage, std::size_t step, bool by_deadline, Ended& ended) {
  std::string& hung = ended.hung;
  stage.tap.judge([&hung, step](const HostCall& call, std::size_t index) -> std::optional<Fault> {
    if (index != step) return std::nullopt;
    hung = call.text();
    return Fault{Fault::Kind::hang, {}};
  });
  for (const std::string& key : stage.keys()) {
    const Ctx ctx = stage.host.contexts.make(by_deadline ? kDeadline : 60s);
    const auto pending = stage.begin(key, ctx);
    stage.host.loop.run_until([&] { return pending.done() || !hung.empty(); });
    stage.skip_when_broken();
    if (hung.empty() && !pending.done()) {
      Trial::skip("a reconcile neither completes nor asks for anything; see CONTROLLER-20");
    }
    if (hung.empty()) continue;
    if (by_deadline) stage.host.loop.advance(kDeadline - 1ms);
    ended.before = stage.tap.calls().size();
    if (by_deadline) {
      stage.host.loop.advance(1ms);
    } else {
      stage.host.contexts.cancel(ctx);
    }
    return stage.run_now([&] { return pending.done(); }) ? Step::fine : Step::open;
  }
  return Step::none;
}

void ends(Trial& trial, const std::string& component, bool by_deadline) {
  const char* how = by_deadline ? "its deadline passed" : "it was cancelled";
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    Stage& stage = Stage::make(trial, component);
    Ended ended;
    const Step found = end_at(stage, step, by_deadline, ended);
    if (found == Step::none && step == 0) Trial::skip("it asks the host for nothing");
    if (found == Step::none) return;
    Trial::expect(
        found == Step::fine,
        fmt::format("a reconcile does not complete when {} while the {} is open", how, ended.hung));
    stage.skip_when_broken();
    // A write after the end was started at once, or is started when time passes.
    stage.host.loop.advance(60s);
    stage.run_now([] { return false; });
    const auto calls = stage.tap.calls();
    for (std::size_t i = ended.before; i < calls.size(); ++i) {
      Trial::expect(!calls[i].writes,
                    fmt::format("a reconcile writes after {} while the {} was open: {}", how,
                                ended.hung, calls[i].text()));
    }
  }
}

void ends_when_cancelled(Trial& trial, const std::string& component) {
  ends(trial, component, false);
}
void ends_at_its_deadline(Trial& trial, const std::string& component) {
  ends(trial, component, true);
}

void works_afterwards(Trial& trial, const std::string& component) {
  Stage& whole = Stage::make(trial, component);
  whole.settle();
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    Stage& stage = Stage::make(trial, component);
    Ended ended;
    const Step found = end_at(stage, step, false, ended);
    if (found == Step::none && step == 0) Trial::skip("it asks the host for nothing");
    if (found == Step::open) Trial::skip("a reconcile is not cancelled; see CONTROLLER-70");
    if (found == Step::none) return;
    stage.tap.restart();
    stage.settle();
    Trial::expect(stage.form() == whole.form(),
                  fmt::format("when a reconcile was cancelled during the {}, later ones do not "
                              "make the world fit",
                              ended.hung));
  }
}

}  // namespace

void add_controller_ending_cases(Cases& cases) {
  add_case(cases, "CONTROLLER-70",
           "reconcile completes when it is cancelled at any call, and writes no more", kHeader,
           "R-41", &ends_when_cancelled);
  add_case(cases, "CONTROLLER-71",
           "reconcile completes when its deadline passes at any call, and writes no "
           "more",
           kHeader, "R-41", &ends_at_its_deadline);
  add_case(cases, "CONTROLLER-72", "reconciles work after one that was cancelled", kHeader, "R-41",
           &works_afterwards);
}

}  // namespace ccm::conformance
