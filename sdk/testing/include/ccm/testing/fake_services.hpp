// The small services of the fake host: a test looks at what a plugin logs, records, counts and
// hints, and sets what it is configured with.
#pragma once

#include <ccm/abi/config.h>
#include <ccm/abi/event.h>
#include <ccm/abi/hint.h>
#include <ccm/abi/leader.h>
#include <ccm/abi/log.h>
#include <ccm/abi/metrics.h>
#include <ccm/testing/fake_callbacks.hpp>
#include <ccm/testing/fake_loop.hpp>
#include <ccm/testing/fake_objects.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::testing {

struct LogLine {
  int32_t level = 0;
  std::string message;
  std::vector<std::pair<std::string, std::string>> pairs;
  std::string file;
  uint32_t line = 0;

  [[nodiscard]] std::string value(std::string_view key) const;
  [[nodiscard]] std::string text() const;  // "message key=value ..."
};

class FakeLog {
 public:
  FakeLog();
  void set_verbosity(int32_t verbosity) { verbosity_ = verbosity; }
  [[nodiscard]] std::vector<LogLine> lines() const;
  // Lines of that level (CCM_LOG_...) or of any level.
  [[nodiscard]] std::vector<LogLine> lines(int32_t level) const;
  // Whether any line, pairs included, contains that text: for secrets that must not be there.
  [[nodiscard]] bool contains(std::string_view text) const;
  [[nodiscard]] const ccm_host_log* table() const { return &table_; }

 private:
  struct Table;
  ccm_host_log table_{};
  int32_t verbosity_ = 10;
  mutable std::mutex mutex_;
  std::vector<LogLine> lines_;
};

struct RecordedEvent {
  bool warning = false;
  std::string object;  // "namespace/name" or "name"
  std::string reason;
  std::string message;
};

class FakeEvents {
 public:
  explicit FakeEvents(FakeObjects& objects);
  [[nodiscard]] std::vector<RecordedEvent> all() const;
  [[nodiscard]] std::vector<RecordedEvent> with_reason(std::string_view reason) const;
  [[nodiscard]] const ccm_host_event* table() const { return &table_; }

 private:
  struct Table;
  FakeObjects& objects_;
  ccm_host_event table_{};
  mutable std::mutex mutex_;
  std::vector<RecordedEvent> events_;
};

struct DefinedMetric {
  int32_t kind = 0;
  std::string name;
  std::vector<std::string> labels;
  std::vector<double> buckets;
  // The recorded Events, in order, with the label values joined by commas.
  std::vector<std::pair<std::string, double>> records;
};

class FakeMetrics {
 public:
  FakeMetrics();
  // The metric of that name; nothing when the plugin did not define it.
  [[nodiscard]] std::optional<DefinedMetric> find(std::string_view name) const;
  // The values recorded for it, in order, whatever the labels; nothing when the plugin did not
  // define it.
  [[nodiscard]] std::vector<double> values(std::string_view name) const;
  [[nodiscard]] const ccm_host_metrics* table() const { return &table_; }

 private:
  struct Table;
  ccm_host_metrics table_{};
  mutable std::mutex mutex_;
  std::vector<DefinedMetric> metrics_;
};

class FakeConfig {
 public:
  explicit FakeConfig(FakeLoop& loop);
  // A flag as the user gave it; `given` false = its default.
  void set_flag(const std::string& name, const std::string& value, bool given = true);
  void set_cloud_config(std::string text);
  // The file changed on disk: the plugin's callbacks are posted.
  void change_cloud_config(std::string text);
  void set_secret(const std::string& name, const std::string& value);
  // Why the plugin goes on with the configuration from before (`file` empty: of --cloud-config);
  // nothing when it accepted it, or said nothing since it changed.
  [[nodiscard]] std::optional<std::string> rejection(const std::string& file = {}) const;
  // How often the plugin said that a configuration is in force.
  [[nodiscard]] int accepted() const;
  [[nodiscard]] const ccm_host_config* table() const { return &table_; }
  [[nodiscard]] FakeCaller* caller() { return &caller_; }

 private:
  struct Table;
  FakeLoop& loop_;
  FakeCallbacks callbacks_;
  FakeCaller caller_;
  ccm_host_config table_{};
  mutable std::mutex mutex_;
  struct Flag {
    std::string value;
    bool given = false;
  };
  std::map<std::string, Flag> flags_;
  std::optional<std::string> cloud_config_;
  std::map<std::string, std::string> secrets_;
  std::vector<std::shared_ptr<KeptCallback>> listeners_;
  std::map<std::string, std::string> rejections_;
  int accepted_ = 0;
};

class FakeLeader {
 public:
  explicit FakeLeader(FakeLoop& loop);
  bool leading = true;
  uint64_t transitions = 1;
  // Changes `leading`, and tells who asked to hear of it.
  void change(bool leads);
  [[nodiscard]] const ccm_host_leader* table() const { return &table_; }
  [[nodiscard]] FakeCaller* caller() { return &caller_; }

 private:
  struct Table;
  FakeLoop& loop_;
  FakeCallbacks callbacks_;
  FakeCaller caller_;
  ccm_host_leader table_{};
  std::vector<std::shared_ptr<KeptCallback>> listeners_;
};

struct GivenHint {
  int32_t kind = 0;  // CCM_HINT_...
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::string provider_id;
  std::string id;
};

class FakeHints {
 public:
  FakeHints();
  [[nodiscard]] std::vector<GivenHint> all() const;
  [[nodiscard]] const ccm_host_hint* table() const { return &table_; }

 private:
  ccm_host_hint table_{};
  mutable std::mutex mutex_;
  std::vector<GivenHint> hints_;
};

}  // namespace ccm::testing
