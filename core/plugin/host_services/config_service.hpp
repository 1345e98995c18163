// ccm.host.config/1 over flags, --cloud-config and secrets.
#pragma once

#include "kube/file_text.hpp"
#include "plugin/host_services/host_service.hpp"
#include "plugin/recording/http_recording.hpp"
#include "runtime/timers.hpp"

#include <ccm/abi/config.h>
#include <ccm/status.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::plugin {

// The sources of the config service: flags, the --cloud-config file, secrets.

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
  CloudConfig& operator=(CloudConfig&&) = delete;

  // Reads the file and begins to watch it. Failure: not_found or permission_denied, naming the
  // file. Loop thread.
  Status load();

  // Null when the flag is empty. Any thread.
  [[nodiscard]] Bytes bytes() const;

  // Calls `fn` on the loop after each change. Returns a number for remove(). Loop thread.
  uint64_t on_change(std::function<void()> fn);
  void remove(uint64_t registration) { listeners_.erase(registration); }

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

namespace prometheus {
class Registry;
template <typename T>
class Family;
class Gauge;

}  // namespace prometheus

namespace ccm::plugin {

struct ConfigRejection {
  std::string plugin_id;
  std::string file;  // empty: --cloud-config
  std::string reason;
};

// Configurations that plugins found wrong while an earlier one stays in force. Loop thread.
class ConfigRejections {
 public:
  // `registry` must outlive it.
  explicit ConfigRejections(prometheus::Registry& registry);

  // Logged when it is new.
  void add(const std::string& plugin_id, const std::string& file, const std::string& reason);
  void remove(const std::string& plugin_id, const std::string& file) {
    if (reasons_.erase({plugin_id, file}) > 0) count(plugin_id);
  }
  [[nodiscard]] std::vector<ConfigRejection> list() const;

 private:
  void count(const std::string& plugin_id);

  prometheus::Family<prometheus::Gauge>& family_;
  std::map<std::pair<std::string, std::string>, std::string> reasons_;  // by plugin and file
};

class ConfigService final : public HostService {
 public:
  ConfigService(const std::shared_ptr<LiveComponent>& component, const FlagSource& flags,
                CloudConfig& cloud_config, ConfigRejections& rejections,
                std::shared_ptr<HttpRecording> recording = {});
  ~ConfigService() override;

 private:
  static ccm_bool flag(void* self, ccm_str name, ccm_str* out) noexcept;
  static ccm_bool flag_given(void* self, ccm_str name) noexcept;
  static ccm_bool cloud_config(void* self, ccm_str* out) noexcept;
  static int64_t secret(void* self, ccm_str name, char* buffer, size_t capacity) noexcept;
  static ccm_bool on_change(void* self, ccm_callback callback) noexcept;
  static void rejected(void* self, ccm_str file, ccm_str reason) noexcept;
  static void accepted(void* self, ccm_str file) noexcept;
  static const ccm_host_config kTable;
  void changed();

  const FlagSource& flags_;
  CloudConfig& cloud_config_;
  ConfigRejections& rejections_;
  const std::shared_ptr<HttpRecording> recording_;  // must not write the secrets; null: none
  uint64_t registration_ = 0;
  std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> lent_flags_;  // lent until destroy
  std::vector<CloudConfig::Bytes> lent_bytes_;  // lent until the next change was told, or longer
  std::vector<uint64_t> listeners_;             // callbacks
};

}  // namespace ccm::plugin
