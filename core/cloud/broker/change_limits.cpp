#include "cloud/broker/change_limits.hpp"

#include "base/duration.hpp"
#include "plugin/brake_reasons.hpp"
#include "plugin/host_services/kube_service.hpp"
#include "plugin_files/plugin_file.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace ccm::cloud {

using std::chrono::milliseconds;

namespace {

using Bucket = ChangeLimitOptions::Bucket;

// A Service that waits, but that nobody asks for any more, is forgotten after this time: without it
// a controller that never removes anything would fill the memory.
constexpr std::chrono::hours kForgotten{1};
constexpr std::chrono::minutes kPrunePause{5};
// The cloud's calls may be plenty again before its time comes.
constexpr std::chrono::minutes kAskAgain{5};
// A change with more calls counts several times, but bars the next one for an hour at most.
constexpr std::size_t kCallsOfAChange = 50;
constexpr std::chrono::hours kLongestDebt{1};

// Takes one change; the time at which it may be made. A bucket is the time at which it will be full
// again: each change puts that off by a period.
runtime::TimePoint take_place(runtime::TimePoint& full, const Bucket& bucket,
                              runtime::TimePoint now) {
  if (bucket.burst <= 0) return now;
  full = std::max(full, now) + bucket.period;
  return std::max(now, full - bucket.burst * bucket.period);
}

// Counts a change that is made now, even if the bucket is empty.
void count_change(runtime::TimePoint& full, const Bucket& bucket, runtime::TimePoint now) {
  if (bucket.burst <= 0) return;
  full = std::min(std::max(full, now) + bucket.period, now + bucket.burst * bucket.period);
}

// How often a change with that number of calls counts beyond the first time.
int64_t weight_beyond(std::size_t calls) {
  constexpr std::size_t kMost = 10'000;
  return static_cast<int64_t>(calls == 0 ? 0 : std::min((calls - 1) / kCallsOfAChange, kMost));
}

// Counts `changes` that were made. With `debt` the next ones pay for what no bucket holds.
void owe(runtime::TimePoint& full, const Bucket& bucket, int64_t changes, milliseconds debt,
         runtime::TimePoint now) {
  if (bucket.burst <= 0) return;
  const auto most = std::max(full, now + bucket.burst * bucket.period + debt);
  full = std::min(std::max(full, now) + changes * bucket.period, most);
}

// Texts one after the other, none of which can be mistaken for a part of its neighbour.
class Texts {
 public:
  void add(std::string_view text) {
    all_ += std::to_string(text.size());
    all_ += ':';
    all_ += text;
  }
  void add(int64_t number) { add(std::to_string(number)); }
  // The tenant chooses the texts, so equal digests must mean equal texts.
  [[nodiscard]] std::string digest() const {
    return plugin_files::sha256_hex(std::as_bytes(std::span(all_)));
  }

 private:
  std::string all_;
};

void add_fields(const LoadBalancerService& service, Texts& texts) {
  for (const std::string* text : {&service.adopt_id, &service.class_name, &service.requested_ip}) {
    texts.add(*text);
  }
  for (const ServicePort& port : service.ports) {
    texts.add(port.name);
    texts.add(port.protocol);
    texts.add(port.app_protocol);
    texts.add(port.port);
    texts.add(port.node_port);
  }
  for (const auto* list : {&service.source_ranges, &service.ip_families}) {
    texts.add(static_cast<int64_t>(list->size()));
    for (const std::string& text : *list) texts.add(text);
  }
  for (const Label& parameter : service.parameters) {
    texts.add(parameter.key);
    texts.add(parameter.value);
  }
  texts.add((service.local_traffic ? 1 : 0) | (service.client_ip_affinity ? 2 : 0) |
            (service.node_ports ? 4 : 0));
  texts.add(service.health_check_node_port);
  texts.add(service.affinity_timeout.count());
}

// It is on its way, or the cloud asked to wait: the next question is about the same change.
bool goes_on(const Result<LoadBalancer>& outcome) {
  if (!outcome.ok()) {
    const ErrorClass kind = outcome.status().error_class();
    return kind == ErrorClass::waiting || kind == ErrorClass::throttled;
  }
  return outcome->state == LoadBalancerState::pending ||
         outcome->state == LoadBalancerState::unknown;
}

bool serves(const Result<LoadBalancer>& outcome) {
  return outcome.ok() && (outcome->state == LoadBalancerState::active ||
                          outcome->state == LoadBalancerState::shared);
}

std::string times(const Bucket& bucket) {
  return std::to_string(bucket.burst) + " changes at once and then one in " +
         short_duration(bucket.period);
}

}  // namespace

