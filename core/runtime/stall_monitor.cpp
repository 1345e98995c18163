#include "runtime/stall_monitor.hpp"

#include "base/log.hpp"

#include <string>
#include <utility>

namespace ccm::runtime {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kCheckInterval{500};
constexpr milliseconds kFirstReport{1'000};

std::string seconds_of(std::chrono::nanoseconds duration) {
  const auto tenths = std::chrono::duration_cast<milliseconds>(duration).count() / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

std::string name_of(const Watchdog::Running& running) {
  return "plugin " + running.component->plugin() + ", component " + running.component->name() +
         ", operation " + std::string(running.operation);
}

}  // namespace

StallMonitor::StallMonitor(const EventLoop& loop, RunningFn running)
    : loop_(loop), running_(std::move(running)) {}

StallMonitor::~StallMonitor() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StallMonitor::start() {
  thread_ = std::thread([this] { run(); });
}

void StallMonitor::run() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kCheckInterval, [this] { return stopping_; })) check();
}

void StallMonitor::check() {
  const auto running = running_();
  const uint64_t call = running ? running->number : 0;
  const std::chrono::nanoseconds age =
      running ? running->duration : std::chrono::nanoseconds(loop_.heartbeat_age());
  if (call != reported_call_ || age < kFirstReport) {
    reported_call_ = call;
    report_at_ = kFirstReport;
  }
  if (age < report_at_) return;
  while (report_at_ <= age) report_at_ *= 2;
  if (running) {
    log::warning("A plugin blocks the host's loop", {{"plugin", running->component->plugin()},
                                                     {"component", running->component->name()},
                                                     {"operation", running->operation},
                                                     {"duration", seconds_of(age)}});
  } else {
    log::error("The host's loop is blocked outside of any plugin", {{"duration", seconds_of(age)}});
  }
}

Status StallMonitor::alive(milliseconds limit, milliseconds grace) const {
  const milliseconds age = loop_.heartbeat_age();
  if (age < limit) return {};
  const auto running = running_();
  if (running && running->held < grace) return {};
  std::string message = "the host's loop has not been alive for " + seconds_of(age);
  if (running) message += ", blocked by " + name_of(*running);
  return Status(Code::unavailable, std::move(message));
}

}  // namespace ccm::runtime
