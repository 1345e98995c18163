#include "plugin/host_services/config_service.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <utility>

namespace ccm::plugin {

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
  component->runtime().loop.post([&rejections = service.rejections_, component,
                                  path = utf8_text(view(file)),
                                  text = utf8_text(view(reason).substr(0, kReasonLimit))] {
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