ChangeLimitOptions ChangeLimits::countable(ChangeLimitOptions options) {
  constexpr milliseconds kLongest = std::chrono::hours(24);
  for (Bucket* bucket : {&options.service, &options.of_namespace}) {
    bucket->period = std::clamp(bucket->period, milliseconds(1), kLongest);
    const int64_t most = 3'650 * kLongest / bucket->period;
    bucket->burst = static_cast<int32_t>(std::min<int64_t>(bucket->burst, most));
  }
  return options;
}

// Without the id of the load balancer, see is_same().
std::string ChangeLimits::content_of(const LoadBalancerService& service) const {
  Texts texts;
  add_fields(service, texts);
  const kube::Object* object = plugin::object_of(service.object.get());
  if (object == nullptr) return texts.digest();
  texts.add(object->json(object->find("/spec")));
  object->each(object->find("/metadata/annotations"),
               [&](std::string_view key, kube::Object::Position value) {
                 if (key == id_annotation_) return;
                 texts.add(key);
                 texts.add(object->text(value));
               });
  return texts.digest();
}

// The id that the manager has recorded is no change, and another one is.
bool ChangeLimits::is_same(const Entry& entry, const LoadBalancerService& service,
                           const std::string& content) {
  const bool known_id =
      service.id.empty() || service.id == entry.id || service.id == entry.asked_id;
  return entry.last != Last::none && entry.content == content && known_id;
}

ChangeLimits::Reservation ChangeLimits::take(const LoadBalancerService& service, Entry& entry,
                                             bool again, TimePoint now) {
  entry.namespace_name = service.namespace_name;
  Reservation reservation{now, now};
  if (!again) reservation.own = take_place(entry.full, options_.service, now);
  TimePoint& above = namespaces_[service.namespace_name];
  if (scarce()) {
    reservation.of_namespace = take_place(above, options_.of_namespace, now);
  } else {
    count_change(above, options_.of_namespace, now);
  }
  if (std::max(reservation.own, reservation.of_namespace) > now) ++held_;
  return reservation;
}

Status ChangeLimits::admit(const LoadBalancerService& service) {
  const TimePoint now = timers_.now();
  prune();
  Entry& entry = services_[service.uid];
  entry.touched = now;
  std::string content = content_of(service);
  const bool same = is_same(entry, service, content);
  if (same && entry.last != Last::failed) {
    if (entry.last == Last::done) entry.bears = Bears::none;
    return {};
  }
  if (!entry.reservation) entry.reservation = take(service, entry, same, now);
  if (waits(*entry.reservation, now)) return refusal(entry, now);
  give_place_back(entry, entry.reservation);
  entry.reservation.reset();
  entry.content = std::move(content);
  entry.asked_id = service.id;
  entry.last = Last::under_way;
  entry.bears = same ? Bears::of_namespace : Bears::both;
  entry.calls = 0;
  entry.may_go = true;
  return {};
}

Status ChangeLimits::admit_removal(const LoadBalancerService& service, bool there) {
  const TimePoint now = timers_.now();
  prune();
  Entry& entry = services_[service.uid];
  entry.touched = now;
  entry.namespace_name = service.namespace_name;
  const bool free = std::exchange(entry.may_go, false) || entry.goes;
  if (!free && !entry.removal) {
    if (there) {
      entry.removal = Reservation{take_place(entry.full, options_.service, now), now};
      if (entry.removal->own > now) ++held_;
    } else {
      entry.removal = take(service, entry, false, now);
    }
  }
  if (!free && waits(*entry.removal, now)) return removal_refusal(entry, now);
  give_place_back(entry, entry.removal);
  entry.removal.reset();
  entry.goes = true;
  return {};
}

void ChangeLimits::ended_removal(const std::string& uid, const Status& outcome) {
  const auto place = services_.find(uid);
  if (place == services_.end()) return;
  const ErrorClass kind = outcome.error_class();
  place->second.goes = kind == ErrorClass::waiting || kind == ErrorClass::throttled;
}

Status ChangeLimits::removal_refusal(const Entry& entry, TimePoint now) const {
  const std::string limit =
      entry.removal->own > now
          ? "the load balancer of this Service may be deleted as often as it may be changed, " +
                times(options_.service)
          : "deletions of namespace " + entry.namespace_name + " count as changes, " +
                times(options_.of_namespace) + " while few of the cloud's calls are left";
  return not_before(limit + "; this deletion waits for its turn", *entry.removal, now);
}

