#include "runtime/work_queue.hpp"

#include "base/metric_families.hpp"

#include <algorithm>
#include <utility>

namespace ccm::runtime {
using prometheus::Registry;
using std::chrono::milliseconds;

namespace {

// One key of this number is a periodic one while others are ready, too.
constexpr uint32_t kPeriodicShare = 16;

milliseconds backoff(const WorkQueue::Options& options, uint32_t failures) {
  milliseconds delay = std::max(options.backoff_first, milliseconds(1));
  for (uint32_t step = 0; step < failures && delay < options.backoff_limit; ++step) delay *= 2;
  return std::min(delay, options.backoff_limit);
}

double seconds(BootClock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// Rounded up: a timer that fires a moment early would only be armed again.
milliseconds until(TimePoint due, TimePoint now) {
  return std::chrono::ceil<milliseconds>(std::max(due - now, BootClock::duration{}));
}

}  // namespace

WorkQueue::WorkQueue(Timers& timers, Options options, QueueObserver* observer)
    : timers_(timers), options_(options), observer_(observer) {}

WorkQueue::~WorkQueue() {
  if (timer_ != 0) timers_.cancel(timer_);
}

WorkQueue::Node& WorkQueue::node(std::string_view key) {
  const auto found = entries_.find(key);
  if (found != entries_.end()) return *found;
  return *entries_.emplace(std::string(key), Entry{}).first;
}

void WorkQueue::add(std::string_view key, Priority priority, milliseconds delay, bool again) {
  if (closed_) return;
  if (delay > milliseconds(0) && observer_ != nullptr) observer_->retried();
  Node& item = node(key);
  Entry& entry = item.second;
  const bool at_once = delay <= milliseconds(0);
  if (entry.place == Place::nowhere) {
    entry.priority = priority;
    entry.again = again;
    if (at_once) return make_ready(item);
    return make_delayed(item, timers_.now() + delay);
  }
  improve(item, priority);
  if (entry.place != Place::delayed) return;
  if (at_once && !again && priority == Priority::changed)
    entry.again = false;  // it comes from an event
  const TimePoint due = timers_.now() + delay;
  if (!at_once && due >= entry.in_delayed->first) return;
  delayed_.erase(entry.in_delayed);
  if (at_once) {
    make_ready(item);
    arm();
  } else {
    make_delayed(item, due);
  }
}

milliseconds WorkQueue::add_failed(std::string_view key, Priority priority, milliseconds at_least) {
  if (closed_) return {};
  Entry& entry = node(key).second;
  const milliseconds delay = std::max(backoff(options_, entry.failures), at_least);
  ++entry.failures;
  add(key, priority, delay, priority == Priority::changed);
  return delay;
}

std::size_t WorkQueue::retry_failed() {
  std::vector<Node*> failed;
  for (const auto& [due, item] : delayed_) {
    if (item->second.failures > 0) failed.push_back(item);
  }
  for (Node* item : failed) {
    delayed_.erase(item->second.in_delayed);
    item->second.place = Place::nowhere;
    make_ready(*item);
  }
  arm();
  return failed.size();
}

void WorkQueue::forget(std::string_view key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  found->second.failures = 0;
  erase_if_unused(found);
}

void WorkQueue::drop(std::string_view key) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second.processing) return;
  const Entry& entry = found->second;
  if (entry.place == Place::delayed) delayed_.erase(entry.in_delayed);
  if (entry.place == Place::ready) list_of(entry).erase(entry.in_ready);
  entries_.erase(found);
  arm();
  report_depth();
}

WorkQueue::ReadyList& WorkQueue::list_of(const Entry& entry) {
  if (entry.again) return ready_[kAgain];
  return ready_[entry.priority == Priority::changed ? kNews : kPeriodic];
}

