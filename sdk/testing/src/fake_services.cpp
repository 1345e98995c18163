#include "ccm/testing/fake_services.hpp"

#include <ccm/status.hpp>

#include <algorithm>
#include <cstring>

namespace ccm::testing {

std::string LogLine::value(std::string_view key) const {
  for (const auto& [name, text] : pairs) {
    if (name == key) return text;
  }
  return {};
}

std::string LogLine::text() const {
  std::string text = message;
  for (const auto& [name, value] : pairs) text.append(" ").append(name).append("=").append(value);
  return text;
}

struct FakeLog::Table {
  static FakeLog& owner(void* self) { return *static_cast<FakeLog*>(self); }
  static bool enabled(void* self, int32_t level) {
    return level < 0 || level <= owner(self).verbosity_;
  }
  static void write(void* self, const ccm_ctx*, const ccm_log_record* record) {
    LogLine line{record->level,
                 std::string(view(record->message)),
                 {},
                 std::string(view(record->file)),
                 record->line};
    for (size_t i = 0; i < record->pair_count; ++i) {
      line.pairs.emplace_back(view(record->pairs[i].key), view(record->pairs[i].value));
    }
    const std::lock_guard lock(owner(self).mutex_);
    owner(self).lines_.push_back(std::move(line));
  }
};

FakeLog::FakeLog() { table_ = {sizeof(table_), 0, Table::enabled, Table::write}; }

std::vector<LogLine> FakeLog::lines() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

std::vector<LogLine> FakeLog::lines(int32_t level) const {
  std::vector<LogLine> found;
  for (LogLine& line : lines()) {
    if (line.level == level) found.push_back(std::move(line));
  }
  return found;
}

bool FakeLog::contains(std::string_view text) const {
  const auto all = lines();
  return std::any_of(all.begin(), all.end(), [text](const LogLine& line) {
    return line.text().find(text) != std::string::npos;
  });
}

struct FakeEvents::Table {
  static void record(void* self, const ccm_event* raw) {
    auto& events = *static_cast<FakeEvents*>(self);
    const Object object(events.objects_.service(), raw->object);
    std::string name(object.namespace_name());
    if (!name.empty()) name += "/";
    name += object.name();
    const std::lock_guard lock(events.mutex_);
    events.events_.push_back({raw->warning, std::move(name), std::string(view(raw->reason)),
                              std::string(view(raw->message).substr(0, 1024))});
  }
};

FakeEvents::FakeEvents(FakeObjects& objects) : objects_(objects) {
  table_ = {sizeof(table_), 0, Table::record};
}

std::vector<RecordedEvent> FakeEvents::all() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

std::vector<RecordedEvent> FakeEvents::with_reason(std::string_view reason) const {
  std::vector<RecordedEvent> found;
  for (RecordedEvent& event : all()) {
    if (event.reason == reason) found.push_back(std::move(event));
  }
  return found;
}

struct FakeMetrics::Table {
  static FakeMetrics& owner(void* self) { return *static_cast<FakeMetrics*>(self); }
  static uint64_t define(void* self, const ccm_metric* raw) {
    DefinedMetric metric{raw->kind, std::string(view(raw->name)), {}, {}, {}};
    for (size_t i = 0; i < raw->label_count; ++i) {
      metric.labels.emplace_back(view(raw->label_names[i]));
    }
    metric.buckets.assign(raw->buckets, raw->buckets + raw->bucket_count);
    const std::lock_guard lock(owner(self).mutex_);
    auto& all = owner(self).metrics_;
    const auto same = std::find_if(all.begin(), all.end(), [&](const DefinedMetric& known) {
      return known.name == metric.name;
    });
    if (same != all.end()) {
      const bool fits = same->kind == metric.kind && same->labels == metric.labels &&
                        same->buckets == metric.buckets;
      return fits ? static_cast<uint64_t>(same - all.begin()) + 1 : 0;
    }
    all.push_back(std::move(metric));
    return all.size();
  }
  static void record(void* self, uint64_t number, const ccm_str* values, double value) {
    const std::lock_guard lock(owner(self).mutex_);
    auto& all = owner(self).metrics_;
    if (number == 0 || number > all.size()) return;
    DefinedMetric& metric = all[number - 1];
    std::string labels;
    for (size_t i = 0; i < metric.labels.size(); ++i) {
      if (i > 0) labels += ",";
      labels += view(values[i]);
    }
    metric.records.emplace_back(std::move(labels), value);
  }
};

FakeMetrics::FakeMetrics() { table_ = {sizeof(table_), 0, Table::define, Table::record}; }

std::optional<DefinedMetric> FakeMetrics::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  for (const DefinedMetric& metric : metrics_) {
    if (metric.name == name) return metric;
  }
  return std::nullopt;
}

std::vector<double> FakeMetrics::values(std::string_view name) const {
  std::vector<double> all;
  if (const std::optional<DefinedMetric> metric = find(name)) {
    for (const auto& [labels, value] : metric->records) all.push_back(value);
  }
  return all;
}

struct FakeConfig::Table {
  static FakeConfig& owner(void* self) { return *static_cast<FakeConfig*>(self); }
  static bool flag(void* self, ccm_str name, ccm_str* out) {
    const std::lock_guard lock(owner(self).mutex_);
    const auto place = owner(self).flags_.find(std::string(view(name)));
    if (place == owner(self).flags_.end()) return false;
    *out = c_str(place->second);
    return true;
  }
  static bool cloud_config(void* self, ccm_str* out) {
    const std::lock_guard lock(owner(self).mutex_);
    if (!owner(self).cloud_config_) return false;
    *out = c_str(*owner(self).cloud_config_);
    return true;
  }
  static int64_t secret(void* self, ccm_str name, char* buffer, size_t capacity) {
    const std::lock_guard lock(owner(self).mutex_);
    const auto place = owner(self).secrets_.find(std::string(view(name)));
    if (place == owner(self).secrets_.end()) return -1;
    std::memcpy(buffer, place->second.data(), std::min(capacity, place->second.size()));
    return static_cast<int64_t>(place->second.size());
  }
  static void on_change(void* self, void (*fn)(void*), void* callee) {
    const std::lock_guard lock(owner(self).mutex_);
    owner(self).listeners_.emplace_back(fn, callee);
  }
};

FakeConfig::FakeConfig(FakeLoop& loop) : loop_(loop) {
  table_ = {sizeof(table_), 0, Table::flag, Table::cloud_config, Table::secret, Table::on_change};
}

void FakeConfig::set_flag(const std::string& name, const std::string& value, bool given) {
  const std::lock_guard lock(mutex_);
  flags_[name] = value;
  flags_[name + ":set"] = given ? "true" : "false";
}

void FakeConfig::set_cloud_config(std::string text) {
  const std::lock_guard lock(mutex_);
  cloud_config_ = std::move(text);
}

void FakeConfig::change_cloud_config(std::string text) {
  set_cloud_config(std::move(text));
  const std::lock_guard lock(mutex_);
  for (const auto& [fn, owner] : listeners_) {
    loop_.post([fn = fn, owner = owner] { fn(owner); });
  }
}

void FakeConfig::set_secret(const std::string& name, const std::string& value) {
  const std::lock_guard lock(mutex_);
  secrets_[name] = value;
}

FakeLeader::FakeLeader() {
  table_.size = sizeof(table_);
  table_.leading = [](void* self) { return static_cast<FakeLeader*>(self)->leading; };
  table_.transitions = [](void* self) { return static_cast<FakeLeader*>(self)->transitions; };
}

}  // namespace ccm::testing
