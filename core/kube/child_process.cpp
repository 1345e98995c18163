#include "kube/child_process.hpp"

#include "base/at_end.hpp"
#include "kube/task_group.hpp"
#include "net/coroutines.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <system_error>

namespace ccm::kube {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMebibyte = 1u << 20;
constexpr std::size_t kErrorsLimit = kMebibyte;
constexpr std::size_t kErrorsKept = 4096;
// A program that has closed its output, or is killed, ends at once.
constexpr std::chrono::milliseconds kNextLook{10};
constexpr int kLooksForGroup = 100;
constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

// A started program, until it is reaped. Loop thread.
class Child {
 public:
  Child(const asio::any_io_executor& executor, pid_t pid, bool leads_group)
      : changed(executor), pid_(pid), leads_group_(leads_group) {}

  [[nodiscard]] bool running() const { return !status_; }
  [[nodiscard]] bool timed_out() const { return timed_out_; }
  [[nodiscard]] int status() const { return status_.value_or(0); }
  void expire() {
    if (!running()) return;
    timed_out_ = true;
    kill();
  }
  void kill() {
    if (!running()) return;  // its number may be another's
    if (leads_group_) ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // it may have left that group
    release();
  }
  // Nobody waits for its output any more: its group may be killed when it has ended.
  void release() {
    released_ = true;
    changed.notify();
  }
  [[nodiscard]] bool released() const { return released_; }
  // True when it has ended; then its group is killed. What it leaves behind is this process' child
  // now if this is PID 1, as in a container.
  bool reap() {
    siginfo_t info{};
    // Its number is its group's as long as it is not reaped.
    const int failed = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (failed == 0 ? info.si_pid == 0 : errno == EINTR) return false;
    if (failed == 0) kill();
    int status = 0;
    (void)::waitpid(pid_, &status, WNOHANG);
    status_ = status;
    changed.notify();
    return true;
  }
  // After reap(). False when no child of this process is in the group.
  [[nodiscard]] bool reap_group() const {
    pid_t got = leads_group_ ? 1 : -1;
    while (got > 0) got = ::waitpid(-pid_, nullptr, WNOHANG);
    return got == 0;
  }

  Signal changed;

 private:
  const pid_t pid_;
  const bool leads_group_;
  std::optional<int> status_;
  bool released_ = false;
  bool timed_out_ = false;
};

std::vector<std::string> environment_of(const ProcessSpec& spec) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    bool replaced = false;
    for (const auto& [name, value] : spec.env) replaced |= text.starts_with(name + "=");
    if (!replaced) result.emplace_back(text);
  }
  for (const auto& [name, value] : spec.env) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

Status cannot_start(const ProcessSpec& spec, int error) {
  return {Code::failed_precondition,
          "cannot start " + spec.name + ": " + std::generic_category().message(error)};
}

