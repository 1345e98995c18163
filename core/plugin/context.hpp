// The host's side of a ccm_ctx: deadline, cancellation and log fields of one operation, in a tree
// whose root is the component's background. Any thread; callbacks run on the loop.
#pragma once

#include "runtime/event_loop.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::plugin {

class Origin;

class Context : public std::enable_shared_from_this<Context> {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  // A context without a deadline. `loop` and `timers` must outlive the whole tree.
  static std::shared_ptr<Context> root(runtime::EventLoop& loop, runtime::Timers& timers,
                                       Fields fields = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Ends with this one, or after `timeout` when there is one. Has this one's fields, then its own,
  // and this one's origin unless `origin` is given.
  std::shared_ptr<Context> child(std::optional<std::chrono::milliseconds> timeout,
                                 Fields fields = {}, std::shared_ptr<Origin> origin = nullptr);

  // Ends it and all below it; only the first end counts.
  void cancel() { end(End::cancelled); }

  // True once it was cancelled or its deadline passed.
  [[nodiscard]] bool ended() const;
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
  void post_callbacks();
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

}  // namespace ccm::plugin
