// Questions about single instances, as calls to a provider: one get each, or one describe for all
// questions of one moment, with a bounded number of calls at once. Loop thread.
#pragma once

#include "cloud/broker/instance_snapshot.hpp"
#include "cloud/broker/instance_source.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace ccm::plugin {

class SingleCalls {
 public:
  // The provider's answer as it is, and when the call began.
  using Done = std::function<void(InstanceAnswer answer, runtime::TimePoint began)>;

  // `source` and `timers` must outlive it.
  SingleCalls(InstanceSource& source, runtime::Timers& timers);
  ~SingleCalls();  // open questions are never answered
  SingleCalls(const SingleCalls&) = delete;
  SingleCalls& operator=(const SingleCalls&) = delete;

  [[nodiscard]] bool possible() const { return source_.can_get() || source_.can_describe(); }
  // Instances of one call.
  [[nodiscard]] std::size_t batch() const { return source_.can_describe() ? batch_ : 1; }
  // HTTP calls of the last one that was answered; at least 1.
  [[nodiscard]] std::size_t price() const { return price_; }
  // Of the provider; 0 leaves the host's choice.
  void set_limits(int64_t batch, int64_t parallel) {
    if (batch > 0) batch_ = std::min(batch_, static_cast<std::size_t>(batch));
    if (parallel > 0) max_parallel_ = std::min(max_parallel_, static_cast<std::size_t>(parallel));
  }
  // The call begins after this one returned. `done` is never called inside it.
  void ask(InstanceQuery query, Done done);

 private:
  struct Question {
    InstanceQuery query;
    Done done;
  };

  void ended(const Origin& origin);
  void pump();
  void get(Question question);
  void describe(std::vector<Question> questions);

  InstanceSource& source_;
  runtime::Timers& timers_;
  std::size_t max_parallel_ = 8;
  std::size_t batch_ = 100;  // instances of one describe
  std::deque<Question> waiting_;
  std::size_t running_ = 0;
  std::size_t price_ = 1;
  runtime::Timers::Id pump_timer_ = 0;
  std::shared_ptr<SingleCalls*> self_;  // calls to the source hold it weakly
};

}  // namespace ccm::plugin
