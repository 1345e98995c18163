#include "kube/event_correlator.hpp"

#include "base/text.hpp"
#include "kube/json_text.hpp"
#include "kube/time_text.hpp"

#include <ccm/shown_text.hpp>

#include <array>
#include <cstdio>
#include <cstring>
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

namespace {

constexpr std::size_t kQueueBlock = 16'384;

// The texts of an Event, in the order in which they are written.
template <typename Event, typename Do>
void for_each_text(Event& event, Do&& act) {
  auto& about = event.about;
  for (auto* text : {&about.api_version, &about.kind, &about.namespace_name, &about.name,
                     &about.uid, &about.resource_version, &event.reason, &event.message}) {
    act(*text);
  }
}

template <typename Number>
void append(std::string& block, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  block.append(bytes, sizeof bytes);
}

template <typename Number>
Number read_number(const std::string& block, std::size_t& at) {
  Number number{};
  std::memcpy(&number, block.data() + at, sizeof number);
  at += sizeof number;
  return number;
}

std::size_t length(const RawEvent& event) {
  std::size_t bytes = sizeof event.type + sizeof event.time;
  for_each_text(event,
                [&](const std::string& text) { bytes += sizeof(std::size_t) + text.size(); });
  return bytes;
}

}  // namespace

void EventQueue::push(const RawEvent& event) {
  const std::size_t bytes = length(event);
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < bytes) {
    blocks_.emplace_back().reserve(std::max(kQueueBlock, bytes));
  }
  std::string& block = blocks_.back();
  append(block, event.type);
  append(block, event.time);
  for_each_text(event, [&](const std::string& text) {
    append(block, text.size());
    block += text;
  });
  ++size_;
}

RawEvent EventQueue::pop() {
  const std::string& block = blocks_.front();
  RawEvent event;
  event.type = read_number<EventType>(block, read_);
  event.time = read_number<std::chrono::system_clock::time_point>(block, read_);
  for_each_text(event, [&](std::string& text) {
    const auto size = read_number<std::size_t>(block, read_);
    text.assign(block, read_, size);
    read_ += size;
  });
  --size_;
  if (read_ == block.size()) {
    blocks_.pop_front();
    read_ = 0;
  }
  return event;
}

namespace {

constexpr std::size_t kNameLimit = 253;
constexpr std::size_t kMessageLimit = 1024;

// RFC 1123 subdomain.
bool is_subdomain(std::string_view text) {
  const auto alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (text.empty() || text.size() > kNameLimit) return false;
  char before = '.';
  for (const char c : text) {
    if (c == '.' ? !alphanumeric(before) : !(alphanumeric(c) || (c == '-' && before != '.'))) {
      return false;
    }
    before = c;
  }
  return alphanumeric(before);
}

// One for a name, as good as random for everybody else: text_hash has a secret.
std::string hashed_uuid(const std::string& name) {
  const uint64_t high = text_hash(name);
  const uint64_t low = text_hash(name + '\0');
  std::array<unsigned, 4> parts{
      static_cast<unsigned>(high >> 32), static_cast<unsigned>(high & 0xffffffffu),
      static_cast<unsigned>(low >> 32), static_cast<unsigned>(low & 0xffffffffu)};
  parts[1] = (parts[1] & 0xffff0fffu) | 0x8000u;  // version 8: of hashes of one's own (RFC 9562)
  parts[2] = (parts[2] & 0x3fffffffu) | 0x80000000u;
  char text[40];
  std::snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%04x%08x", parts[0], parts[1] >> 16,
                parts[1] & 0xffff, parts[2] >> 16, parts[2] & 0xffff, parts[3]);
  return text;
}

}  // namespace

std::string event_namespace(const ObjectReference& about) {
  return about.namespace_name.empty() ? "default" : about.namespace_name;
}

std::string event_name(std::string_view object_name, std::chrono::nanoseconds unix_time) {
  char suffix[24];
  std::snprintf(suffix, sizeof suffix, ".%llx", static_cast<unsigned long long>(unix_time.count()));
  std::string name = std::string(object_name) + suffix;
  return is_subdomain(name) ? name : hashed_uuid(name);
}

std::string event_body(const RawEvent& event, const EventCorrelator::Verdict& verdict,
                       std::string_view component, std::string_view name) {
  const ObjectReference& about = event.about;
  std::string out = R"({"kind":"Event","apiVersion":"v1","metadata":{)";
  append_json_member(out, "name", name);
  append_json_member(out, "namespace", event_namespace(about));
  out += R"(},"involvedObject":{)";
  append_json_member(out, "kind", about.kind);
  append_json_member(out, "apiVersion", about.api_version);
  append_json_member(out, "namespace", about.namespace_name);
  append_json_member(out, "name", about.name);
  append_json_member(out, "uid", about.uid);
  append_json_member(out, "resourceVersion", about.resource_version);
  out += '}';
  append_json_member(out, "reason", event.reason);
  append_json_member(out, "message", utf8_front(shown_text(verdict.message), kMessageLimit));
  append_json_member(out, "type", type_text(event.type));
  out += R"(,"source":{)";
  append_json_member(out, "component", component);
  out += '}';
  append_json_member(out, "reportingComponent", component);
  out += R"(,"reportingInstance":"","eventTime":null)";
  append_json_member(out, "firstTimestamp", format_time(verdict.first_time));
  append_json_member(out, "lastTimestamp", format_time(event.time));
  return out + R"(,"count":)" + std::to_string(verdict.count) + "}";
}

std::string event_patch(const RawEvent& event, const EventCorrelator::Verdict& verdict) {
  std::string out = R"({"count":)" + std::to_string(verdict.count);
  append_json_member(out, "lastTimestamp", format_time(event.time));
  append_json_member(out, "message", utf8_front(shown_text(verdict.message), kMessageLimit));
  return out + "}";
}

}  // namespace ccm::kube
