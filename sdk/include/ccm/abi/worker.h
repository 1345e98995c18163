/*
 * Runs one blocking function on the host's worker pool: for a vendor's library inside a non-blocking plugin.
 */
#ifndef CCM_ABI_WORKER_H
#define CCM_ABI_WORKER_H

#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_WORKER "draft.ccm.host.worker/1"

typedef struct ccm_host_worker {
  uint32_t size;
  uint32_t reserved;
  /* Calls `fn(owner)` on a [worker] thread, at most the manifest's maxParallel of a component at once, then completes
   * in [serial]. RESULT: NULL. [any-thread] */
  void (*run)(void *self, void (*fn)(void *owner), void *owner, ccm_completion done);
} ccm_host_worker;

#ifdef __cplusplus
}
#endif

#endif