std::array<std::size_t, 3> WorkQueue::order() const {
  const bool again_first = ready_[kNews].empty() || (again_next_ && !ready_[kAgain].empty());
  const std::size_t first = again_first ? kAgain : kNews;
  const std::size_t second = again_first ? kNews : kAgain;
  if (since_periodic_ + 1 >= kPeriodicShare) return {kPeriodic, first, second};
  return {first, second, kPeriodic};
}

std::optional<WorkQueue::Node*> WorkQueue::take_ready(bool first_of_namespace) {
  for (const std::size_t list : order()) {
    const auto item = ready_[list].take_if([&](std::string_view name) {
      return !first_of_namespace || name.empty() || !at_work_.contains(std::string(name));
    });
    if (!item) continue;
    if (list != kPeriodic) again_next_ = list == kNews;
    const bool waits = list != kPeriodic && !ready_[kPeriodic].empty();
    since_periodic_ = waits ? since_periodic_ + 1 : 0;
    return item;
  }
  return std::nullopt;
}

std::optional<WorkQueue::Item> WorkQueue::take(bool first_of_namespace) {
  const auto taken = take_ready(first_of_namespace);
  if (!taken) return std::nullopt;
  Node& item = **taken;
  Entry& entry = item.second;
  const TimePoint now = timers_.now();
  if (observer_ != nullptr) observer_->waited(now - entry.since);
  entry.place = Place::nowhere;
  entry.processing = true;
  entry.since = now;
  processing_.push_back(&item);
  ++at_work_[std::string(namespace_of(item.first))];
  report_depth();
  return Item{item.first, entry.priority, entry.failures};
}

void WorkQueue::done(std::string_view key) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.processing) return;
  Entry& entry = found->second;
  entry.processing = false;
  if (observer_ != nullptr) observer_->worked(timers_.now() - entry.since);
  processing_.erase(std::find(processing_.begin(), processing_.end(), &*found));
  const auto others = at_work_.find(std::string(namespace_of(key)));
  if (--others->second == 0) at_work_.erase(others);
  if (entry.place == Place::dirty) return make_ready(*found);
  erase_if_unused(found);
}

void WorkQueue::close() {
  closed_ = true;
  for (ReadyList& list : ready_) list.clear();
  delayed_.clear();
  if (timer_ != 0) timers_.cancel(std::exchange(timer_, 0));
  for (auto place = entries_.begin(); place != entries_.end();) {
    place->second.place = Place::nowhere;
    place = place->second.processing ? std::next(place) : entries_.erase(place);
  }
  report_depth();
}

std::optional<WorkQueue::Position> WorkQueue::find(std::string_view key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  const Entry& entry = found->second;
  Position position{entry.place == Place::ready, entry.processing, std::nullopt, entry.since,
                    entry.failures};
  if (entry.place == Place::delayed) position.due = entry.in_delayed->first;
  return position;
}

double WorkQueue::unfinished_seconds() const {
  double total = 0;
  const TimePoint now = timers_.now();
  for (const Node* item : processing_) total += seconds(now - item->second.since);
  return total;
}

double WorkQueue::longest_running_seconds() const {
  double longest = 0;
  const TimePoint now = timers_.now();
  for (const Node* item : processing_) {
    longest = std::max(longest, seconds(now - item->second.since));
  }
  return longest;
}

void WorkQueue::make_ready(Node& item) {
  Entry& entry = item.second;
  if (entry.place != Place::dirty && observer_ != nullptr) observer_->added();
  if (entry.processing) {
    entry.place = Place::dirty;
    return;
  }
  ReadyList& list = list_of(entry);
  entry.place = Place::ready;
  entry.since = timers_.now();
  entry.in_ready = list.push_back(namespace_of(item.first), &item);
  report_depth();
  if (on_ready_) on_ready_();
}

void WorkQueue::make_delayed(Node& item, TimePoint due) {
  item.second.place = Place::delayed;
  item.second.in_delayed = delayed_.emplace(due, &item);
  arm();
}