// Starts the program with default signal handling, in a process group of its own unless it shares
// stdin: a terminal stops those who read from another group than the one in its foreground.
// `errors`: negative = this process' own stderr.
int spawn(const ProcessSpec& spec, int output, int errors, pid_t& pid) {
  std::vector<std::string> arguments{spec.command};
  arguments.insert(arguments.end(), spec.args.begin(), spec.args.end());
  std::vector<std::string> environment = environment_of(spec);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (errors >= 0) posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  // The host's descriptors are close-on-exec; a plugin's need not be.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  if (!spec.share_stdin) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int group = spec.share_stdin ? 0 : POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setflags(
      &attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
  const int error = posix_spawnp(&pid, spec.command.c_str(), &actions, &attributes,
                                 pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

// Until it is reaped; whoever runs it may be gone before.
asio::awaitable<void> reap(asio::any_io_executor executor, std::shared_ptr<Child> child) {
  while (!child->released()) co_await child->changed.wait();
  while (!child->reap()) co_await net::pause(executor, kNextLook);
  for (int i = 0; i < kLooksForGroup && child->reap_group(); ++i) {
    co_await net::pause(executor, kNextLook);
  }
}

Status too_much(const ProcessSpec& spec, std::size_t limit, const char* where) {
  const std::string size = limit < kMebibyte ? std::to_string(limit >> 10) + " KiB"
                                             : std::to_string(limit >> 20) + " MiB";
  return {Code::failed_precondition, spec.name + " printed more than " + size + where};
}

// What a program writes to a pipe: the front is kept, the rest only counted.
class Output {
 public:
  // `kept` is no more than `limit`.
  Output(const asio::any_io_executor& executor, std::size_t limit, std::size_t kept)
      : pipe_(executor), limit_(limit), kept_(kept) {}

  // Makes the pipe. The program's end of it; -1 when there is none, with errno.
  int open() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
    pipe_.assign(ends[0]);
    return ends[1];
  }
  // A process that has left the group may keep the other end open for ever.
  void close() {
    boost::system::error_code ignored;
    pipe_.close(ignored);
  }
  [[nodiscard]] bool too_many() const { return count_ > limit_; }
  [[nodiscard]] const std::string& text() const { return text_; }

  // Until its end, close(), or the limit, which ends the program.
  static asio::awaitable<void> read(std::shared_ptr<Output> output, std::shared_ptr<Child> child) {
    std::array<char, 4096> block;
    while (!output->too_many()) {
      auto buffer = asio::buffer(block);
      auto [failed, count] = co_await output->pipe_.async_read_some(buffer, kTuple);
      if (failed) co_return;
      output->take({block.data(), count});
    }
    child->kill();
  }
  // Takes the text that the program left before it ended.
  void read_rest() {
    boost::system::error_code failed;
    std::array<char, 4096> block;
    if (!pipe_.is_open()) return;
    pipe_.non_blocking(true, failed);
    while (!failed && !too_many()) {
      const std::size_t count = pipe_.read_some(asio::buffer(block), failed);
      take({block.data(), count});
    }
  }

 private:
  void take(std::string_view bytes) {
    count_ += bytes.size();
    text_ += bytes.substr(0, kept_ - text_.size());
  }

  asio::posix::stream_descriptor pipe_;
  const std::size_t limit_;
  const std::size_t kept_;
  std::string text_;
  std::size_t count_ = 0;
};

Status verdict(const ProcessSpec& spec, const Child& child) {
  if (child.timed_out()) {
    return {Code::deadline_exceeded,
            spec.name + " did not end within " + std::to_string(spec.timeout.count()) + " ms"};
  }
  const int status = child.status();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return {Code::failed_precondition,
          spec.name + (WIFEXITED(status)
                           ? " ended with exit code " + std::to_string(WEXITSTATUS(status))
                           : " was killed by signal " + std::to_string(WTERMSIG(status)))};
}

}  // namespace

asio::awaitable<ProcessEnd> run_process(asio::any_io_executor executor, ProcessSpec spec) {
  if (spec.name.empty()) spec.name = spec.command;
  ProcessEnd end;
  const auto output = std::make_shared<Output>(executor, spec.output_limit, spec.output_limit);
  const auto errors = std::make_shared<Output>(executor, kErrorsLimit, kErrorsKept);
  const AtEnd closing([output, errors] {
    output->close();
    errors->close();
  });
  const int output_end = output->open();
  const int errors_end = output_end < 0 || spec.share_stdin ? -1 : errors->open();
  if (output_end < 0 || (errors_end < 0 && !spec.share_stdin)) {
    end.status = cannot_start(spec, errno);
    if (output_end >= 0) ::close(output_end);
    co_return end;
  }
  pid_t pid = -1;
  const int error = spawn(spec, output_end, errors_end, pid);
  ::close(output_end);
  if (errors_end >= 0) ::close(errors_end);
  if (error != 0) {
    end.status = cannot_start(spec, error);
    co_return end;
  }
  const auto child = std::make_shared<Child>(executor, pid, !spec.share_stdin);
  const AtEnd ending([child] { child->kill(); });
  net::spawn(executor, reap(executor, child));
  if (errors_end >= 0) net::spawn(executor, Output::read(errors, child));
  asio::steady_timer deadline(executor, spec.timeout);
  // The output has no end as long as a process that has left the group, and is not killed, can
  // write to it.
  deadline.async_wait([child, output](boost::system::error_code failed) {
    if (failed) return;
    child->expire();
    output->close();
  });
  co_await Output::read(output, child);
  child->release();
  while (child->running()) co_await child->changed.wait();
  deadline.cancel();
  errors->read_rest();
  end.output = output->text();
  end.errors = errors->text();
  end.status = verdict(spec, *child);
  if (errors->too_many()) end.status = too_much(spec, kErrorsLimit, " to standard error");
  if (output->too_many()) end.status = too_much(spec, spec.output_limit, "");
  end.exit_code = WIFEXITED(child->status()) ? WEXITSTATUS(child->status()) : -1;
  co_return end;
}

}  // namespace ccm::kube
