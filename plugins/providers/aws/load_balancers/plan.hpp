// The writes that lead to what a Service wants, in their order: `observe` names them, `ensure`
// carries them out. [serial]
#pragma once

#include <ccm/ctx.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::aws {

class Plan {
 public:
  using Run = std::function<Task<Status>(Ctx)>;

  // `what` for people: "listener TCP 80". What `run` refers to has to outlive the plan.
  void add(std::string_view what, Run run) {
    steps_.push_back({std::string(what), std::move(run)});
  }

  // A change of what no listing shows.
  void add_unlisted(std::string_view what, Run run) {
    unlisted_ = true;
    add(what, std::move(run));
  }

  [[nodiscard]] bool changes_unlisted() const { return unlisted_; }
  // After all others; a refusal that no other try mends stops nothing and is one of refusals().
  void add_last(std::string_view what, Run run) {
    last_.push_back({std::string(what), std::move(run)});
  }

  [[nodiscard]] bool empty() const { return steps_.empty() && last_.empty(); }
  // "what: why", of those that were carried out.
  [[nodiscard]] const std::vector<std::string>& refusals() const { return refusals_; }
  // Each text once, with commas between.
  [[nodiscard]] std::string text() const {
    std::string text;
    std::string last;
    for (const auto* steps : {&steps_, &last_}) {
      for (const Step& step : *steps) {
        if (step.what == last) continue;
        text += (text.empty() ? "" : ", ") + step.what;
        last = step.what;
      }
    }
    return text;
  }

  // One after the other, until one fails that is none of the last. `done` gets what was carried
  // out.
  Task<Status> carry_out(Ctx ctx, std::string& done) {
    std::string last;
    for (Step& step : steps_) {
      Task<Status> run = step.run(ctx);
      Status ended = co_await std::move(run);
      if (!ended.ok()) co_return std::move(ended).with_context(step.what);
      if (step.what != last) done += (done.empty() ? "" : ", ") + step.what;
      last = step.what;
    }
    Status missed;
    for (Step& step : last_) {
      Task<Status> run = step.run(ctx);
      Status ended = co_await std::move(run);
      if (ended.ok()) {
        done += (done.empty() ? "" : ", ") + step.what;
      } else if (is_final(ended)) {
        refusals_.push_back(step.what + ": " + ended.message());
      } else if (missed.ok()) {
        missed = std::move(ended).with_context(step.what);
      }
    }
    co_return missed;
  }

  // A refusal that no other try mends.
  static bool is_final(const Status& status) {
    const ErrorClass error = status.error_class();
    return error == ErrorClass::auth || error == ErrorClass::quota ||
           error == ErrorClass::invalid_spec;
  }

 private:
  struct Step {
    std::string what;
    Run run;
  };
  std::vector<Step> steps_;
  bool unlisted_ = false;
  std::vector<Step> last_;
  std::vector<std::string> refusals_;
};

}  // namespace ccm::aws
