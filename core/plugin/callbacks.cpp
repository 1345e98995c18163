#include "plugin/callbacks.hpp"

#include "base/log.hpp"

#include <utility>

namespace ccm::plugin {

void drop_callback(const ccm_callback& callback) noexcept {
  if (callback.drop == nullptr) return;
  try {
    callback.drop(callback.owner);
  } catch (...) {
    log::error("Plugin let an exception escape", {{"operation", "drop"}});
  }
}

uint64_t Callbacks::add(const ccm_callback& callback) {
  if (callback.fn != nullptr) {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      entries_.emplace(++last_, Entry{std::make_shared<Kept>(callback)});
      return last_;
    }
  }
  drop_callback(callback);
  return 0;
}

void Callbacks::on_removal(uint64_t number, std::function<void()> fn) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(number);
  if (found != entries_.end()) found->second.removed = std::move(fn);
}

// An entry that leaves the map is destroyed, and so dropped, without the lock.
Callbacks::Entry Callbacks::take(uint64_t number) {
  const std::lock_guard lock(mutex_);
  auto taken = entries_.extract(number);
  return taken.empty() ? Entry{} : std::move(taken.mapped());
}

void Callbacks::run_once(uint64_t number, std::string_view name, const Serial& serial) {
  const Entry entry = take(number);
  if (entry.kept) serial(name, [&] { entry.kept->callback.fn(entry.kept->callback.owner); });
}

void Callbacks::run(uint64_t number, std::string_view name, const Serial& serial) {
  std::shared_ptr<Kept> kept;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(number);
    if (found == entries_.end()) return;
    kept = found->second.kept;
  }
  serial(name, [&] { kept->callback.fn(kept->callback.owner); });
}

bool Callbacks::remove(uint64_t number) {
  const Entry entry = take(number);
  if (entry.removed) entry.removed();
  return entry.kept != nullptr;
}

void Callbacks::close() {
  std::unordered_map<uint64_t, Entry> all;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    all.swap(entries_);
  }
  for (const auto& [number, entry] : all) {
    if (entry.removed) entry.removed();
  }
}

}  // namespace ccm::plugin
