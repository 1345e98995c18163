#include "plugin/host_services/config_service.hpp"

#include "base/log.hpp"
#include "base/metric_families.hpp"
#include "base/text.hpp"
#include "plugin/host_services/http_access.hpp"

#include <ccm/trim.hpp>

#include <algorithm>
#include <cstdlib>

namespace ccm::plugin {

namespace {

constexpr std::size_t kLargestFile = 4u << 20;

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
  auto text = kube::read_whole_file(path_, kLargestFile);
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
  auto text = kube::read_whole_file(path_, kLargestFile);
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
    auto text = kube::read_whole_file(path, kLargestFile);
    if (text) return std::string(trim(*text, " \t\r\n"));
    log::warning("Could not read the file of a secret", {{"name", name}, {"err", text.status()}});
  }
  if (const char* value = std::getenv(name.c_str())) return std::string(value);
  return std::nullopt;
}

ConfigRejections::ConfigRejections(prometheus::Registry& registry)
    : family_(metrics::gauges(
          registry, "ccm_plugin_rejected_configurations",
          "Files whose present content the plugin could not use, so that an earlier "
          "one stays in force.")) {}

void ConfigRejections::add(const std::string& plugin_id, const std::string& file,
                           const std::string& reason) {
  std::string& known = reasons_[{plugin_id, file}];
  if (known == reason) return;
  known = reason;
  log::error("Changed configuration cannot be used; the earlier one stays in force",
             {{"plugin", plugin_id},
              {"file", file.empty() ? std::string("--cloud-config") : file},
              {"err", reason}});
  count(plugin_id);
}

std::vector<ConfigRejection> ConfigRejections::list() const {
  std::vector<ConfigRejection> all;
  all.reserve(reasons_.size());
  for (const auto& [key, reason] : reasons_) all.push_back({key.first, key.second, reason});
  return all;
}

void ConfigRejections::count(const std::string& plugin_id) {
  const auto files = std::ranges::count_if(
      reasons_, [&](const auto& entry) { return entry.first.first == plugin_id; });
  family_.Add({{"plugin", plugin_id}}).Set(static_cast<double>(files));
}

namespace {

constexpr std::size_t kReasonLimit = 1'024;

}  // namespace

ConfigService::ConfigService(const std::shared_ptr<LiveComponent>& component,
                             const FlagSource& flags, CloudConfig& cloud_config,
                             ConfigRejections& rejections, std::shared_ptr<HttpRecording> recording)
    : HostService(component, CCM_HOST_CONFIG, &kTable),
      flags_(flags),
      cloud_config_(cloud_config),
      rejections_(rejections),
      recording_(std::move(recording)),
      registration_(cloud_config.on_change([this] { changed(); })) {}

ConfigService::~ConfigService() { cloud_config_.remove(registration_); }

ccm_bool ConfigService::flag(void* self, ccm_str name, ccm_str* out) noexcept {
  auto& service = *static_cast<ConfigService*>(self);
  if (!service.component() || out == nullptr) return 0;
  auto value = service.flags_.flag(view(name));
  if (!value) return 0;
  // Flags do not change while the process runs, so the first text that was lent stays right.
  const std::lock_guard lock(service.mutex_);
  const auto lent = service.lent_flags_.try_emplace(std::string(view(name)), std::move(*value));
  *out = c_str(lent.first->second);
  return 1;
}

ccm_bool ConfigService::flag_given(void* self, ccm_str name) noexcept {
  const auto& service = *static_cast<ConfigService*>(self);
  return service.component() && service.flags_.given(view(name)) ? 1 : 0;
}

ccm_bool ConfigService::cloud_config(void* self, ccm_str* out) noexcept {
  auto& service = *static_cast<ConfigService*>(self);
  if (!service.component() || out == nullptr) return 0;
  const CloudConfig::Bytes bytes = service.cloud_config_.bytes();
  if (!bytes) return 0;
  const std::lock_guard lock(service.mutex_);
  auto& lent = service.lent_bytes_;
  if (std::find(lent.begin(), lent.end(), bytes) == lent.end()) lent.push_back(bytes);
  *out = c_str(*bytes);
  return 1;
}

int64_t ConfigService::secret(void* self, ccm_str name, char* buffer, size_t capacity) noexcept {
  const auto& service = *static_cast<ConfigService*>(self);
  const auto value = read_secret(std::string(view(name)));
  if (!value) return -1;
  if (service.recording_) service.recording_->learn_secret(*value);
  const auto component = service.component();
  // Regions and names of users come from the environment, too, and stand in many texts.
  if (component && names_credential(view(name))) component->runtime().secrets->learn(*value);
  if (buffer != nullptr) value->copy(buffer, capacity);  // no NUL: the length is the result
  return static_cast<int64_t>(value->size());
}

ccm_bool ConfigService::on_change(void* self, ccm_callback callback) noexcept {
  auto& service = *static_cast<ConfigService*>(self);
  const auto component = service.component();
  if (!component || !component->check_thread(ThreadTag::create, "config.on_change")) {
    return drop_callback(callback), 0;
  }
  const uint64_t number = component->callbacks().add(callback);
  if (number == 0) return 0;
  const std::lock_guard lock(service.mutex_);
  service.listeners_.push_back(number);
  return 1;
}

void ConfigService::rejected(void* self, ccm_str file, ccm_str reason) noexcept {
  const auto& service = *static_cast<ConfigService*>(self);
  const auto component = service.component();
  if (!component) return;
  // Cut after it was searched, so that no piece of a credential stays.
  const std::string whole =
      component->runtime().secrets->without(view(reason).substr(0, 8 * kReasonLimit));
  component->runtime().loop.post(
      [&rejections = service.rejections_, component, path = utf8_text(view(file)),
       text = utf8_text(std::string_view(whole).substr(0, kReasonLimit))] {
        rejections.add(component->identity().plugin_id, path, text);
      });
}

void ConfigService::accepted(void* self, ccm_str file) noexcept {
  const auto& service = *static_cast<ConfigService*>(self);
  const auto component = service.component();
  if (!component) return;
  component->runtime().loop.post(
      [&rejections = service.rejections_, component, path = utf8_text(view(file))] {
        rejections.remove(component->identity().plugin_id, path);
      });
}

void ConfigService::changed() {
  const auto component = this->component();
  if (!component) return;
  rejections_.remove(component->identity().plugin_id, "");
  std::vector<uint64_t> listeners;
  {
    const std::lock_guard lock(mutex_);
    listeners = listeners_;
  }
  for (const uint64_t number : listeners) component->run_callback(number, "config.on_change");
  const CloudConfig::Bytes current = cloud_config_.bytes();
  const std::lock_guard lock(mutex_);
  // An operation on another thread may be reading the old bytes.
  auto stale = std::make_shared<std::vector<CloudConfig::Bytes>>();
  stale->swap(lent_bytes_);
  if (std::erase(*stale, current) > 0) lent_bytes_.push_back(current);
  component->operations()->keep_for_running(std::move(stale));
}

const ccm_host_config ConfigService::kTable{sizeof(kTable), 0,       &flag,      &flag_given,
                                            &cloud_config,  &secret, &on_change, &rejected,
                                            &accepted};

}  // namespace ccm::plugin
