// ccm.host.crypto/1 over OpenSSL.
#pragma once

#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/crypto.h>

namespace ccm::plugin {

class CryptoService final : public HostService {
 public:
  explicit CryptoService(const std::shared_ptr<LiveComponent>& component)
      : HostService(component, CCM_HOST_CRYPTO, &kTable) {}

 private:
  static int64_t hash(void* self, int32_t digest, ccm_str message, uint8_t* out,
                      size_t capacity) noexcept;
  static int64_t hmac(void* self, int32_t digest, ccm_str key, ccm_str message, uint8_t* out,
                      size_t capacity) noexcept;
  static int64_t sign(void* self, const ccm_sign_request* request, uint8_t* out,
                      size_t capacity) noexcept;
  static int64_t random(void* self, uint8_t* out, size_t capacity) noexcept;
  static const ccm_host_crypto kTable;
};

}  // namespace ccm::plugin
