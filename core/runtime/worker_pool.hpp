// Threads for code that blocks: started on demand, bounded, shared by all plugins, each of which
// has a lane with its own limit. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace ccm::runtime {

class WorkerPool {
  struct State;

 public:
  struct Options {
    std::size_t max_threads = 64;
    std::chrono::milliseconds idle_timeout{30'000};  // after which an unused thread ends
  };

  // One plugin's share of the pool. Tasks start in the order of submit(), at most `max_parallel`
  // at once. Keeps the pool's state alive, so a lane may outlive its pool.
  class Lane {
   public:
    // Runs `task` on a thread of the pool; it must not throw. Its number, above 0. Failures:
    // unavailable when the pool was stopped, resource_exhausted when not even one thread could be
    // started.
    Result<uint64_t> submit(std::function<void()> task);
    // Cancels the task of that number. False when it has started; otherwise it is dropped.
    bool withdraw(uint64_t number);
    // How many tasks have not started.
    [[nodiscard]] std::size_t waiting() const;

   private:
    friend class WorkerPool;
    friend struct State;
    struct Shared;
    explicit Lane(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
    std::shared_ptr<Shared> shared_;
  };

  WorkerPool() : WorkerPool(Options{}) {}
  explicit WorkerPool(Options options);
  ~WorkerPool();  // stop(2 s); objects that tasks refer to must outlive the pool
  WorkerPool& operator=(WorkerPool&&) = delete;

  [[nodiscard]] std::shared_ptr<Lane> lane(std::size_t max_parallel);

  // Drops tasks that have not started and waits for the rest up to `limit`. Returns the number of
  // running tasks: their threads are left alone, as a blocked call cannot be interrupted. Not on a
  // worker.
  std::size_t stop(std::chrono::milliseconds limit);

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ccm::runtime
