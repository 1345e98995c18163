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
  static ccm_bool enabled(void* self, int32_t level) {
    return level < 0 || level <= owner(self).verbosity_;
  }
  static void write(void* self, ccm_ctx, const ccm_log_record* given) {
    const ccm_log_record known_record = known(given);
    const ccm_log_record* record = &known_record;
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

FakeLog::FakeLog() {
  table_ = sized<ccm_host_log>();
  table_.enabled = &Table::enabled;
  table_.write = &Table::write;
}

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
  static void record(void* self, const ccm_event* given) {
    auto& events = *static_cast<FakeEvents*>(self);
    const ccm_event raw = known(given);
    if (raw.object == nullptr && raw.reference == nullptr) return;
    std::string name = raw.object != nullptr
                           ? name_of(Object(events.objects_.service(), raw.object))
                           : name_of(known(raw.reference));
    const std::lock_guard lock(events.mutex_);
    events.events_.push_back({(raw.flags & CCM_EVENT_IS_WARNING) != 0, std::move(name),
                              std::string(view(raw.reason)),
                              std::string(view(raw.message).substr(0, 1024))});
  }
  static std::string join(std::string_view space, std::string_view name) {
    return space.empty() ? std::string(name) : std::string(space) + "/" + std::string(name);
  }
  static std::string name_of(const Object& object) {
    return join(object.namespace_name(), object.name());
  }
  static std::string name_of(const ccm_object_reference& reference) {
    return join(view(reference.namespace_), view(reference.name));
  }
};

FakeEvents::FakeEvents(FakeObjects& objects) : objects_(objects) {
  table_ = sized<ccm_host_event>();
  table_.record = &Table::record;
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
  static uint64_t define(void* self, const ccm_metric* given) {
    if (!only_known(given)) return 0;
    const ccm_metric raw = known(given);
    DefinedMetric metric{raw.kind, std::string(view(raw.name)), {}, {}, {}};
    for (size_t i = 0; i < raw.label_count; ++i) {
      metric.labels.emplace_back(view(raw.label_names[i]));
    }
    metric.buckets.assign(raw.buckets, raw.buckets + raw.bucket_count);
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
  static void record(void* self, uint64_t number, const ccm_str* values, size_t count,
                     double value) {
    const std::lock_guard lock(owner(self).mutex_);
    auto& all = owner(self).metrics_;
    if (number == 0 || number > all.size()) return;
    DefinedMetric& metric = all[number - 1];
    if (count != metric.labels.size()) return;
    std::string labels;
    for (size_t i = 0; i < metric.labels.size(); ++i) {
      if (i > 0) labels += ",";
      labels += view(values[i]);
    }
    metric.records.emplace_back(std::move(labels), value);
  }
};

FakeMetrics::FakeMetrics() {
  table_ = sized<ccm_host_metrics>();
  table_.define = &Table::define;
  table_.record = &Table::record;
}

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
  static FakeCaller& caller(void* self) { return *static_cast<FakeCaller*>(self); }
  static FakeConfig& owner(void* self) { return *static_cast<FakeConfig*>(caller(self).service); }

  static ccm_bool flag(void* self, ccm_str name, ccm_str* out) {
    const std::lock_guard lock(owner(self).mutex_);
    const auto place = owner(self).flags_.find(std::string(view(name)));
    if (place == owner(self).flags_.end()) return 0;
    *out = c_str(place->second.value);
    return 1;
  }
  static ccm_bool flag_given(void* self, ccm_str name) {
    const std::lock_guard lock(owner(self).mutex_);
    const auto place = owner(self).flags_.find(std::string(view(name)));
    return place != owner(self).flags_.end() && place->second.given;
  }
  static ccm_bool cloud_config(void* self, ccm_str* out) {
    const std::lock_guard lock(owner(self).mutex_);
    if (!owner(self).cloud_config_) return 0;
    *out = c_str(*owner(self).cloud_config_);
    return 1;
  }
  static int64_t secret(void* self, ccm_str name, char* buffer, size_t capacity) {
    const std::lock_guard lock(owner(self).mutex_);
    const auto place = owner(self).secrets_.find(std::string(view(name)));
    if (place == owner(self).secrets_.end()) return -1;
    if (buffer != nullptr) {
      std::memcpy(buffer, place->second.data(), std::min(capacity, place->second.size()));
    }
    return static_cast<int64_t>(place->second.size());
  }
  static ccm_bool on_change(void* self, ccm_callback callback) {
    auto kept = caller(self).callbacks->keep(callback);
    if (!kept) return 0;
    const std::lock_guard lock(owner(self).mutex_);
    owner(self).listeners_.push_back(std::move(kept));
    return 1;
  }
  static void rejected(void* self, ccm_str file, ccm_str reason) {
    const std::lock_guard lock(owner(self).mutex_);
    owner(self).rejections_[std::string(view(file))] = view(reason);
  }
  static void accepted(void* self, ccm_str file) {
    const std::lock_guard lock(owner(self).mutex_);
    owner(self).rejections_.erase(std::string(view(file)));
    ++owner(self).accepted_;
  }
};

