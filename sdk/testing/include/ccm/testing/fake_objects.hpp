// Objects and contexts of the fake host, behind the same opaque handles as the real host's.
#pragma once

#include <ccm/abi/ctx.h>
#include <ccm/abi/object.h>
#include <ccm/ctx.hpp>
#include <ccm/object.hpp>
#include <ccm/testing/fake_loop.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace ccm::testing {

// Kubernetes objects in memory. [any-thread]
class FakeObjects {
 public:
  FakeObjects();
  FakeObjects(const FakeObjects&) = delete;
  FakeObjects& operator=(const FakeObjects&) = delete;

  // A new object of that JSON text; throws std::invalid_argument when it is none.
  [[nodiscard]] Object make(std::string_view json);
  [[nodiscard]] ObjectHost service() { return ObjectHost(&table_, this); }
  [[nodiscard]] const ccm_host_object* table() const { return &table_; }
  // Objects that somebody still holds: 0 at a test's end unless something leaks.
  [[nodiscard]] std::size_t live() const { return live_; }

 private:
  struct Table;
  ccm_host_object table_{};
  std::atomic<std::size_t> live_{0};
};

// Contexts on the fake clock. [any-thread]; callbacks run on the loop.
class FakeContexts {
 public:
  explicit FakeContexts(FakeLoop& loop);
  FakeContexts(const FakeContexts&) = delete;
  FakeContexts& operator=(const FakeContexts&) = delete;

  // A context of its own, as the host makes one for each operation; `timeout` 0 = none.
  [[nodiscard]] Ctx make(std::chrono::milliseconds timeout = std::chrono::milliseconds(0));
  // Ends it and all below it.
  void cancel(const Ctx& ctx);

  [[nodiscard]] Ctx::Host service() { return Ctx::Host(&table_, this); }
  [[nodiscard]] const ccm_host_ctx* table() const { return &table_; }
  [[nodiscard]] std::size_t live() const { return live_; }

 private:
  struct Table;
  FakeLoop& loop_;
  ccm_host_ctx table_{};
  std::atomic<std::size_t> live_{0};
  std::recursive_mutex mutex_;  // of the whole tree
  uint64_t last_registration_ = 0;
};

}  // namespace ccm::testing
