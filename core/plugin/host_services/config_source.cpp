#include "plugin/host_services/config_source.hpp"

#include "base/log.hpp"

#include <ccm/trim.hpp>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

namespace ccm::plugin {

namespace {

// "e": no child process inherits a file that may hold a token.
Result<std::string> read_file(const std::string& path) {
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                             &std::fclose);
  std::string text;
  std::array<char, 4096> piece{};
  while (file) {
    const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get());
    text.append(piece.data(), count);
    if (count < piece.size()) break;
  }
  if (file && std::ferror(file.get()) == 0) return text;
  const int error = errno;
  const std::string why = std::generic_category().message(error != 0 ? error : EIO);
  return Status(error == EACCES ? Code::permission_denied : Code::not_found,
                "read " + path + ": " + why);
}

}  // namespace

CloudConfig::CloudConfig(runtime::Timers& timers, std::string path,
                         std::chrono::milliseconds poll_interval)
    : timers_(timers), path_(std::move(path)), poll_interval_(poll_interval) {}

CloudConfig::~CloudConfig() {
  if (timer_ != 0) timers_.cancel(timer_);
}

Status CloudConfig::load() {
  if (path_.empty()) return {};
  stamp_ = kube::file_stamp(path_);
  auto text = read_file(path_);
  if (!text) return text.status().with_context("--cloud-config");
  {
    const std::lock_guard lock(mutex_);
    bytes_ = std::make_shared<const std::string>(std::move(*text));
  }
  schedule();
  return {};
}

CloudConfig::Bytes CloudConfig::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

uint64_t CloudConfig::on_change(std::function<void()> fn) {
  listeners_.emplace(++last_registration_, std::move(fn));
  return last_registration_;
}

void CloudConfig::remove(uint64_t registration) { listeners_.erase(registration); }

void CloudConfig::schedule() {
  timer_ = timers_.after(poll_interval_, [this] {
    check();
    schedule();
  });
}

// When a file is missing or unreadable for a moment, the last good bytes stay in force.
void CloudConfig::check() {
  if (path_.empty()) return;
  const auto now = kube::file_stamp(path_);
  if (!now.exists() || now == stamp_) return;
  auto text = read_file(path_);
  if (!text) {
    log::warning("Could not read the changed cloud configuration",
                 {{"path", path_}, {"err", text.status()}});
    return;
  }
  stamp_ = now;
  {
    const std::lock_guard lock(mutex_);
    if (bytes_ && *bytes_ == *text) return;
    bytes_ = std::make_shared<const std::string>(std::move(*text));
  }
  log::info("Cloud configuration changed", {{"path", path_}});
  const auto listeners = listeners_;  // a listener may remove itself
  for (const auto& [registration, fn] : listeners) fn();
}

std::optional<std::string> read_secret(const std::string& name) {
  if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos) {
    return std::nullopt;
  }
  if (const char* path = std::getenv((name + "_FILE").c_str())) {
    auto text = read_file(path);
    if (text) return std::string(trim(*text, " \t\r\n"));
    log::warning("Could not read the file of a secret", {{"name", name}, {"err", text.status()}});
  }
  if (const char* value = std::getenv(name.c_str())) return std::string(value);
  return std::nullopt;
}

}  // namespace ccm::plugin
