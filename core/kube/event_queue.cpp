#include "kube/event_queue.hpp"

#include <algorithm>
#include <cstring>

namespace ccm::kube {
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

}  // namespace ccm::kube
