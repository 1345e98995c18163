// What is known of a controller's keys that are not settled: which step, what it waits for, since
// when, and what the cloud said last. A key leaves with its first success. Loop thread.
#pragma once

#include "plugin/origin.hpp"
#include "plugin/settled_times.hpp"
#include "runtime/controller_runner.hpp"

#include <ccm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

enum class ObjectState {
  unknown,   // no controller's queue holds it, and none has settled it lately
  settled,   // reconciled with success
  queued,    // ready, a worker has not taken it yet
  running,   // reconciled at this moment
  waiting,   // the cloud works on it
  held,      // the deletion brake holds back what it needs
  retrying,  // failed; comes back after a pause
  refused    // failed for good: not tried again until the object changes
};

// "queued", "running", ...
std::string_view to_string(ObjectState state);

// One key for pages. Times are ages from now, so that no clock has to be shared.
struct ObjectReport {
  std::string controller;
  std::string key;
  ObjectState state = ObjectState::unknown;
  std::string step;     // "loadbalancers.ensure"; empty before the first
  std::string message;  // why it is not settled; at most 512 bytes
  std::string reason;   // of the status
  ErrorClass error_class = ErrorClass::none;
  std::chrono::nanoseconds since{0};      // it is in this state, for this reason
  std::chrono::nanoseconds unsettled{0};  // since the first try that did not succeed began
  uint32_t attempts = 0;                  // tries since it was settled last
  std::optional<std::chrono::nanoseconds> next_try;  // from now; not negative
  std::optional<CloudAnswer> answer;                 // the cloud's last one to this key
  std::chrono::nanoseconds answer_age{0};
  ErrorClass cloud_class = ErrorClass::none;  // how the last request to the cloud ended
  std::string cloud_reason;
};

class ReconcileRecords {
 public:
  static constexpr std::size_t kMost = 4'096;  // further keys are only counted

  explicit ReconcileRecords(const runtime::Timers& timers) : timers_(timers) {}

  void began(const std::string& key, std::shared_ptr<Origin> origin);
  // Returns whether the key failed in the same way as the time before: nothing new to tell.
  bool ended(const runtime::ReconcileReport& report);

  [[nodiscard]] std::size_t size() const { return records_.size(); }
  // Keys that ended badly while there was no room for them.
  [[nodiscard]] uint64_t dropped() const { return dropped_; }

  // How the last tries of these keys ended: how many are waiting, held, retrying and refused.
  [[nodiscard]] std::map<ObjectState, std::size_t> outcomes() const;

  // Up to `limit`, those first that are unsettled for the longest time. `queue` says when they come
  // back.
  [[nodiscard]] std::vector<ObjectReport> list(const runtime::WorkQueue& queue,
                                               std::size_t limit) const;
  [[nodiscard]] ObjectReport find(std::string_view key, const runtime::WorkQueue& queue) const;

 private:
  struct Record {
    std::shared_ptr<Origin> running;  // null between two tries
    bool failed_before = false;       // what follows is the outcome of an earlier try
    ObjectState state = ObjectState::running;
    Status status;
    std::string step;
    std::optional<CloudAnswer> answer;
    ErrorClass cloud_class = ErrorClass::none;
    std::string cloud_reason;
    uint32_t attempts = 0;
    runtime::TimePoint began;  // this try
    runtime::TimePoint since;
    runtime::TimePoint unsettled;
  };
  using Records = std::map<std::string, Record, std::less<>>;

  bool keep(Record& record, const runtime::ReconcileReport& report);
  [[nodiscard]] ObjectReport report(const std::string& key, const Record& record,
                                    const runtime::WorkQueue& queue) const;

  const runtime::Timers& timers_;
  Records records_;
  SettledTimes settled_;
  uint64_t dropped_ = 0;
};

}  // namespace ccm::plugin
