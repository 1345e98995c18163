#include "ccm/testing/fake_cloud_script.hpp"

#include "fake_operation.hpp"

#include <algorithm>
#include <utility>

namespace ccm::testing {

// Completed by whichever comes first: its answer or the end of its ctx. The function that the loop
// holds for the answer owns it; one that hangs is kept by the script until its ctx ends.
struct FakeCloudScript::Call : std::enable_shared_from_this<Call> {
  Call(FakeCloudScript& the_script, Ctx the_ctx, ccm_completion completion)
      : script(the_script), ctx(std::move(the_ctx)), done(completion) {}
  ~Call() { ctx.remove_on_end(registration); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void finish(const Answer& answer) {
    if (std::exchange(finished, true)) return;
    ctx.remove_on_end(std::exchange(registration, 0));
    {
      const std::lock_guard lock(script.mutex_);
      --script.under_way_;
    }
    answer(done);
  }
  static void ctx_ended(void* owner) {
    const auto self = static_cast<Call*>(owner)->shared_from_this();
    std::erase(self->script.hanging_, self);
    self->finish(ended(self->ctx.status()));
  }

  FakeCloudScript& script;
  Ctx ctx;
  ccm_completion done;
  bool finished = false;
  uint64_t registration = 0;
};

void FakeCloudScript::fail_next(std::string operation, Status status, int count) {
  const std::lock_guard lock(mutex_);
  steps_.push_back({std::move(operation), Step::Kind::fail, std::move(status), count, {}});
}

void FakeCloudScript::lose_answer(std::string operation, Status status, int count) {
  const std::lock_guard lock(mutex_);
  steps_.push_back({std::move(operation), Step::Kind::lose, std::move(status), count, {}});
}

void FakeCloudScript::hang_next(std::string operation, int count) {
  const std::lock_guard lock(mutex_);
  steps_.push_back({std::move(operation), Step::Kind::hang, {}, count, {}});
}

void FakeCloudScript::before_next(std::string operation, std::function<void()> fn) {
  const std::lock_guard lock(mutex_);
  steps_.push_back({std::move(operation), Step::Kind::before, {}, 1, std::move(fn)});
}

std::size_t FakeCloudScript::most_at_once() const {
  const std::lock_guard lock(mutex_);
  return most_at_once_;
}

bool FakeCloudScript::take(std::string_view operation, Step::Kind kind, Step& step) {
  const auto found = std::find_if(steps_.begin(), steps_.end(), [&](const Step& candidate) {
    return candidate.operation == operation && candidate.kind == kind;
  });
  if (found == steps_.end()) return false;
  step = *found;
  if (--found->left == 0) steps_.erase(found);
  return true;
}

void FakeCloudScript::run_before(std::string_view operation) {
  Step step;
  {
    const std::lock_guard lock(mutex_);
    if (!take(operation, Step::Kind::before, step)) return;
  }
  step.fn();
}

FakeCloudScript::Answer FakeCloudScript::ended(Status status) {
  return [status = std::move(status)](ccm_completion done) { complete(done, status); };
}

void FakeCloudScript::refuse(std::string_view operation, ccm_completion done) {
  post_failure(loop_, done, unknown_request(std::string(operation).c_str()));
}

void FakeCloudScript::serve(std::string_view operation, ccm_ctx ctx, ccm_completion done,
                            const std::function<Answer()>& act) {
  run_before(operation);
  Status ended_before = contexts_.check(ctx);
  if (!ended_before.ok()) return post_failure(loop_, done, std::move(ended_before));
  const auto call = std::make_shared<Call>(*this, Ctx(contexts_.service(), ctx), done);
  Answer answer;
  {
    const std::lock_guard lock(mutex_);
    most_at_once_ = std::max(most_at_once_, ++under_way_);
    Step step;
    if (take(operation, Step::Kind::hang, step)) {
      // No answer.
    } else if (take(operation, Step::Kind::fail, step)) {
      answer = ended(std::move(step.status));
    } else {
      answer = act();
      if (take(operation, Step::Kind::lose, step)) answer = ended(std::move(step.status));
    }
  }
  // Posted, because the ctx may have ended already, and no call completes before it returned.
  loop_.post([call, hangs = !answer, this] {
    if (hangs) hanging_.push_back(call);
    call->registration = call->ctx.on_end({&Call::ctx_ended, nullptr, call.get()});
  });
  if (!answer) return;
  loop_.post([call, answer = std::move(answer), this] {
    if (delay.count() == 0) return call->finish(answer);
    loop_.after(delay, [call, answer] { call->finish(answer); });
  });
}

}  // namespace ccm::testing
