// Objects and contexts of the fake host, with the same kinds of handles as the real host's.
#pragma once

#include <ccm/abi/ctx.h>
#include <ccm/abi/object.h>
#include <ccm/ctx.hpp>
#include <ccm/object.hpp>
#include <ccm/testing/fake_callbacks.hpp>
#include <ccm/testing/fake_loop.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
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
  ~FakeContexts();
  FakeContexts(const FakeContexts&) = delete;
  FakeContexts& operator=(const FakeContexts&) = delete;

  // A context of its own, as the host makes one for each operation; `timeout` 0 = none. It is known
  // as long as the host.
  [[nodiscard]] Ctx make(std::chrono::milliseconds timeout = std::chrono::milliseconds(0));
  // Ends it and all below it, as the host does when nobody waits any more.
  void cancel(const Ctx& ctx);

  [[nodiscard]] Ctx::Host service() { return Ctx::Host(&table_, &caller_); }
  [[nodiscard]] const ccm_host_ctx* table() const { return &table_; }
  // As which the fakes themselves, and tests without a component, call.
  [[nodiscard]] FakeCaller* caller() { return &caller_; }
  // Children that are known: 0 at a test's end unless one was never cancelled.
  [[nodiscard]] std::size_t live() const;

  // Whether an operation may be started with it: failed_precondition when it is not known any more,
  // else why it ended, if it did.
  [[nodiscard]] Status check(ccm_ctx ctx);

  // The background of a component, until forget().
  uint64_t open_background();
  void forget(uint64_t id);

 private:
  struct Node;
  struct Table;
  FakeLoop& loop_;
  FakeCallbacks callbacks_;
  FakeCaller caller_;
  ccm_host_ctx table_{};
  mutable std::recursive_mutex mutex_;  // of the whole tree
  std::map<uint64_t, std::shared_ptr<Node>> known_;
  std::size_t roots_ = 0;
  uint64_t last_id_ = 0;
};

}  // namespace ccm::testing
