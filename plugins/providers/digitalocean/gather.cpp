#include "gather.hpp"

#include "gate.hpp"

#include <ccm/scope.hpp>

#include <algorithm>
#include <utility>

namespace ccm::digitalocean {
namespace {

// Lives in the frame of gather(), as do the coroutines that use it.
struct Gathering {
  size_t count;
  std::function<Task<Status>(size_t)> work;
  size_t next = 0;
  size_t running = 0;
  Status failure;
};

Task<Status> take_turns(Gathering& all) {
  while (all.failure.ok() && all.next < all.count) {
    const size_t index = all.next++;
    Status status = co_await all.work(index);
    if (!status.ok() && all.failure.ok()) all.failure = std::move(status);
  }
  co_return Status();
}

}  // namespace

Task<Status> gather(Host& host, size_t count, size_t parallel,
                    std::function<Task<Status>(size_t)> work) {
  if (count == 0) co_return Status();
  Gathering all{count, std::move(work), 0, std::max<size_t>(std::min(parallel, count), 1), {}};
  Gate ended(host.post);
  Scope scope;  // last: its coroutines refer to the two above
  const size_t workers = all.running;
  for (size_t i = 0; i < workers; ++i) {
    auto one_ended = [&all, &ended](Status outcome) {
      if (!outcome.ok() && all.failure.ok()) all.failure = std::move(outcome);
      if (--all.running == 0) ended.open();
    };
    scope.start(take_turns(all), one_ended);
  }
  co_await ended.wait();
  co_return std::move(all.failure);
}

}  // namespace ccm::digitalocean
