// ccm::gather: runs many tasks of one component, several at once, and waits for all. [serial]
//
//   auto read = [this, &pages](std::size_t i) { return read_page(pages[i]); };
//   Status status = co_await gather(host_.post, pages.size(), 8, read);
#pragma once

#include <ccm/gate.hpp>
#include <ccm/scope.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>
#include <ccm/timer.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

namespace ccm {
namespace detail {

// Lives in the frame of gather(), as do the coroutines that use it.
struct Gathering {
  std::size_t count;
  std::function<Task<Status>(std::size_t)> work;
  std::size_t next = 0;
  std::size_t running = 0;
  Status failure;
};

inline Task<Status> gather_worker(Gathering& all) {
  while (all.failure.ok() && all.next < all.count) {
    Task<Status> work = all.work(all.next++);
    Status status = co_await std::move(work);
    if (!status.ok() && all.failure.ok()) all.failure = std::move(status);
  }
  co_return Status();
}

}  // namespace detail

// Runs work(0) ... work(count - 1), at most `parallel` at once (at least one), in that order. After
// a failure, or what a task throws, nothing further is started; the first one is the outcome, once
// all that ran have ended. Tasks whose failures stop nothing end with an ok status. `post` (of the
// Host) must outlive it. Destroying it destroys what still runs.
inline Task<Status> gather(const Post& post, std::size_t count, std::size_t parallel,
                           std::function<Task<Status>(std::size_t)> work) {
  if (count == 0) co_return Status();
  const std::size_t workers = std::max<std::size_t>(std::min(parallel, count), 1);
  detail::Gathering all{count, std::move(work), 0, workers, {}};
  Gate ended(post);
  Scope scope;  // last: its coroutines refer to the two above
  for (std::size_t i = 0; i < workers; ++i) {
    auto one_ended = [&all, &ended](Status outcome) {
      if (!outcome.ok() && all.failure.ok()) all.failure = std::move(outcome);
      if (--all.running == 0) ended.open();
    };
    scope.start(detail::gather_worker(all), one_ended);
  }
  co_await ended.wait();
  co_return std::move(all.failure);
}

}  // namespace ccm
