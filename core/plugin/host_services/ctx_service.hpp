// draft.ccm.host.ctx/1 over Context.
#pragma once

#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/ctx.h>

namespace ccm::plugin {

class CtxService final : public HostService {
 public:
  explicit CtxService(const std::shared_ptr<LiveComponent>& component) : HostService(component) {}
  [[nodiscard]] std::string_view id() const override { return CCM_HOST_CTX; }
  [[nodiscard]] const void* table() const override;

 private:
  static void retain_ctx(void* self, const ccm_ctx* ctx) noexcept;
  static void release_ctx(void* self, const ccm_ctx* ctx) noexcept;
  static const ccm_ctx* background(void* self) noexcept;
  static const ccm_ctx* with_timeout(void* self, const ccm_ctx* parent,
                                     int64_t timeout_ms) noexcept;
  static int64_t remaining_ms(void* self, const ccm_ctx* ctx) noexcept;
  static bool cancelled(void* self, const ccm_ctx* ctx) noexcept;
  static uint64_t on_cancel(void* self, const ccm_ctx* ctx, void (*fn)(void* owner),
                            void* owner) noexcept;
  static void remove_on_cancel(void* self, const ccm_ctx* ctx, uint64_t registration) noexcept;
};

}  // namespace ccm::plugin
