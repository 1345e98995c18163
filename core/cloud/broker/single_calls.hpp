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
  struct Options {
    std::size_t max_parallel = 8;
    std::size_t batch = 100;  // instances of one describe
  };
  // `status` not ok: the call failed. Else `snapshot` holds the instance at `index`.
  struct Outcome {
    Status status;
    InstanceSnapshot::Ptr snapshot;
    std::size_t index = 0;
    runtime::TimePoint began;  // of the call
  };
  using Done = std::function<void(const Outcome&)>;

  // `source` and `timers` must outlive it.
  SingleCalls(InstanceSource& source, runtime::Timers& timers, Options options);
  ~SingleCalls();  // open questions are never answered
  SingleCalls(const SingleCalls&) = delete;
  SingleCalls& operator=(const SingleCalls&) = delete;

  [[nodiscard]] bool possible() const { return source_.can_get() || source_.can_describe(); }
  // Instances of one call.
  [[nodiscard]] std::size_t batch() const { return source_.can_describe() ? options_.batch : 1; }
  // Of the provider; 0 leaves what the options say.
  void set_limits(int64_t batch, int64_t parallel) {
    if (batch > 0) options_.batch = std::min(options_.batch, static_cast<std::size_t>(batch));
    if (parallel > 0) {
      options_.max_parallel = std::min(options_.max_parallel, static_cast<std::size_t>(parallel));
    }
  }
  // The call begins after this one returned. `done` is never called inside it.
  void ask(InstanceQuery query, Done done);

  [[nodiscard]] uint64_t gets() const { return gets_; }
  [[nodiscard]] uint64_t describes() const { return describes_; }

 private:
  struct Question {
    InstanceQuery query;
    Done done;
  };

  void pump();
  void get(Question question);
  void describe(std::vector<Question> questions);

  InstanceSource& source_;
  runtime::Timers& timers_;
  Options options_;
  std::deque<Question> waiting_;
  std::size_t running_ = 0;
  runtime::Timers::Id pump_timer_ = 0;
  uint64_t gets_ = 0;
  uint64_t describes_ = 0;
  std::shared_ptr<SingleCalls*> self_;  // calls to the source hold it weakly
};

}  // namespace ccm::plugin
