// ccm.host.config/1 over flags, --cloud-config and secrets.
#pragma once

#include "plugin/host_services/config_rejections.hpp"
#include "plugin/host_services/config_source.hpp"
#include "plugin/host_services/host_service.hpp"
#include "plugin/recording/http_recording.hpp"

#include <ccm/abi/config.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ccm::plugin {

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