FakeConfig::FakeConfig(FakeLoop& loop) : loop_(loop), caller_{this, &callbacks_, 0} {
  table_ = sized<ccm_host_config>();
  table_.flag = &Table::flag;
  table_.flag_given = &Table::flag_given;
  table_.cloud_config = &Table::cloud_config;
  table_.secret = &Table::secret;
  table_.on_change = &Table::on_change;
  table_.rejected = &Table::rejected;
  table_.accepted = &Table::accepted;
}

void FakeConfig::set_flag(const std::string& name, const std::string& value, bool given) {
  const std::lock_guard lock(mutex_);
  flags_[name] = {value, given};
}

void FakeConfig::set_cloud_config(std::string text) {
  const std::lock_guard lock(mutex_);
  cloud_config_ = std::move(text);
  rejections_.erase(std::string());
}

void FakeConfig::change_cloud_config(std::string text) {
  set_cloud_config(std::move(text));
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [](const auto& kept) { return kept->dropped(); });
  for (const auto& kept : listeners_) loop_.post([kept] { kept->call(); });
}

void FakeConfig::set_secret(const std::string& name, const std::string& value) {
  const std::lock_guard lock(mutex_);
  secrets_[name] = value;
}

std::optional<std::string> FakeConfig::rejection(const std::string& file) const {
  const std::lock_guard lock(mutex_);
  const auto place = rejections_.find(file);
  if (place == rejections_.end()) return std::nullopt;
  return place->second;
}

int FakeConfig::accepted() const {
  const std::lock_guard lock(mutex_);
  return accepted_;
}

struct FakeLeader::Table {
  static FakeCaller& caller(void* self) { return *static_cast<FakeCaller*>(self); }
  static FakeLeader& owner(void* self) { return *static_cast<FakeLeader*>(caller(self).service); }

  static ccm_bool leading(void* self) { return owner(self).leading; }
  static uint64_t transitions(void* self) { return owner(self).transitions; }
  static ccm_bool on_change(void* self, ccm_callback callback) {
    auto kept = caller(self).callbacks->keep(callback);
    if (!kept) return 0;
    owner(self).listeners_.push_back(std::move(kept));
    return 1;
  }
};

FakeLeader::FakeLeader(FakeLoop& loop) : loop_(loop), caller_{this, &callbacks_, 0} {
  table_ = sized<ccm_host_leader>();
  table_.leading = &Table::leading;
  table_.transitions = &Table::transitions;
  table_.on_change = &Table::on_change;
}

void FakeLeader::change(bool leads) {
  leading = leads;
  for (const auto& kept : listeners_) loop_.post([kept] { kept->call(); });
}

FakeHints::FakeHints() {
  table_ = sized<ccm_host_hint>();
  table_.changed = [](void* self, const ccm_hint* given) {
    auto& hints = *static_cast<FakeHints*>(self);
    const ccm_hint raw = known(given);
    const std::lock_guard lock(hints.mutex_);
    hints.hints_.push_back({raw.kind, std::string(view(raw.name)),
                            std::string(view(raw.namespace_)), std::string(view(raw.uid)),
                            std::string(view(raw.provider_id)), std::string(view(raw.id))});
  };
}

std::vector<GivenHint> FakeHints::all() const {
  const std::lock_guard lock(mutex_);
  return hints_;
}

}  // namespace ccm::testing
