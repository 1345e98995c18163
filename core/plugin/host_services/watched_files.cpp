#include "plugin/host_services/watched_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace ccm::plugin {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return number_; }

 private:
  const int number_;
};

Status file_failure(const std::string& path, int error) {
  const std::string text = "read " + path + ": " + std::generic_category().message(error);
  if (error == ENOENT || error == ENOTDIR) return Status(Code::not_found, text);
  if (error == EACCES || error == EPERM) return Status(Code::permission_denied, text);
  return Status(Code::unavailable, ErrorClass::unavailable, text);
}

// Tells one content from another; nullopt: the file does not exist.
struct FileStamp {
  int64_t device = 0, inode = 0, size = 0, seconds = 0, nanoseconds = 0;
  bool operator==(const FileStamp&) const = default;
};

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileStamp{static_cast<int64_t>(status.st_dev), static_cast<int64_t>(status.st_ino),
                   status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path, std::size_t limit) {
  // A pipe without a writer would block here for ever.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return file_failure(path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return file_failure(path, errno);
  if (!S_ISREG(status.st_mode)) {
    return Status(Code::unavailable, ErrorClass::unavailable,
                  "read " + path + ": it is no regular file");
  }
  std::string content;
  std::string piece(65'536, '\0');
  for (;;) {
    const ssize_t count = ::read(file.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_failure(path, errno);
    if (count == 0) return content;
    content.append(piece, 0, static_cast<std::size_t>(count));
    if (content.size() > limit) {
      return Status(Code::resource_exhausted,
                    "read " + path + ": it is longer than " + std::to_string(limit) + " bytes");
    }
  }
}

// Shared with the thread, which may hang in the file system.
struct WatchedFiles::State {
  struct Watch {
    std::string path;
    std::function<void()> changed;
    std::optional<FileStamp> stamp;
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
      const auto now = stamp_of(path);
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
    auto content = read_whole_file(path, limit);
    state->tell([done, content = std::move(content)] { done(content); });
  });
}

uint64_t WatchedFiles::watch(std::string path, std::function<void()> changed) {
  const auto stamp = stamp_of(path);
  const std::lock_guard lock(state_->mutex);
  state_->watches.emplace(++state_->last, State::Watch{std::move(path), std::move(changed), stamp});
  return state_->last;
}

void WatchedFiles::unwatch(uint64_t number) {
  const std::lock_guard lock(state_->mutex);
  state_->watches.erase(number);
}

}  // namespace ccm::plugin
