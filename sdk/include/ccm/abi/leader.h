/*
 * Leadership. The host starts controllers only while it leads and drops their writes afterwards; this is for plugins
 * that work in other ways.
 */
#ifndef CCM_ABI_LEADER_H
#define CCM_ABI_LEADER_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_LEADER "ccm.host.leader/1"

/* [host table] [since 1.0] */
typedef struct ccm_host_leader {
  uint32_t size;
  uint32_t reserved;

  ccm_bool (*leading)(void *self); /* holds the Lease at this moment, by the local clock. [any-thread] */

  /* The Lease's leaseTransitions when it was taken: grows with each change of leader, so it fences old writers off.
   * 0 without leader election. [any-thread] */
  uint64_t (*transitions)(void *self);

  /* Calls `callback` in [serial] each time `leading` has changed, until the component ends. Changes in quick succession
   * may come as one call. 0 = refused and dropped. [create] */
  ccm_bool (*on_change)(void *self, ccm_callback callback);
} ccm_host_leader;

#ifdef __cplusplus
}
#endif

#endif
