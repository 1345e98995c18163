// The sources of the config service: flags, the --cloud-config file, secrets.
#pragma once

#include "kube/file_text.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::plugin {

// Any thread.
class FlagSource {
 public:
  virtual ~FlagSource() = default;
  // The value in force as text, in Go's form; nullopt when there is no such flag. `name` comes
  // without dashes.
  [[nodiscard]] virtual std::optional<std::string> flag(std::string_view name) const = 0;
  // The user gave it; false also when there is no such flag.
  [[nodiscard]] virtual bool given(std::string_view name) const = 0;
};

// The bytes of the --cloud-config file, read again when it changes on disk (also through the
// symbolic links of a mounted ConfigMap).
class CloudConfig {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  // `path` empty = no file. `timers` must outlive it.
  CloudConfig(runtime::Timers& timers, std::string path,
              std::chrono::milliseconds poll_interval = std::chrono::seconds(10));
  ~CloudConfig();
  CloudConfig(const CloudConfig&) = delete;
  CloudConfig& operator=(const CloudConfig&) = delete;

  // Reads the file and begins to watch it. Failure: not_found or permission_denied, naming the
  // file. Loop thread.
  Status load();

  // Null when the flag is empty. Any thread.
  [[nodiscard]] Bytes bytes() const;

  // Calls `fn` on the loop after each change. Returns a number for remove(). Loop thread.
  uint64_t on_change(std::function<void()> fn);
  void remove(uint64_t registration);

  // Checks at once whether the file changed. Loop thread.
  void check();

 private:
  void schedule();

  runtime::Timers& timers_;
  const std::string path_;
  const std::chrono::milliseconds poll_interval_;
  mutable std::mutex mutex_;
  Bytes bytes_;
  kube::FileStamp stamp_;
  std::map<uint64_t, std::function<void()>> listeners_;
  uint64_t last_registration_ = 0;
  runtime::Timers::Id timer_ = 0;
};

// The secret called `name`: content, trimmed, of the file that the environment variable NAME_FILE
// points to (read on each call), else the environment variable NAME. nullopt when there is none.
std::optional<std::string> read_secret(const std::string& name);

}  // namespace ccm::plugin
