#include "kube/event_correlator.hpp"

#include <algorithm>
#include <functional>
#include <random>

namespace ccm::kube {
namespace {

constexpr std::string_view kCombined = "(combined from similar events): ";

// Parts stay separate: none holds a NUL.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string result;
  for (const std::string_view part : parts) result.append(part).push_back('\0');
  return result;
}

}  // namespace

uint64_t text_hash(std::string_view text) {
  static const std::string secret = [] {
    std::random_device random;
    std::string drawn;
    for (int i = 0; i < 4; ++i) drawn += std::to_string(random());
    return drawn;
  }();
  static_assert(sizeof(std::size_t) == sizeof(uint64_t));
  return std::hash<std::string>()(secret + std::string(text));
}

EventCorrelator::EventCorrelator(const EventOptions& options)
    : component_(options.component),
      aggregate_after_(options.aggregate_after),
      aggregate_interval_(options.aggregate_interval),
      spam_burst_(options.spam_burst),
      spam_refill_(options.spam_refill),
      buckets_(options.cache_entries),
      similar_(options.cache_entries),
      stored_(options.cache_entries) {}

bool EventCorrelator::admit(uint64_t source, TimePoint now) {
  Bucket& bucket = buckets_[source];
  if (bucket.tokens == kUnused) {
    bucket = {spam_burst_, now};
  } else {
    const double gained = std::chrono::duration<double>(now - bucket.updated) /
                          std::chrono::duration<double>(spam_refill_);
    bucket.tokens = std::min(spam_burst_, bucket.tokens + gained);
    bucket.updated = now;
  }
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

std::optional<EventCorrelator::Verdict> EventCorrelator::judge(const RawEvent& event,
                                                               TimePoint now) {
  const ObjectReference& about = event.about;
  const std::string object =
      joined({about.api_version, about.kind, about.namespace_name, about.name, about.uid});
  const std::string source = joined({component_, object, type_text(event.type)});
  const std::string group = joined({source, event.reason});

  Verdict verdict;
  verdict.message = event.message;
  verdict.key = text_hash(joined({group, event.message}));
  Similar& similar = similar_[text_hash(group)];
  auto& messages = similar.messages;
  if (now - similar.last > aggregate_interval_) messages.clear();
  similar.last = now;
  const bool known = std::find(messages.begin(), messages.end(), verdict.key) != messages.end();
  if (!known) messages.push_back(verdict.key);
  if (messages.size() >= aggregate_after_) {
    // One more is not needed to know that there are too many.
    messages.erase(messages.begin());
    verdict.message = std::string(kCombined) + event.message;
    verdict.key = text_hash(group);
  }
  Stored& stored = stored_[verdict.key];
  if (!admit(text_hash(source), now)) {
    if (stored.count > 0) ++stored.count;  // the next one that is sent says so
    return std::nullopt;
  }
  verdict.count = stored.count + 1;
  verdict.first_time = event.time;
  if (stored.count > 0) {
    verdict.stored_name_time = stored.name_time;
    verdict.first_time = stored.first_time;
  }
  return verdict;
}

void EventCorrelator::written(const Verdict& verdict, std::chrono::nanoseconds name_time) {
  stored_[verdict.key] = {verdict.count, name_time, verdict.first_time};
}

}  // namespace ccm::kube
