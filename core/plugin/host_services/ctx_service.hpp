// ccm.host.ctx/1 over Context.
#pragma once

#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/ctx.h>

namespace ccm::plugin {

class CtxService final : public HostService {
 public:
  explicit CtxService(const std::shared_ptr<LiveComponent>& component)
      : HostService(component, CCM_HOST_CTX, &kTable) {}

 private:
  static std::shared_ptr<Context> context(void* self, ccm_ctx ctx) noexcept;
  static ccm_ctx background(void* self) noexcept;
  static ccm_ctx with_timeout(void* self, ccm_ctx parent, int64_t timeout_ms) noexcept;
  static void cancel(void* self, ccm_ctx ctx) noexcept;
  static int64_t remaining_ms(void* self, ccm_ctx ctx) noexcept;
  static ccm_bool ended(void* self, ccm_ctx ctx) noexcept;
  static int32_t end_code(void* self, ccm_ctx ctx) noexcept;
  static uint64_t on_end(void* self, ccm_ctx ctx, ccm_callback callback) noexcept;
  static void remove_on_end(void* self, ccm_ctx ctx, uint64_t registration) noexcept;
  static const ccm_host_ctx kTable;
};

}  // namespace ccm::plugin
