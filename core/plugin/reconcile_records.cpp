#include "plugin/reconcile_records.hpp"

#include "base/text.hpp"
#include "plugin/brake_reasons.hpp"

#include <ccm/shown_text.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <utility>

namespace ccm::plugin {
using std::chrono::nanoseconds;

namespace {

constexpr std::size_t kFirstSize = 64;
constexpr std::size_t kMostPlaces = 16'384;
constexpr std::size_t kReach = 16;  // possible places of a mark

uint32_t mark_of(std::string_view key) {
  const uint64_t hash = std::hash<std::string_view>()(key);
  const auto mark = static_cast<uint32_t>(hash ^ (hash >> 32));
  return mark == 0 ? 1 : mark;
}

}  // namespace

const SettledTimes::Place* SettledTimes::search(uint32_t mark) const {
  if (places_.empty()) return nullptr;
  for (std::size_t step = 0; step < kReach; ++step) {
    const Place& place = places_[(mark + step) % places_.size()];
    if (place.mark == mark) return &place;
  }
  return nullptr;
}

void SettledTimes::put(Place place) {
  Place* best = nullptr;
  for (std::size_t step = 0; step < kReach; ++step) {
    Place& there = places_[(place.mark + step) % places_.size()];
    if (there.mark == place.mark) {
      there = place;
      return;
    }
    const bool better = best == nullptr || (there.mark == 0 && best->mark != 0) ||
                        (there.mark != 0 && best->mark != 0 && there.seconds < best->seconds);
    if (better) best = &there;
  }
  if (best->mark == 0) ++used_;
  *best = place;
}

void SettledTimes::grow() {
  const std::size_t size = places_.empty() ? kFirstSize : places_.size() * 2;
  const auto before = std::exchange(places_, std::vector<Place>(size));
  used_ = 0;
  for (const Place& place : before) {
    if (place.mark != 0) put(place);
  }
}

void SettledTimes::note(std::string_view key, runtime::TimePoint when) {
  if (!begin_) begin_ = when;
  if (used_ * 2 >= places_.size() && places_.size() < kMostPlaces) grow();
  const auto since = std::chrono::duration_cast<std::chrono::seconds>(when - *begin_);
  put({mark_of(key), static_cast<uint32_t>(since.count())});
}

void SettledTimes::forget(std::string_view key) {
  const Place* place = search(mark_of(key));
  if (place == nullptr) return;
  places_[static_cast<std::size_t>(place - places_.data())] = {};
  --used_;
}

std::optional<runtime::TimePoint> SettledTimes::find(std::string_view key) const {
  const Place* place = search(mark_of(key));
  if (place == nullptr) return std::nullopt;
  return *begin_ + std::chrono::seconds(place->seconds);
}

namespace {

constexpr std::size_t kLongestMessage = 512;

// At most the length that a page can show, cut between two characters.
std::string shortened(const std::string& text) {
  std::string shown = shown_text(utf8_text(utf8_front(text, kLongestMessage)));
  if (text.size() > kLongestMessage) shown += "…";
  return shown;
}

nanoseconds not_negative(nanoseconds time) { return std::max(time, nanoseconds(0)); }

ObjectState state_of(const Status& status) {
  if (runtime::left_alone(status)) return ObjectState::left_alone;
  if (status.refused()) return ObjectState::refused;
  if (is_held(status)) return ObjectState::held;
  return status.error_class() == ErrorClass::waiting ? ObjectState::waiting : ObjectState::retrying;
}

void show_answer(ObjectReport& report, const std::optional<CloudAnswer>& answer,
                 runtime::TimePoint now) {
  report.answer = answer;
  if (answer) report.answer_age = now - answer->at;
}

}  // namespace

std::string_view to_string(ObjectState state) {
  static constexpr std::array<std::string_view, 9> kNames{"unknown",  "settled", "queued",
                                                          "running",  "waiting", "held",
                                                          "retrying", "refused", "left-alone"};
  return kNames.at(static_cast<std::size_t>(state));
}

void ReconcileRecords::began(const std::string& key, std::shared_ptr<Origin> origin) {
  auto place = records_.find(key);
  if (place == records_.end()) {
    if (records_.size() >= kMost) return;
    place = records_.try_emplace(key).first;
    place->second.unsettled = timers_.now();
    place->second.since = timers_.now();
  }
  place->second.running = std::move(origin);
  place->second.began = timers_.now();
}

bool ReconcileRecords::ended(const runtime::ReconcileReport& report) {
  const std::string& key = report.request.key;
  const auto place = records_.find(key);
  if (report.status.ok()) {
    if (place != records_.end()) drop(place);
    settled_.note(key, timers_.now());
    return false;
  }
  settled_.forget(key);
  if (runtime::left_alone(report.status) && too_many_left_alone()) {
    if (place != records_.end()) drop(place);
    return false;
  }
  return place != records_.end() && keep(place->second, report);
}

void ReconcileRecords::drop(Records::iterator place) {
  if (place->second.state == ObjectState::left_alone) --left_alone_;
  records_.erase(place);
}

bool ReconcileRecords::keep(Record& record, const runtime::ReconcileReport& report) {
  const std::shared_ptr<Origin> origin = std::exchange(record.running, nullptr);
  std::string step(origin ? origin->step() : std::string_view());
  const ObjectState state = state_of(report.status);
  // Ignores parts of a message that change with every call, such as a request id.
  std::string message = shortened(report.status.message());
  const bool named = !report.status.reason().empty();
  const bool same = record.failed_before && record.state == state && record.step == step &&
                    record.status.reason() == report.status.reason() &&
                    record.status.error_class() == report.status.error_class() &&
                    (named || record.status.message() == message);
  if (!same) record.since = timers_.now();
  record.failed_before = true;
  if (record.state == ObjectState::left_alone) --left_alone_;
  if (state == ObjectState::left_alone) ++left_alone_;
  record.state = state;
  record.step = std::move(step);
  record.status = Status(report.status.code(), report.status.error_class(), std::move(message))
                      .with_reason(shortened(report.status.reason()));
  ++record.attempts;
  if (!origin) return same;
  if (origin->answer()) record.answer = origin->answer();
  record.cloud_class = origin->cloud_status().error_class();
  record.cloud_reason = shortened(origin->cloud_status().reason());
  return same;
}

Outcomes ReconcileRecords::outcomes() const {
  Outcomes counts{{{ObjectState::waiting}, {}},
                  {{ObjectState::held}, {}},
                  {{ObjectState::retrying}, {}},
                  {{ObjectState::refused}, {}},
                  {{ObjectState::left_alone}, {}}};
  const runtime::TimePoint now = timers_.now();
  for (const auto& [key, record] : records_) {
    if (!record.failed_before) continue;
    OutcomeCount& count = counts[{record.state, record.status.error_class()}];
    ++count.count;
    count.oldest = std::max(count.oldest, not_negative(now - record.unsettled));
  }
  return counts;
}

ObjectReport ReconcileRecords::report(const std::string& key, const Record& record,
                                      const runtime::WorkQueue& queue) const {
  const runtime::TimePoint now = timers_.now();
  ObjectReport report;
  report.key = key;
  report.state = record.state;
  report.step = record.step;
  report.message = record.status.message();
  report.reason = record.status.reason();
  report.error_class = record.status.error_class();
  report.since = now - record.since;
  report.unsettled = now - record.unsettled;
  report.attempts = record.attempts;
  report.cloud_class = record.cloud_class;
  report.cloud_reason = record.cloud_reason;
  show_answer(report, record.answer, now);
  if (record.running) {
    report.state = ObjectState::running;
    report.step = record.running->step();
    report.since = now - record.began;
    if (record.running->answer()) show_answer(report, record.running->answer(), now);
    return report;
  }
  const auto position = queue.find(key);
  if (!position) return report;
  if (position->ready) report.state = ObjectState::queued;
  if (position->ready) report.since = now - position->since;
  report.next_try = position->due ? not_negative(*position->due - now) : nanoseconds(0);
  return report;
}

std::vector<ObjectReport> ReconcileRecords::list(const runtime::WorkQueue& queue,
                                                 std::size_t limit) const {
  std::vector<const Records::value_type*> oldest;
  oldest.reserve(records_.size());
  for (const auto& entry : records_) {
    if (entry.second.state != ObjectState::left_alone) oldest.push_back(&entry);
  }
  limit = std::min(limit, oldest.size());
  std::partial_sort(oldest.begin(), oldest.begin() + static_cast<std::ptrdiff_t>(limit),
                    oldest.end(), [](const auto* left, const auto* right) {
                      return left->second.unsettled < right->second.unsettled;
                    });
  std::vector<ObjectReport> reports;
  reports.reserve(limit);
  for (std::size_t index = 0; index < limit; ++index) {
    reports.push_back(report(oldest[index]->first, oldest[index]->second, queue));
  }
  return reports;
}

ObjectReport ReconcileRecords::find(std::string_view key, const runtime::WorkQueue& queue) const {
  const auto place = records_.find(key);
  if (place != records_.end()) return report(place->first, place->second, queue);
  const runtime::TimePoint now = timers_.now();
  ObjectReport report;
  report.key = key;
  if (const auto settled = settled_.find(key)) {
    report.state = ObjectState::settled;
    report.since = not_negative(now - *settled);
  }
  const auto position = queue.find(key);
  if (!position) return report;
  if (position->due) {
    report.next_try = not_negative(*position->due - now);
    // Failed while there was no room for a record.
    if (report.state == ObjectState::unknown) report.state = ObjectState::retrying;
    report.attempts = position->failures;
    return report;
  }
  if (!position->ready && !position->running) return report;
  report.state = position->ready ? ObjectState::queued : ObjectState::running;
  report.since = now - position->since;
  report.next_try = nanoseconds(0);
  return report;
}

}  // namespace ccm::plugin
