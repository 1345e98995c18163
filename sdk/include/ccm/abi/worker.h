/*
 * Runs one blocking function on the host's worker pool: for a vendor's library inside a non-blocking plugin.
 *
 * R-110 At most the manifest's maxParallel functions and operations of a plugin run at once; the rest waits in order.
 * R-111 A function that runs is never given up: its operation ends when it returned, and until then the component is
 *       not destroyed. One that has not begun when its ctx ends is not called.
 */
#ifndef CCM_ABI_WORKER_H
#define CCM_ABI_WORKER_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_WORKER "ccm.host.worker/1"

/* [request] [since 1.0] */
typedef struct ccm_work_request {
  uint32_t size;
  uint32_t flags;    /* 0 */
  ccm_callback work; /* `fn` is called on a [worker] thread, and dropped there */
} ccm_work_request;

/* [host table] [since 1.0] */
typedef struct ccm_host_worker {
  uint32_t size;
  uint32_t reserved;

  /* Calls the function, then completes. ERRORS: RESOURCE_EXHAUSTED when too many wait. RESULT NULL. [any-thread] */
  void (*run)(void *self, ccm_ctx ctx, const ccm_work_request *request, ccm_completion done);
} ccm_host_worker;

#ifdef __cplusplus
}
#endif

#endif
