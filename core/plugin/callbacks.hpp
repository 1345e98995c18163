// The callbacks that a component handed over. Each is dropped exactly once, whatever becomes of it
// (ccm/abi/base.h, R-13). Any thread, except where said.
#pragma once

#include <ccm/abi/base.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace ccm::plugin {

// Drops a callback inside the call that offered it.
void drop_callback(const ccm_callback& callback) noexcept;

class Callbacks {
 public:
  // Calls a function of the component in [serial]: LiveComponent::call_serial.
  using Serial = std::function<void(std::string_view name, const std::function<void()>& fn)>;

  Callbacks() = default;
  Callbacks(const Callbacks&) = delete;
  Callbacks& operator=(const Callbacks&) = delete;

  // Takes it over. Returns its number; 0 = dropped: it has no function, or the component ends.
  uint64_t add(const ccm_callback& callback);
  // Called when the callback is removed before it ran; to be set once.
  void on_removal(uint64_t number, std::function<void()> fn);

  // Calls it and drops it; nothing when it is gone. [serial]
  void run_once(uint64_t number, std::string_view name, const Serial& serial);
  // Calls it; it stays. [serial]
  void run(uint64_t number, std::string_view name, const Serial& serial);

  // After it returned in [serial] the callback is not called any more. False when it is gone.
  bool remove(uint64_t number);

  // Drops all, and refuses what comes later. [serial]
  void close();

 private:
  struct Kept {
    explicit Kept(const ccm_callback& given) : callback(given) {}
    ~Kept() { drop_callback(callback); }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    const ccm_callback callback;
  };
  struct Entry {
    std::shared_ptr<Kept> kept;
    std::function<void()> removed{};
  };
  Entry take(uint64_t number);  // without a callback when it is gone

  std::mutex mutex_;
  std::unordered_map<uint64_t, Entry> entries_;
  uint64_t last_ = 0;
  bool closed_ = false;
};

}  // namespace ccm::plugin
