// The writes that lead to what a Service wants, in their order: `observe` names them, `ensure`
// carries them out. [serial]
#pragma once

#include <ccm/ctx.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::aws {

class Plan {
 public:
  using Run = std::function<Task<Status>(Ctx)>;

  // `what` for people: "listener TCP 80". What `run` refers to has to outlive the plan.
  void add(std::string what, Run run) { steps_.push_back({std::move(what), std::move(run)}); }

  // A change of what no listing shows.
  void add_unlisted(std::string what, Run run) {
    unlisted_ = true;
    add(std::move(what), std::move(run));
  }

  [[nodiscard]] bool changes_unlisted() const { return unlisted_; }
  [[nodiscard]] bool empty() const { return steps_.empty(); }
  // Each text once, with commas between.
  [[nodiscard]] std::string text() const {
    std::string text;
    std::string last;
    for (const Step& step : steps_) {
      if (step.what == last) continue;
      text += (text.empty() ? "" : ", ") + step.what;
      last = step.what;
    }
    return text;
  }

  // One after the other, until one fails. `done` gets what was carried out.
  Task<Status> carry_out(Ctx ctx, std::string& done) {
    std::string last;
    for (Step& step : steps_) {
      Task<Status> run = step.run(ctx);
      Status ended = co_await std::move(run);
      if (!ended.ok()) co_return std::move(ended).with_context(step.what);
      if (step.what != last) done += (done.empty() ? "" : ", ") + step.what;
      last = step.what;
    }
    co_return Status();
  }

 private:
  struct Step {
    std::string what;
    Run run;
  };
  std::vector<Step> steps_;
  bool unlisted_ = false;
};

}  // namespace ccm::aws
