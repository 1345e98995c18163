#include "plugin/host_services/config_service.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ccm::plugin {

ConfigService::ConfigService(const std::shared_ptr<LiveComponent>& component,
                             const FlagSource& flags, CloudConfig& cloud_config)
    : HostService(component),
      flags_(flags),
      cloud_config_(cloud_config),
      registration_(cloud_config.on_change([this] { changed(); })) {}

ConfigService::~ConfigService() { cloud_config_.remove(registration_); }

bool ConfigService::flag(void* self, ccm_str name, ccm_str* out) noexcept {
  auto& service = *static_cast<ConfigService*>(self);
  auto value = service.flags_.flag(view(name));
  if (!value || out == nullptr) return false;
  // Flags do not change while the process runs, so the first lent text stays right.
  const std::lock_guard lock(service.mutex_);
  const auto lent = service.lent_flags_.try_emplace(std::string(view(name)), std::move(*value));
  *out = c_str(lent.first->second);
  return true;
}

bool ConfigService::cloud_config(void* self, ccm_str* out) noexcept {
  auto& service = *static_cast<ConfigService*>(self);
  const CloudConfig::Bytes bytes = service.cloud_config_.bytes();
  if (!bytes || out == nullptr) return false;
  const std::lock_guard lock(service.mutex_);
  auto& lent = service.lent_bytes_;
  if (std::find(lent.begin(), lent.end(), bytes) == lent.end()) lent.push_back(bytes);
  *out = c_str(*bytes);
  return true;
}

int64_t ConfigService::secret(void*, ccm_str name, char* buffer, size_t capacity) noexcept {
  const auto value = read_secret(std::string(view(name)));
  if (!value) return -1;
  if (buffer != nullptr) std::memcpy(buffer, value->data(), std::min(capacity, value->size()));
  return static_cast<int64_t>(value->size());
}

void ConfigService::on_change(void* self, void (*fn)(void* owner), void* owner) noexcept {
  auto& service = *static_cast<ConfigService*>(self);
  const auto component = service.component();
  if (!component || fn == nullptr) return;
  if (!component->check_thread(ThreadTag::create, "config.on_change")) return;
  const std::lock_guard lock(service.mutex_);
  service.listeners_.emplace_back(fn, owner);
}

void ConfigService::changed() {
  const auto component = this->component();
  if (!component) return;
  std::vector<std::pair<void (*)(void*), void*>> listeners;
  {
    const std::lock_guard lock(mutex_);
    listeners = listeners_;
  }
  for (const auto& [fn, owner] : listeners) {
    component->call_serial("config.on_change", [fn = fn, owner = owner] { fn(owner); });
  }
  const CloudConfig::Bytes current = cloud_config_.bytes();
  const std::lock_guard lock(mutex_);
  // An operation on another thread may be reading the old bytes.
  auto stale = std::make_shared<std::vector<CloudConfig::Bytes>>();
  stale->swap(lent_bytes_);
  if (std::erase(*stale, current) > 0) lent_bytes_.push_back(current);
  component->operations()->keep_for_running(std::move(stale));
}

const void* ConfigService::table() const {
  static const ccm_host_config table{sizeof(table), 0, &flag, &cloud_config, &secret, &on_change};
  return &table;
}

}  // namespace ccm::plugin
