// The common part of fake clouds: a test says what the next calls of an operation do instead of
// succeeding, and looks at what was under way. Scripting is for the test's thread.
#pragma once

#include <ccm/ctx.hpp>
#include <ccm/status.hpp>
#include <ccm/testing/fake_loop.hpp>
#include <ccm/testing/fake_objects.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::testing {

class FakeCloudScript {
 public:
  FakeCloudScript(FakeLoop& loop, FakeContexts& contexts) : loop_(loop), contexts_(contexts) {}
  FakeCloudScript(const FakeCloudScript&) = delete;
  FakeCloudScript& operator=(const FakeCloudScript&) = delete;

  std::chrono::milliseconds delay{0};  // of every answer

  // The next `count` calls of an operation ("ensure") fail like that and change nothing.
  void fail_next(std::string operation, Status status, int count = 1);
  // They do what they should, but that is the answer.
  void lose_answer(std::string operation, Status status, int count = 1);
  // They do nothing and end with their ctx.
  void hang_next(std::string operation, int count = 1);
  // Runs `fn` when the next call of the operation arrives, before it is handled.
  void before_next(std::string operation, std::function<void()> fn);

  // The largest number of calls that were under way at the same time.
  [[nodiscard]] std::size_t most_at_once() const;

 protected:
  // Renders an answer: calls the completion once.
  using Answer = std::function<void(ccm_completion)>;
  // One call that has come in: `act` changes the cloud and gives the answer of a success.
  void serve(std::string_view operation, ccm_ctx ctx, ccm_completion done,
             const std::function<Answer()>& act);
  // Ends a call whose request has something unknown.
  void refuse(std::string_view operation, ccm_completion done);
  // An answer that is a status alone.
  static Answer ended(Status status);

  mutable std::mutex mutex_;  // of the cloud's state; held while `act` runs

 private:
  struct Step {
    std::string operation;
    enum class Kind { fail, lose, hang, before } kind = Kind::fail;
    Status status;
    int left = 1;
    std::function<void()> fn;
  };
  struct Call;
  // Takes the oldest step of that kind of the operation; false when there is none.
  bool take(std::string_view operation, Step::Kind kind, Step& step);
  void run_before(std::string_view operation);

  FakeLoop& loop_;
  FakeContexts& contexts_;
  std::list<Step> steps_;
  std::vector<std::shared_ptr<Call>> hanging_;  // test's thread
  std::size_t under_way_ = 0;
  std::size_t most_at_once_ = 0;
};

}  // namespace ccm::testing
