#include "plugin/host_services/file_service.hpp"

#include "kube/file_text.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ccm::plugin {

// Shared with the thread, which may hang in the file system.
struct WatchedFiles::State {
  struct Watch {
    std::string path;
    std::function<void()> changed;
    kube::FileStamp stamp;
  };

  explicit State(runtime::EventLoop& wanted) : loop(wanted) {}

  void run(const std::shared_ptr<State>& self) {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [this] { return ending || !jobs.empty(); });
        if (ending) return;
        job = std::move(jobs.front());
        jobs.pop_front();
        busy = true;
      }
      job();
      const std::lock_guard lock(self->mutex);
      busy = false;
    }
  }

  void enqueue(std::function<void()> job) {
    const std::lock_guard lock(mutex);
    if (ending) return;
    jobs.push_back(std::move(job));
    wake.notify_one();
  }

  // Nobody hears of it any more once the loop may be gone.
  void tell(std::function<void()> news) {
    const std::lock_guard lock(mutex);
    if (!ending) loop.post(std::move(news));
  }

  void check() {
    std::vector<std::pair<uint64_t, std::string>> paths;
    {
      const std::lock_guard lock(mutex);
      for (const auto& [number, watch] : watches) paths.emplace_back(number, watch.path);
    }
    for (const auto& [number, path] : paths) {
      const auto now = kube::file_stamp(path);
      std::function<void()> changed;
      {
        const std::lock_guard lock(mutex);
        const auto found = watches.find(number);
        if (found == watches.end() || found->second.stamp == now) continue;
        found->second.stamp = now;
        changed = found->second.changed;
      }
      tell(std::move(changed));
    }
  }

  runtime::EventLoop& loop;
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> jobs;
  std::map<uint64_t, Watch> watches;
  uint64_t last = 0;
  bool busy = false;
  bool ending = false;
};

WatchedFiles::WatchedFiles(runtime::EventLoop& loop, runtime::Timers& timers,
                           std::chrono::milliseconds check_interval)
    : timers_(timers), interval_(check_interval), state_(std::make_shared<State>(loop)) {
  std::thread([state = state_] { state->run(state); }).detach();
  check_later();
}

WatchedFiles::~WatchedFiles() {
  timers_.cancel(timer_);
  const std::lock_guard lock(state_->mutex);
  state_->ending = true;
  state_->jobs.clear();
  state_->watches.clear();
  state_->wake.notify_one();
}

void WatchedFiles::check_later() {
  timer_ = timers_.after(interval_, [this] {
    bool idle = false;
    {
      const std::lock_guard lock(state_->mutex);
      idle = !state_->busy && state_->jobs.empty() && !state_->watches.empty();
    }
    if (idle) state_->enqueue([state = state_] { state->check(); });
    check_later();
  });
}

void WatchedFiles::read(std::string path, std::size_t limit,
                        std::function<void(Result<std::string>)> done) {
  state_->enqueue([state = state_, path = std::move(path), limit, done = std::move(done)] {
    auto content = kube::read_whole_file(path, limit);
    state->tell([done, content = std::move(content)] { done(content); });
  });
}

void WatchedFiles::work(std::function<std::function<void()>()> job) {
  state_->enqueue([state = state_, job = std::move(job)] { state->tell(job()); });
}

uint64_t WatchedFiles::watch(std::string path, std::function<void()> changed) {
  const auto stamp = kube::file_stamp(path);
  const std::lock_guard lock(state_->mutex);
  state_->watches.emplace(++state_->last, State::Watch{std::move(path), std::move(changed), stamp});
  return state_->last;
}

void WatchedFiles::unwatch(uint64_t number) {
  const std::lock_guard lock(state_->mutex);
  state_->watches.erase(number);
}

namespace {

constexpr int64_t kFileLimit = 1 << 20;

}  // namespace

void FileService::read(void* self, ccm_ctx ctx, const ccm_read_file_request* given,
                       ccm_completion done) noexcept {
  auto& service = *static_cast<FileService*>(self);
  Status wrong = check_request(given);
  const ccm_read_file_request request = known(given);
  std::string path(view(request.path));
  if (wrong.ok() && !path.starts_with('/')) {
    wrong = Status(Code::invalid_argument, "\"" + path + "\" is no absolute path");
  }
  int64_t limit = request.size_limit > 0 ? request.size_limit : kFileLimit;
  limit = std::min(limit, kFileLimit);
  auto start = [&files = service.files_, path = std::move(path),
                limit](const HostOperation::Ptr& running) {
    files.read(path, static_cast<std::size_t>(limit), [running](Result<std::string> content) {
      if (running->ended()) return;
      if (!content) return running->end(content.status());
      auto file = sized<ccm_file>();
      file.bytes = c_str(*content);
      running->end({}, &file);
    });
  };
  HostOperation::begin(service.component(), ctx, done, "file.read", std::move(wrong),
                       std::move(start));
}

uint64_t FileService::watch(void* self, ccm_str path, ccm_callback callback) noexcept {
  auto& service = *static_cast<FileService*>(self);
  const auto component = service.component();
  const std::string name(view(path));
  if (!component || !name.starts_with('/')) return drop_callback(callback), 0;
  const uint64_t number = component->callbacks().add(callback);
  if (number == 0) return 0;
  const uint64_t watch = service.files_.watch(
      name, [weak = std::weak_ptr(component), number, name, &rejections = service.rejections_] {
        const auto alive = weak.lock();
        if (!alive) return;
        rejections.remove(alive->identity().plugin_id, name);
        alive->run_callback(number, "file.watch");
      });
  component->callbacks().on_removal(number,
                                    [&files = service.files_, watch] { files.unwatch(watch); });
  return number;
}

const ccm_host_file FileService::kTable{sizeof(kTable), 0, &read, &watch, &remove_callback};

}  // namespace ccm::plugin