Status ChangeLimits::refusal(const Entry& entry, TimePoint now) const {
  const int64_t weight = weight_beyond(entry.calls);
  const std::string counted = weight == 0
                                  ? ""
                                  : " (its last one took " + std::to_string(entry.calls) +
                                        " calls and counts as " + std::to_string(weight + 1) + ")";
  const std::string limit = entry.reservation->own > now
                                ? "this Service may make " + times(options_.service) + counted +
                                      ", so that the cloud's calls last for all"
                                : "the Services of namespace " + entry.namespace_name +
                                      " may make " + times(options_.of_namespace) +
                                      " while few of the cloud's calls are left";
  return not_before(limit + "; this change waits for its turn", *entry.reservation, now);
}

// The text is without the time that is left: that would make a new one of each try.
Status ChangeLimits::not_before(std::string text, const Reservation& reservation, TimePoint now) {
  const bool own = reservation.own > now;
  const auto left =
      std::chrono::ceil<milliseconds>((own ? reservation.own : reservation.of_namespace) - now);
  return Status(Code::unavailable, ErrorClass::waiting, std::move(text))
      .with_reason(std::string(plugin::kChangesLimited))
      .with_retry_after(own ? left : std::min<milliseconds>(left, kAskAgain));
}

void ChangeLimits::weigh(Entry& entry, std::size_t calls) {
  const int64_t before = weight_beyond(entry.calls);
  entry.calls += calls;
  const int64_t more = weight_beyond(entry.calls) - before;
  if (more == 0 || entry.bears == Bears::none) return;
  const TimePoint now = timers_.now();
  if (entry.bears == Bears::both) owe(entry.full, options_.service, more, kLongestDebt, now);
  const milliseconds debt = scarce() ? milliseconds(kLongestDebt) : milliseconds(0);
  owe(namespaces_[entry.namespace_name], options_.of_namespace, more, debt, now);
}

void ChangeLimits::ended(const std::string& uid, const Result<LoadBalancer>& outcome,
                         std::size_t calls) {
  const auto place = services_.find(uid);
  if (place == services_.end()) return;
  Entry& entry = place->second;
  if (!outcome.ok() || !outcome->difference.empty()) weigh(entry, calls);
  entry.last = goes_on(outcome) ? Last::under_way : serves(outcome) ? Last::done : Last::failed;
  const LoadBalancer* answer = outcome.ok() ? &*outcome : outcome.partial();
  const bool ours = answer != nullptr && answer->state != LoadBalancerState::foreign;
  if (ours && !answer->id.empty()) entry.id = answer->id;
}

void ChangeLimits::removed(const std::string& uid) {
  const auto place = services_.find(uid);
  if (place == services_.end()) return;
  Entry& entry = place->second;
  give_place_back(entry, entry.reservation);
  give_place_back(entry, entry.removal);
  entry.reservation.reset();
  entry.content.clear();
  entry.id.clear();
  entry.asked_id.clear();
  entry.removal.reset();
  entry.may_go = entry.goes = false;
  entry.last = Last::none;
  if (idle(entry)) services_.erase(place);
}

// Somebody else of its namespace may have it.
void ChangeLimits::give_place_back(const Entry& entry,
                                   const std::optional<Reservation>& reservation) {
  if (!reservation || reservation->of_namespace <= timers_.now()) return;
  const auto above = namespaces_.find(entry.namespace_name);
  if (above != namespaces_.end()) above->second -= options_.of_namespace.period;
}

// A full bucket is as good as none.
bool ChangeLimits::idle(const Entry& entry) const {
  const TimePoint now = timers_.now();
  if (entry.full > now) return false;
  const bool waits =
      entry.reservation || entry.removal || entry.goes || entry.last == Last::under_way;
  TimePoint last = entry.touched;
  for (const auto* reservation : {&entry.reservation, &entry.removal}) {
    if (*reservation) last = std::max({last, (*reservation)->own, (*reservation)->of_namespace});
  }
  return !waits || now - last > kForgotten;
}

void ChangeLimits::prune() {
  const TimePoint now = timers_.now();
  if (size() < prune_at_ && now - pruned_ < kPrunePause) return;
  pruned_ = now;
  std::erase_if(services_, [&](const auto& one) { return idle(one.second); });
  std::erase_if(namespaces_, [&](const auto& one) { return one.second <= now; });
  prune_at_ = std::max<std::size_t>(2 * size(), 64);
}

ChangeLimitReport ChangeLimits::report() const {
  ChangeLimitReport report;
  const TimePoint now = timers_.now();
  for (const auto& [uid, entry] : services_) {
    for (const auto* reservation : {&entry.reservation, &entry.removal}) {
      if (!*reservation) continue;
      if ((*reservation)->own > now) {
        ++report.waiting_for_service;
      } else if ((*reservation)->of_namespace > now) {
        ++report.waiting_for_namespace;
      }
    }
  }
  return report;
}

}  // namespace ccm::cloud