void WorkQueue::improve(Node& item, Priority priority) {
  Entry& entry = item.second;
  if (priority >= entry.priority) return;
  ReadyList& from = list_of(entry);
  entry.priority = priority;
  ReadyList& to = list_of(entry);
  if (entry.place != Place::ready || &from == &to) return;
  from.erase(entry.in_ready);
  entry.in_ready = to.push_back(namespace_of(item.first), &item);
}

void WorkQueue::erase_if_unused(Entries::iterator place) {
  const Entry& entry = place->second;
  if (entry.place == Place::nowhere && !entry.processing && entry.failures == 0) {
    entries_.erase(place);
  }
}

void WorkQueue::arm() {
  if (delayed_.empty()) {
    if (timer_ != 0) timers_.cancel(std::exchange(timer_, 0));
    return;
  }
  const TimePoint due = delayed_.begin()->first;
  if (timer_ != 0 && armed_for_ == due) return;
  if (timer_ != 0) timers_.cancel(timer_);
  armed_for_ = due;
  timer_ = timers_.after(until(due, timers_.now()), [this] { release_due(); });
}

void WorkQueue::release_due() {
  timer_ = 0;
  const TimePoint now = timers_.now();
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    Node& item = *delayed_.begin()->second;
    delayed_.erase(delayed_.begin());
    item.second.place = Place::nowhere;
    make_ready(item);
  }
  arm();
}

namespace {

const metrics::Buckets& buckets() {
  static const metrics::Buckets bounds{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10};
  return bounds;
}

}  // namespace

struct QueueMetrics::Families {
  explicit Families(Registry& registry)
      : depth(metrics::gauges(registry, "workqueue_depth", "Keys that could be taken now.")),
        adds(metrics::counters(registry, "workqueue_adds_total", "Keys added to the queue.")),
        waited(metrics::histograms(registry, "workqueue_queue_duration_seconds",
                                   "Time from ready until taken.")),
        worked(metrics::histograms(registry, "workqueue_work_duration_seconds",
                                   "Time from taken until done.")),
        unfinished(metrics::gauges(registry, "workqueue_unfinished_work_seconds",
                                   "Time that keys in work have taken so far, in total.")),
        longest(metrics::gauges(registry, "workqueue_longest_running_processor_seconds",
                                "Time that the oldest key in work has taken so far.")),
        retries(metrics::counters(registry, "workqueue_retries_total", "Adds with a delay.")) {}
  metrics::Gauges& depth;
  metrics::Counters& adds;
  metrics::Histograms& waited;
  metrics::Histograms& worked;
  metrics::Gauges& unfinished;
  metrics::Gauges& longest;
  metrics::Counters& retries;
};

QueueMetrics::QueueMetrics(Registry& registry, const std::string& name)
    : QueueMetrics(Families(registry), name) {}

QueueMetrics::QueueMetrics(const Families& families, const std::string& name)
    : depth_(families.depth.Add({{"name", name}})),
      adds_(families.adds.Add({{"name", name}})),
      waited_(families.waited.Add({{"name", name}}, buckets())),
      worked_(families.worked.Add({{"name", name}}, buckets())),
      unfinished_(families.unfinished.Add({{"name", name}})),
      longest_(families.longest.Add({{"name", name}})),
      retries_(families.retries.Add({{"name", name}})) {}

void QueueMetrics::reserve(Registry& registry) { static_cast<void>(Families(registry)); }

void QueueMetrics::added() { adds_.Increment(); }
void QueueMetrics::retried() { retries_.Increment(); }
void QueueMetrics::depth(std::size_t ready) { depth_.Set(static_cast<double>(ready)); }
void QueueMetrics::waited(std::chrono::nanoseconds duration) {
  waited_.Observe(metrics::seconds(duration));
}
void QueueMetrics::worked(std::chrono::nanoseconds duration) {
  worked_.Observe(metrics::seconds(duration));
}

void QueueMetrics::refresh(const WorkQueue& queue) {
  unfinished_.Set(queue.unfinished_seconds());
  longest_.Set(queue.longest_running_seconds());
}

}  // namespace ccm::runtime
