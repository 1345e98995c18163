#include "plugin/dispatch.hpp"

#include "base/text.hpp"
#include "plugin/context.hpp"

#include <ccm/shown_text.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>

namespace ccm::plugin {

using std::chrono::milliseconds;

namespace {

uint64_t number(uint32_t generation, uint32_t index) {
  return (uint64_t{generation} << 32) | index;
}

// An impossible copy (a list of 2^60 instances) ends the operation, not the process.
void copy(PendingOperation& operation, const ccm_status* status, const void* result) {
  try {
    operation.copy(status, result);
  } catch (const std::exception& error) {
    operation.fail(Status(Code::internal,
                          std::string("the plugin's result cannot be copied: ") + error.what()));
  }
}

}  // namespace

CompletionTable::CompletionTable(runtime::EventLoop& loop, OnFault on_fault)
    : loop_(loop), on_fault_(std::move(on_fault)) {}

ccm_completion CompletionTable::begin(std::unique_ptr<PendingOperation> operation,
                                      std::shared_ptr<void> keep,
                                      std::shared_ptr<OperationCounter> counter) {
  counter->began();
  const std::lock_guard lock(mutex_);
  uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Slot& slot = slots_[index];
  slot.entry = {State::pending, std::move(operation), std::move(keep), std::move(counter)};
  ++in_flight_;
  return {&CompletionTable::complete, this, number(slot.generation, index)};
}

CompletionTable::Slot* CompletionTable::find(uint64_t operation) {
  const auto index = static_cast<uint32_t>(operation);
  if (index >= slots_.size()) return nullptr;
  Slot& slot = slots_[index];
  const bool there = slot.generation == operation >> 32 && slot.entry.state != State::free;
  return there ? &slot : nullptr;
}

CompletionTable::Entry CompletionTable::take(uint64_t operation) {
  const std::lock_guard lock(mutex_);
  Slot* const slot = find(operation);
  if (slot == nullptr) return {};
  if (++slot->generation == 0) slot->generation = 1;
  free_.push_back(static_cast<uint32_t>(operation));
  --in_flight_;
  return std::exchange(slot->entry, {});
}

void CompletionTable::complete(void* owner, uint64_t operation, const ccm_status* status,
                               const void* result) noexcept {
  auto& self = *static_cast<CompletionTable*>(owner);
  Entry taken = self.take(operation);
  switch (taken.state) {
    case State::free:
      return self.fault(self.unknown_, "unknown");
    case State::given_up:
      self.fault(self.late_, "late");
      break;
    case State::pending:
      copy(*taken.operation, status, result);
      break;
  }
  self.post_delivery(std::move(taken));
}

void CompletionTable::fail(uint64_t operation, Status status) {
  Entry taken = take(operation);
  if (taken.state == State::free) return;
  if (taken.operation) taken.operation->fail(std::move(status));
  post_delivery(std::move(taken));
}

bool CompletionTable::give_up(uint64_t operation, Status status) {
  std::shared_ptr<PendingOperation> pending;
  {
    const std::lock_guard lock(mutex_);
    Slot* const slot = find(operation);
    if (slot == nullptr || slot->entry.state != State::pending) return false;
    slot->entry.state = State::given_up;
    pending = std::move(slot->entry.operation);
  }
  pending->fail(std::move(status));
  loop_.post([pending] { pending->deliver(); });
  return true;
}

// std::function wants copyable captures, hence the shared pointer.
void CompletionTable::post_delivery(Entry taken) {
  loop_.post([taken = std::make_shared<Entry>(std::move(taken))] {
    if (taken->operation) taken->operation->deliver();
    taken->operation.reset();
    taken->keep.reset();
    taken->counter->ended();
  });
}

std::size_t CompletionTable::in_flight() const {
  const std::lock_guard lock(mutex_);
  return in_flight_;
}

void CompletionTable::fault(std::atomic<uint64_t>& count, const char* kind) {
  ++count;
  const std::lock_guard lock(fault_mutex_);
  if (on_fault_) on_fault_(kind);
}

void CompletionTable::detach() {
  const std::lock_guard lock(fault_mutex_);
  on_fault_ = nullptr;
}

namespace {

// A message ends up in logs, Events and conditions.
constexpr std::size_t kStatusReasonLimit = 128;
constexpr std::size_t kStatusMessageLimit = 8'192;
// What a cloud asks for in an absurd header must not stop an object for longer.
constexpr milliseconds kLongestOfCloud{600'000};

bool known_code(int32_t code) {
  return (code >= CCM_CODE_OK && code <= CCM_CODE_UNAUTHENTICATED) ||
         code == CCM_CODE_IMPLEMENTED_ELSEWHERE;
}

bool known_class(int32_t error_class) {
  return error_class >= CCM_CLASS_NONE && error_class <= CCM_CLASS_UNSUPPORTED;
}

}  // namespace

Status checked_status(const ccm_status* given) {
  if (given == nullptr) return {};
  if (!CCM_HAS(given, code)) {
    return Status(Code::internal, "the plugin completed with a status of a wrong size");
  }
  const ccm_status status = known(given);
  const auto code = known_code(status.code) ? static_cast<Code>(status.code) : Code::unknown;
  // A class from the future: nothing is known of the fault.
  const auto error_class = known_class(status.error_class)
                               ? static_cast<ErrorClass>(status.error_class)
                               : ErrorClass::none;
  if (code == Code::ok) return {};
  milliseconds retry_after = bounded(status.retry_after_ms);
  const bool of_the_cloud =
      error_class == ErrorClass::throttled || error_class == ErrorClass::unavailable;
  if (of_the_cloud) retry_after = std::min(retry_after, kLongestOfCloud);
  return Status(code, error_class,
                shown_text(utf8_text(view(status.message).substr(0, kStatusMessageLimit))))
      .with_reason(utf8_text(view(status.reason).substr(0, kStatusReasonLimit)))
      .with_retry_after(retry_after);
}

}  // namespace ccm::plugin
