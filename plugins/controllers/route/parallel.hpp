// Runs many small tasks with a bound on how many are under way at once. [serial]
#pragma once

#include <ccm/host.hpp>
#include <ccm/task.hpp>

#include <coroutine>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace ccm::route {

// Makes the task of a number.
using Tasks = std::function<Task<void>(std::size_t)>;

namespace detail {

struct Gathering {
  std::size_t next = 0;
  std::size_t count = 0;
  std::size_t workers = 0;  // that still run
  Tasks make;
  std::coroutine_handle<> waiting;
};

inline Task<void> gather_worker(std::shared_ptr<Gathering> all) {
  while (all->next < all->count) {
    Task<void> task = all->make(all->next++);
    co_await std::move(task);
  }
}

struct GatheringEnd {
  std::shared_ptr<Gathering> all;
  bool await_ready() const noexcept { return all->workers == 0; }
  void await_suspend(std::coroutine_handle<> waiting) const { all->waiting = waiting; }
  void await_resume() const noexcept {}
};

}  // namespace detail

// Awaits `make(0)` .. `make(count - 1)`, at most `width` at once. What a task throws is dropped,
// and its worker with it. The tasks live in `host`'s scope and end with the component.
inline Task<void> in_parallel(Host& host, std::size_t count, std::size_t width, Tasks make) {
  auto all = std::make_shared<detail::Gathering>();
  all->count = count;
  all->make = std::move(make);
  all->workers = std::min(count, width);
  const std::size_t workers = all->workers;
  for (std::size_t i = 0; i < workers; ++i) {
    const auto ended = [all, &host](const Status&) {
      if (--all->workers > 0 || !all->waiting) return;
      const auto waiting = std::exchange(all->waiting, nullptr);
      if (!host.post([waiting] { waiting.resume(); })) waiting.resume();
    };
    host.scope().start(detail::gather_worker(all), ended);
  }
  detail::GatheringEnd end{all};
  co_await end;
}

}  // namespace ccm::route
