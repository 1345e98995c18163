// When and on which thread a component's code runs: ccm.host.ctx/1 over Context, ccm.host.timer/1
// and ccm.host.post/1 over the loop, ccm.host.worker/1 over the component's lane of the worker
// pool.
#pragma once

#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/ctx.h>
#include <ccm/abi/timer.h>
#include <ccm/abi/worker.h>

namespace ccm::plugin {

// ccm.host.ctx/1 over Context.
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

class TimerService final : public HostService {
 public:
  explicit TimerService(const std::shared_ptr<LiveComponent>& component)
      : HostService(component, CCM_HOST_TIMER, &kTable) {}

 private:
  static int64_t now_ms(void* self) noexcept;
  static int64_t wall_clock_ms(void* self) noexcept;
  static uint64_t after(void* self, int64_t delay_ms, ccm_callback callback) noexcept;
  static const ccm_host_timer kTable;
};

class PostService final : public HostService {
 public:
  explicit PostService(const std::shared_ptr<LiveComponent>& component)
      : HostService(component, CCM_HOST_POST, &kTable) {}

 private:
  static void post(void* self, ccm_callback callback) noexcept;
  static const ccm_host_post kTable;
};

// ccm.host.worker/1 over the component's lane of the worker pool.
class WorkerService final : public HostService {
 public:
  explicit WorkerService(const std::shared_ptr<LiveComponent>& component)
      : HostService(component, CCM_HOST_WORKER, &kTable) {}

 private:
  static void run(void* self, ccm_ctx ctx, const ccm_work_request* request,
                  ccm_completion done) noexcept;
  static const ccm_host_worker kTable;
};

}  // namespace ccm::plugin
