// The keys that wait for a reconcile: each at most once, with delays, back-off for failing keys,
// never two workers on one key (HOST-134, 135). Loop thread.
//
// The order in which ready keys are taken:
//   1. keys of events, added as `changed`, and
//   2. returning keys: their wait is over (add_again), or they failed as `changed` (add_failed);
//      one of each alternately while there are both, so that neither thousands of new objects
//      delay one that the cloud has finished meanwhile, nor thousands of returning ones a new one;
//   3. `periodic`: resyncs, audits, and those of them that failed; when nothing else is ready, and
//      every 16th time, so that they are not put off for ever.
// Within each the namespaces take turns (FairList), and within a namespace the key that became
// ready first is taken. So no tenant delays the objects of another by more than a few places.
#pragma once

#include "runtime/timers.hpp"

#include <ccm/fair_list.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
class Registry;
}  // namespace prometheus

namespace ccm::runtime {

// Why a key was added.
enum class Priority : int32_t { changed = 0, periodic = 1 };

// Observes a queue, for metrics (MET-19..25). Must not call back.
class QueueObserver {
 public:
  virtual ~QueueObserver() = default;
  virtual void added() = 0;                           // a key that was not in the queue
  virtual void retried() = 0;                         // an add with a delay
  virtual void depth(std::size_t ready) = 0;          // keys that could be taken
  virtual void waited(std::chrono::nanoseconds) = 0;  // from ready until taken
  virtual void worked(std::chrono::nanoseconds) = 0;  // from taken until done
};

class WorkQueue {
 public:
  struct Options {
    std::chrono::milliseconds backoff_first{5};
    std::chrono::milliseconds backoff_limit{1'000'000};
  };
  struct Item {
    std::string key;
    Priority priority = Priority::changed;
    uint32_t attempt = 0;  // failures in a row so far
  };

  // `observer` may be null. Both must outlive the queue.
  WorkQueue(Timers& timers, Options options, QueueObserver* observer = nullptr);
  ~WorkQueue();
  WorkQueue& operator=(WorkQueue&&) = delete;

  // Called whenever a key became ready to be taken; possibly inside add() or done().
  void on_ready(std::function<void()> fn) { on_ready_ = std::move(fn); }

  // A key that waits already keeps the better priority and the earlier time. A key being processed
  // is taken once more after done().
  void add(std::string_view key, Priority priority, std::chrono::milliseconds delay = {}) {
    add(key, priority, delay, false);
  }

  // Adds, as add() does, a key that was taken and returns without a failure: it waits for the
  // cloud.
  void add_again(std::string_view key, Priority priority, std::chrono::milliseconds delay) {
    add(key, priority, delay, true);
  }

  // Counts a failure of `key` and adds it after first * 2^failures, at most the limit, and not
  // before `at_least`. Returns the delay.
  std::chrono::milliseconds add_failed(std::string_view key, Priority priority,
                                       std::chrono::milliseconds at_least = {});

  // Keys that failed need not wait any longer: the cause is over. Returns how many there were.
  std::size_t retry_failed();

  // Resets the key's count of failures.
  void forget(std::string_view key);

  // A key that waits does so no longer, and its failures are forgotten. One being processed stays.
  void drop(std::string_view key);

  // The next ready key; nullopt when none is ready. The caller owes done(). With
  // `first_of_namespace` only a key whose namespace has none at work, or which has no namespace.
  std::optional<Item> take(bool first_of_namespace = false);
  void done(std::string_view key);

  // Drops waiting keys; add() and take() do nothing from now on. done() still works.
  void close();

  // The state of a key, for status pages.
  struct Position {
    bool ready = false;            // a worker may take it
    bool running = false;          // taken
    std::optional<TimePoint> due;  // when a delayed key is
    TimePoint since;               // ready or running
    uint32_t failures = 0;
  };
  // nullopt: the queue does not hold it.
  [[nodiscard]] std::optional<Position> find(std::string_view key) const;

  [[nodiscard]] std::size_t ready() const {
    return ready_[kNews].size() + ready_[kAgain].size() + ready_[kPeriodic].size();
  }
  [[nodiscard]] std::size_t delayed() const { return delayed_.size(); }
  [[nodiscard]] std::size_t processing() const { return processing_.size(); }
  // Seconds for which running keys have run, in total and for the longest one.
  [[nodiscard]] double unfinished_seconds() const;
  [[nodiscard]] double longest_running_seconds() const;

 private:
  static constexpr std::size_t kNews = 0;
  static constexpr std::size_t kAgain = 1;
  static constexpr std::size_t kPeriodic = 2;
  enum class Place : uint8_t { nowhere, ready, dirty, delayed };  // dirty: once more after done()
  struct Entry;
  using Node = std::pair<const std::string, Entry>;
  using ReadyList = FairList<Node*>;
  using DelayedMap = std::multimap<TimePoint, Node*>;
  struct Entry {
    Place place = Place::nowhere;
    bool processing = false;
    Priority priority = Priority::periodic;
    bool again = false;  // it is returning
    uint32_t failures = 0;
    TimePoint since;  // ready or processing
    ReadyList::Place in_ready;
    DelayedMap::iterator in_delayed;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const {
      return std::hash<std::string_view>()(key);
    }
  };
  using Entries = std::unordered_map<std::string, Entry, Hash, std::equal_to<>>;

  Node& node(std::string_view key);
  void add(std::string_view key, Priority priority, std::chrono::milliseconds delay, bool again);
  ReadyList& list_of(const Entry& entry);
  // The lists in the order in which the next key is looked for.
  [[nodiscard]] std::array<std::size_t, 3> order() const;
  std::optional<Node*> take_ready(bool first_of_namespace);
  void make_ready(Node& node);
  void make_delayed(Node& node, TimePoint due);
  void improve(Node& node, Priority priority);
  void erase_if_unused(Entries::iterator place);
  void arm();
  void release_due();
  void report_depth() {
    if (observer_ != nullptr) observer_->depth(ready());
  }

  Timers& timers_;
  Options options_;
  QueueObserver* observer_;
  std::function<void()> on_ready_;
  Entries entries_;
  std::array<ReadyList, 3> ready_;
  bool again_next_ = false;      // when there are both, a returning key is next
  uint32_t since_periodic_ = 0;  // keys that were taken while a periodic one waited
  DelayedMap delayed_;
  std::vector<Node*> processing_;
  std::unordered_map<std::string, std::size_t> at_work_;  // how many of `processing_`, by namespace
  Timers::Id timer_ = 0;
  TimePoint armed_for_;
  bool closed_ = false;
};

// The workqueue_* metrics of one queue (MET-19..25), as client-go names them.
class QueueMetrics final : public QueueObserver {
 public:
  // `registry` must outlive it. `name` is the label of all its series.
  QueueMetrics(prometheus::Registry& registry, const std::string& name);
  // Reserves the names before the first queue is made.
  static void reserve(prometheus::Registry& registry);
  void added() override;
  void retried() override;
  void depth(std::size_t ready) override;
  void waited(std::chrono::nanoseconds duration) override;
  void worked(std::chrono::nanoseconds duration) override;
  // Sets the two gauges for running keys; to be called every 500 ms.
  void refresh(const WorkQueue& queue);

 private:
  struct Families;
  QueueMetrics(const Families& families, const std::string& name);

  prometheus::Gauge& depth_;
  prometheus::Counter& adds_;
  prometheus::Histogram& waited_;
  prometheus::Histogram& worked_;
  prometheus::Gauge& unfinished_;
  prometheus::Gauge& longest_;
  prometheus::Counter& retries_;
};

}  // namespace ccm::runtime
