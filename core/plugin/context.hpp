// The host's side of a ccm_ctx: deadline, cancellation and log fields of one operation, in a tree
// whose root is the component's background. Any thread; callbacks run on the loop.
#pragma once

#include "runtime/event_loop.hpp"
#include "runtime/timers.hpp"

#include <ccm/abi/ctx.h>
#include <ccm/status.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ccm::plugin {

// Clamps durations from plugins to a range with which the host can reckon.

// Longer than any process lives, and far from the clock's end.
inline constexpr std::chrono::milliseconds kLongestDelay = std::chrono::hours(24 * 365);

// From 0 to kLongestDelay.
inline std::chrono::milliseconds bounded(int64_t delay_ms) {
  return std::chrono::milliseconds(std::clamp<int64_t>(delay_ms, 0, kLongestDelay.count()));
}

class Origin;

class Context : public std::enable_shared_from_this<Context> {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  // A context without a deadline. `loop` and `timers` must outlive the whole tree.
  static std::shared_ptr<Context> root(runtime::EventLoop& loop, runtime::Timers& timers,
                                       Fields fields = {});
  ~Context();
  Context& operator=(Context&&) = delete;

  // Ends with this one, or after `timeout` when there is one. Has this one's fields, then its own,
  // and this one's origin unless `origin` is given.
  std::shared_ptr<Context> child(std::optional<std::chrono::milliseconds> timeout,
                                 Fields fields = {}, std::shared_ptr<Origin> origin = nullptr);

  // Ends it and all below it; only the first end counts.
  void cancel() { end(End::cancelled); }

  // True once it was cancelled or its deadline passed.
  [[nodiscard]] bool ended() const {
    return end_ != End::none || (deadline_ && timers_.now() >= *deadline_);
  }
  // cancelled or deadline_exceeded; ok while it has not ended.
  [[nodiscard]] Status status() const;
  // nullopt without a deadline; not above 0 when it is over.
  [[nodiscard]] std::optional<std::chrono::milliseconds> remaining() const;

  // Calls `fn` once on the loop when the context ends, soon if it has. Returns a registration,
  // never 0.
  uint64_t on_end(std::function<void()> fn);
  // On the loop: `fn` does not run after this returned.
  void remove(uint64_t registration);

  // Its origin; null when there is none. The pointed-to value: loop thread.
  [[nodiscard]] const std::shared_ptr<Origin>& origin() const { return origin_; }

  // The inherited fields first.
  [[nodiscard]] Fields fields() const;

 private:
  enum class End : int { none, cancelled, expired };
  Context(runtime::EventLoop& loop, runtime::Timers& timers, Fields fields)
      : loop_(loop), timers_(timers), fields_(std::move(fields)) {}
  void adopt(const std::shared_ptr<Context>& child);
  void end(End reason);
  void post_callbacks() {
    loop_.post([self = shared_from_this()] { self->run_callbacks(); });
  }
  void run_callbacks();

  runtime::EventLoop& loop_;
  runtime::Timers& timers_;
  const Fields fields_;
  std::shared_ptr<Context> parent_;
  std::shared_ptr<Origin> origin_;
  std::optional<runtime::TimePoint> deadline_;
  runtime::Timers::Id timer_ = 0;
  std::atomic<End> end_{End::none};
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<Context>> children_;
  std::size_t prune_at_ = 16;
  std::map<uint64_t, std::function<void()>> callbacks_;
  uint64_t last_registration_ = 0;
};

// The contexts that plugins know, by number (ccm/abi/ctx.h, R-40 to R-44). One that is over, was
// never given, or is another plugin's is not found. Any thread.
class ContextTable {
 public:
  using Ptr = std::shared_ptr<Context>;
  ContextTable& operator=(ContextTable&&) = delete;

  // By which the table tells plugins apart; never 0.
  uint32_t number_of(std::string_view plugin);

  // The plugin knows the context until forget().
  ccm_ctx add(uint32_t plugin, Ptr context);
  // A child that the plugin made: known until cancel(), or until its parent is forgotten. {0} when
  // the parent is not known any more.
  ccm_ctx add_child(uint32_t plugin, Ptr context, ccm_ctx parent);

  // Null when the plugin does not know it (any more).
  [[nodiscard]] Ptr find(uint32_t plugin, ccm_ctx ctx) const;

  // Ends a child and forgets it, with all below; any other context is left alone.
  void cancel(uint32_t plugin, ccm_ctx ctx);
  // Finds any context: an operation that was completed has ended its ctx.
  void forget(ccm_ctx ctx);

  [[nodiscard]] std::size_t size() const;

 private:
  struct Entry {
    uint32_t plugin = 0;
    Ptr context;
    uint64_t parent = 0;  // for a child that the plugin made
    std::unordered_set<uint64_t> children{};
  };
  std::vector<Ptr> take(uint64_t id);  // with all below, itself first; under the lock

  mutable std::mutex mutex_;
  std::map<std::string, uint32_t, std::less<>> plugins_;
  std::unordered_map<uint64_t, Entry> entries_;
  uint64_t last_ = 0;
};

// A context that one plugin knows as long as this lives.
class KnownContext {
 public:
  KnownContext(std::shared_ptr<ContextTable> table, uint32_t plugin, ContextTable::Ptr context)
      : table_(std::move(table)), ctx_(table_->add(plugin, std::move(context))) {}
  ~KnownContext() { table_->forget(ctx_); }
  KnownContext& operator=(KnownContext&&) = delete;
  [[nodiscard]] ccm_ctx get() const { return ctx_; }

 private:
  const std::shared_ptr<ContextTable> table_;
  const ccm_ctx ctx_;
};

}  // namespace ccm::plugin
