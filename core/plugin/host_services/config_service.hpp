// draft.ccm.host.config/1 over flags, --cloud-config and secrets.
#pragma once

#include "plugin/host_services/config_source.hpp"
#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/config.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace ccm::plugin {

class ConfigService final : public HostService {
 public:
  ConfigService(const std::shared_ptr<LiveComponent>& component, const FlagSource& flags,
                CloudConfig& cloud_config);
  ~ConfigService() override;
  [[nodiscard]] std::string_view id() const override { return CCM_HOST_CONFIG; }
  [[nodiscard]] const void* table() const override;

 private:
  static bool flag(void* self, ccm_str name, ccm_str* out) noexcept;
  static bool cloud_config(void* self, ccm_str* out) noexcept;
  static int64_t secret(void* self, ccm_str name, char* buffer, size_t capacity) noexcept;
  static void on_change(void* self, void (*fn)(void* owner), void* owner) noexcept;
  void changed();

  const FlagSource& flags_;
  CloudConfig& cloud_config_;
  uint64_t registration_ = 0;
  std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> lent_flags_;  // lent until destroy
  std::vector<CloudConfig::Bytes> lent_bytes_;  // lent until the next change was told, or longer
  std::vector<std::pair<void (*)(void*), void*>> listeners_;
};

}  // namespace ccm::plugin
