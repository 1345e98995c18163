#include "runtime/worker_pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace ccm::runtime {

namespace {
constexpr std::chrono::seconds kStopLimit{2};
}  // namespace

// Threads are detached and hold the state: a thread that is stuck in a vendor's library neither
// blocks the end of the process nor uses freed memory.
struct WorkerPool::State : std::enable_shared_from_this<State> {
  struct Task {
    std::shared_ptr<Lane::Shared> lane;
    uint64_t number = 0;
    std::function<void()> run;
  };

  explicit State(Options wanted) : options(wanted) {}

  Status ensure_thread();  // with the mutex
  void work();
  void finish(const std::shared_ptr<Lane::Shared>& lane);  // with the mutex

  const Options options;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Task> runnable;
  std::size_t threads = 0;
  std::size_t idle = 0;
  std::size_t busy = 0;
  uint64_t last_number = 0;
  bool stopped = false;
};

struct WorkerPool::Lane::Shared {
  std::shared_ptr<State> pool;
  std::size_t max_parallel;
  std::size_t taken = 0;  // runnable or running
  std::size_t running = 0;
  std::deque<State::Task> waiting;  // without their lane, which is this one
};

Status WorkerPool::State::ensure_thread() {
  if (idle >= runnable.size() || threads >= options.max_threads) return {};
  try {
    std::thread([self = shared_from_this()] { self->work(); }).detach();
    ++threads;
  } catch (const std::system_error& error) {
    // With other threads alive the task just waits for one of them.
    if (threads == 0) {
      return Status(Code::resource_exhausted, ErrorClass::unavailable,
                    std::string("start a worker thread: ") + error.what());
    }
  }
  return {};
}

void WorkerPool::State::work() {
  std::unique_lock lock(mutex);
  while (true) {
    if (runnable.empty()) {
      ++idle;
      const bool woken = changed.wait_for(lock, options.idle_timeout,
                                          [this] { return stopped || !runnable.empty(); });
      --idle;
      if (!woken || runnable.empty()) break;
    }
    auto [lane, number, task] = std::move(runnable.front());
    runnable.pop_front();
    ++lane->running;
    ++busy;
    lock.unlock();
    task();
    task = nullptr;  // its captures are destroyed outside of the lock
    lock.lock();
    --busy;
    --lane->running;
    finish(lane);
    if (stopped) changed.notify_all();
  }
  --threads;
  changed.notify_all();
}

void WorkerPool::State::finish(const std::shared_ptr<Lane::Shared>& lane) {
  if (stopped || lane->waiting.empty()) {
    --lane->taken;
    return;
  }
  runnable.push_back(std::move(lane->waiting.front()));
  runnable.back().lane = lane;
  lane->waiting.pop_front();
}

Result<uint64_t> WorkerPool::Lane::submit(std::function<void()> task) {
  State& pool = *shared_->pool;
  const std::lock_guard lock(pool.mutex);
  if (pool.stopped) return Status(Code::unavailable, "the worker pool was stopped");
  const uint64_t number = ++pool.last_number;
  if (shared_->taken >= shared_->max_parallel) {
    shared_->waiting.push_back({nullptr, number, std::move(task)});
    return number;
  }
  ++shared_->taken;
  pool.runnable.push_back({shared_, number, std::move(task)});
  Status status = pool.ensure_thread();
  if (!status.ok()) {
    pool.runnable.pop_back();
    --shared_->taken;
    return status;
  }
  pool.changed.notify_one();
  return number;
}

bool WorkerPool::Lane::withdraw(uint64_t number) {
  std::function<void()> dropped;  // destroyed without the lock
  State& pool = *shared_->pool;
  const std::lock_guard lock(pool.mutex);
  auto& waiting = shared_->waiting;
  if (const auto place = std::ranges::find(waiting, number, &State::Task::number);
      place != waiting.end()) {
    dropped = std::move(place->run);
    waiting.erase(place);
    return true;
  }
  auto& runnable = pool.runnable;
  const auto place = std::ranges::find(runnable, number, &State::Task::number);
  if (place == runnable.end()) return false;
  dropped = std::move(place->run);
  runnable.erase(place);
  pool.finish(shared_);
  return true;
}

std::size_t WorkerPool::Lane::waiting() const {
  const std::lock_guard lock(shared_->pool->mutex);
  return shared_->waiting.size() + shared_->taken - shared_->running;
}

WorkerPool::WorkerPool(Options options) : state_(std::make_shared<State>(options)) {}

WorkerPool::~WorkerPool() { stop(kStopLimit); }

std::shared_ptr<WorkerPool::Lane> WorkerPool::lane(std::size_t max_parallel) {
  auto shared = std::make_shared<Lane::Shared>();
  shared->pool = state_;
  shared->max_parallel = std::max<std::size_t>(max_parallel, 1);
  return std::shared_ptr<Lane>(new Lane(std::move(shared)));
}

std::size_t WorkerPool::stop(std::chrono::milliseconds limit) {
  std::deque<State::Task> dropped;  // destroyed without the lock
  std::unique_lock lock(state_->mutex);
  state_->stopped = true;
  for (State::Task& task : state_->runnable) task.lane->taken -= 1;
  dropped.swap(state_->runnable);
  state_->changed.notify_all();
  state_->changed.wait_for(lock, limit, [this] { return state_->busy == 0; });
  const std::size_t left = state_->busy;
  lock.unlock();
  return left;
}

}  // namespace ccm::runtime
