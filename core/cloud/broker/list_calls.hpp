// The provider's listings, one at a time: how important the running one is, whether the last one
// failed, and when the next one begins. Loop thread.
#pragma once

#include "cloud/broker/instance_source.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace ccm::plugin {

class ListCalls {
 public:
  // `interval`: between the starts of two listings while the cloud fails. `due` begins a listing
  // that was put off. `source` and `timers` must outlive it.
  ListCalls(InstanceSource& source, runtime::Timers& timers, std::chrono::milliseconds interval,
            std::function<void()> due);
  ~ListCalls();  // a running listing never ends
  ListCalls(const ListCalls&) = delete;
  ListCalls& operator=(const ListCalls&) = delete;

  [[nodiscard]] bool possible() const { return source_.can_list(); }
  [[nodiscard]] bool running() const { return origin_ != nullptr; }
  // One runs that began then or later.
  [[nodiscard]] bool running_since(runtime::TimePoint when) const {
    return running() && *began_ >= when;
  }
  // The beginning of the running or last one; there has been one.
  [[nodiscard]] runtime::TimePoint began() const { return *began_; }
  // The next one begins then or later, and after the last one: no two begin at the same moment.
  [[nodiscard]] runtime::TimePoint next() const;
  // The last one began that long ago.
  [[nodiscard]] bool due(std::chrono::milliseconds pause) const {
    return !began_ || next() - *began_ >= pause;
  }

  // None may run. `done` is called once, not inside this call; it calls ended().
  void begin(std::shared_ptr<Origin> origin, InstanceSource::Done done);
  // Begins the next one `pause` after the beginning of the last one, unless an earlier one is due.
  void begin_later(std::chrono::milliseconds pause);
  // Records how the running one ended, and retries it when the fault may pass by itself. Returns
  // its origin.
  std::shared_ptr<Origin> ended(const Status& status);

  // Such a question, too, waits for the running listing: the call budget may delay the listing,
  // which is now as important as the question. `asks` may be null.
  void raise(const std::shared_ptr<Origin>& asks);
  // The call budget held the last listing back, and this question is more important than those for
  // which the listing began. `asks` may be null.
  [[nodiscard]] bool held_below(const std::shared_ptr<Origin>& asks) const;

  // HTTP calls of the last one that succeeded; 0: not known.
  [[nodiscard]] std::size_t price() const { return price_; }
  // One is to begin at a later time.
  [[nodiscard]] bool scheduled() const { return timer_ != 0; }

  // Of the last one that ended; ok: it did not fail, or there was none.
  [[nodiscard]] const Status& failure() const { return failure_; }
  // The beginning of the first one that failed, while failure() is not ok.
  [[nodiscard]] runtime::TimePoint failing_since() const { return failing_since_; }

 private:
  InstanceSource& source_;
  runtime::Timers& timers_;
  const std::chrono::milliseconds interval_;
  const std::function<void()> due_;
  std::optional<runtime::TimePoint> began_;
  std::shared_ptr<Origin> origin_;  // of the running one
  CallPriority began_as_ = CallPriority::refresh;
  std::size_t price_ = 0;
  Status failure_;
  runtime::TimePoint failing_since_;
  runtime::Timers::Id timer_ = 0;
  runtime::TimePoint timer_due_;
  std::shared_ptr<ListCalls*> self_;  // calls to the source hold it weakly
};

}  // namespace ccm::plugin
