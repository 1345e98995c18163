/*
 * Time, and hand-over to the plugin's [serial] context.
 */
#ifndef CCM_ABI_TIMER_H
#define CCM_ABI_TIMER_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_TIMER "ccm.host.timer/1"
#define CCM_HOST_POST "ccm.host.post/1"

/* [host table] [since 1.0] */
typedef struct ccm_host_timer {
  uint32_t size;
  uint32_t reserved;

  int64_t (*now_ms)(void *self);        /* monotonic; advances while the machine sleeps. [any-thread] */
  int64_t (*wall_clock_ms)(void *self); /* since 1970, UTC. [any-thread] */

  /* Calls `callback` once in [serial] after `delay_ms`, never inside this call. Less than 0 counts as 0, more than a
   * year as one. Returns a timer; 0 = refused and dropped. [any-thread] */
  uint64_t (*after)(void *self, int64_t delay_ms, ccm_callback callback);

  /* After it returned in [serial] the callback is not called any more; on another thread it may just be running. An
   * unknown timer is ignored. [any-thread] */
  void (*cancel)(void *self, uint64_t timer);
} ccm_host_timer;

/* [host table] [since 1.0] */
typedef struct ccm_host_post {
  uint32_t size;
  uint32_t reserved;

  /* Calls `callback` once in [serial], never inside this call, in the order of posting; or drops it, when the component
   * ends. [any-thread] */
  void (*post)(void *self, ccm_callback callback);
} ccm_host_post;

#ifdef __cplusplus
}
#endif

#endif
