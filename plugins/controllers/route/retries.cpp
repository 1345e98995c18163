#include "retries.hpp"

#include <algorithm>

namespace ccm::route {
namespace {

constexpr milliseconds kFirst{1'000};
constexpr milliseconds kMost{300'000};
constexpr milliseconds kWhileHeld{60'000};  // by the brake, or by another Node
constexpr milliseconds kAuth{10'000};
// How long a change is remembered that was due and not attempted.
constexpr milliseconds kOld{60'000};

milliseconds pause_after(const Status& status, uint32_t count) {
  if (held_by_brake(status)) return kWhileHeld;
  if (status.refused()) return kMost;
  // The host answers such a change by itself, without a call to the cloud.
  const milliseconds most = status.error_class() == ErrorClass::waiting ? kWhileHeld : kMost;
  milliseconds pause = kFirst;
  for (uint32_t i = 1; i < count && pause < most; ++i) pause *= 2;
  if (status.error_class() == ErrorClass::auth) pause = std::max(pause, kAuth);
  return std::min(pause, most);
}

}  // namespace

bool Retries::due(const std::string& name, milliseconds now) const {
  const auto place = failures_.find(name);
  return place == failures_.end() || place->second.due <= now;
}

void Retries::failed(const std::string& name, const Status& status, milliseconds now) {
  Failure& failure = failures_[name];
  ++failure.count;
  failure.waits = status.error_class() == ErrorClass::waiting && !held_by_brake(status);
  failure.due = now + std::max(pause_after(status, failure.count), status.retry_after());
}

void Retries::hurry(milliseconds now) {
  for (auto& [name, failure] : failures_) {
    if (failure.waits) failure.due = std::min(failure.due, now);
  }
}

std::optional<milliseconds> Retries::next(milliseconds now) const {
  std::optional<milliseconds> first;
  for (const auto& [name, failure] : failures_) {
    const milliseconds left = std::max(failure.due - now, milliseconds(1));
    first = first ? std::min(*first, left) : left;
  }
  return first;
}

void Retries::forget_old(milliseconds now) {
  std::erase_if(failures_, [&](const auto& entry) { return entry.second.due + kOld <= now; });
}

}  // namespace ccm::route
