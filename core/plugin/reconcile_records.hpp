// The keys of a controller that are not settled, or that it leaves alone: their step, what they
// wait for, since when, and the cloud's last answer. A key is removed by its first success. Loop
// thread.
#pragma once

#include "plugin/origin.hpp"
#include "runtime/controller_runner.hpp"
#include "runtime/timers.hpp"

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

// The time of each key's last successful reconcile, in 8 bytes a key: for status pages of objects
// about which nothing else is known. Doubles while it fills, up to 16,384 places (128 KiB). From
// then on a new key may replace the oldest of a few. Loop thread.
class SettledTimes {
 public:
  void note(std::string_view key, runtime::TimePoint when);
  void forget(std::string_view key);
  // To the second; nullopt when nothing is known of the key.
  [[nodiscard]] std::optional<runtime::TimePoint> find(std::string_view key) const;

 private:
  struct Place {
    uint32_t mark = 0;     // the key's hash; 0 = free
    uint32_t seconds = 0;  // since begin_
  };
  [[nodiscard]] const Place* search(uint32_t mark) const;
  void put(Place place);
  void grow();

  std::optional<runtime::TimePoint> begin_;
  std::size_t used_ = 0;
  std::vector<Place> places_;
};

enum class ObjectState {
  unknown,    // not queued, and not settled lately
  settled,    // reconciled with success
  queued,     // ready, not yet taken by a worker
  running,    // being reconciled
  waiting,    // the cloud is working on it
  held,       // a brake holds back its deletion, or the load balancer in place of a lost one
  retrying,   // failed; is retried after a pause
  refused,    // an error that a retry alone does not cure: retried when it changes, or rarely
  left_alone  // it is not this controller's: nothing is done
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
  std::string reason;   // the status's
  ErrorClass error_class = ErrorClass::none;
  std::chrono::nanoseconds since{0};                 // in this state, for this reason
  std::chrono::nanoseconds unsettled{0};             // since the start of the first failed attempt
  uint32_t attempts = 0;                             // attempts since it was last settled
  std::optional<std::chrono::nanoseconds> next_try;  // from now; not negative
  std::optional<CloudAnswer> answer;                 // the cloud's last answer for this key
  std::chrono::nanoseconds answer_age{0};
  ErrorClass cloud_class = ErrorClass::none;  // how the last request to the cloud ended
  std::string cloud_reason;
};

// How the last attempt at a key ended.
struct Outcome {
  ObjectState state = ObjectState::unknown;
  ErrorClass error_class = ErrorClass::none;
  auto operator<=>(const Outcome&) const = default;
};
struct OutcomeCount {
  std::size_t count = 0;
  std::chrono::nanoseconds oldest{0};  // the longest time that one of them is unsettled
  bool operator==(const OutcomeCount&) const = default;
};
using Outcomes = std::map<Outcome, OutcomeCount>;

class ReconcileRecords {
 public:
  static constexpr std::size_t kMost = 4'096;  // further keys are not recorded

  explicit ReconcileRecords(const runtime::Timers& timers) : timers_(timers) {}

  void began(const std::string& key, std::shared_ptr<Origin> origin);
  // Returns whether the key failed in the same way as the last time: no need to log it again.
  bool ended(const runtime::ReconcileReport& report);

  // How many keys are not left alone.
  [[nodiscard]] std::size_t size() const { return records_.size() - left_alone_; }

  // The results of the keys' last attempts: waiting, held, retrying, refused and left alone ones by
  // their classes. Each state without a class is there, even if it counts none.
  [[nodiscard]] Outcomes outcomes() const;

  // Up to `limit` of those that are not left alone, those unsettled for the longest time first.
  // `queue` says when they are retried.
  [[nodiscard]] std::vector<ObjectReport> list(const runtime::WorkQueue& queue,
                                               std::size_t limit) const;
  [[nodiscard]] ObjectReport find(std::string_view key, const runtime::WorkQueue& queue) const;

 private:
  struct Record {
    std::shared_ptr<Origin> running;  // null between two attempts
    bool failed_before = false;       // the members below are the outcome of an earlier attempt
    ObjectState state = ObjectState::running;
    Status status;
    std::string step;
    std::optional<CloudAnswer> answer;
    ErrorClass cloud_class = ErrorClass::none;
    std::string cloud_reason;
    uint32_t attempts = 0;
    runtime::TimePoint began;  // this attempt
    runtime::TimePoint since;
    runtime::TimePoint unsettled;
  };
  using Records = std::map<std::string, Record, std::less<>>;

  bool keep(Record& record, const runtime::ReconcileReport& report);
  // They must not take the room of those that fail.
  [[nodiscard]] bool too_many_left_alone() const { return left_alone_ >= kMost / 2; }
  void drop(Records::iterator place);
  [[nodiscard]] ObjectReport report(const std::string& key, const Record& record,
                                    const runtime::WorkQueue& queue) const;

  const runtime::Timers& timers_;
  Records records_;
  std::size_t left_alone_ = 0;  // how many of them
  SettledTimes settled_;
};

}  // namespace ccm::plugin
