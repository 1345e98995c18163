/*
 * Time and hand-over to the component's [serial] context.
 */
#ifndef CCM_ABI_TIMER_H
#define CCM_ABI_TIMER_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_TIMER "draft.ccm.host.timer/1"
#define CCM_HOST_POST "draft.ccm.host.post/1"

typedef struct ccm_host_timer {
  uint32_t size;
  uint32_t reserved;
  int64_t (*now_ms)(void *self);       /* monotonic; advances while the machine sleeps. [any-thread] */
  int64_t (*wall_clock_ms)(void *self); /* since 1970, UTC. [any-thread] */
  /* Calls `fn(owner)` once in [serial] after `delay_ms`. Returns a timer, never 0. [any-thread] */
  uint64_t (*after)(void *self, int64_t delay_ms, void (*fn)(void *owner), void *owner);
  /* After it returned in [serial] `fn` is not called any more. Unknown timers are ignored. [any-thread] */
  void (*cancel)(void *self, uint64_t timer);
} ccm_host_timer;

typedef struct ccm_host_post {
  uint32_t size;
  uint32_t reserved;
  /* Calls `fn(owner)` once in [serial], never inside this call; in the order of posting. [any-thread] */
  void (*post)(void *self, void (*fn)(void *owner), void *owner);
} ccm_host_post;

#ifdef __cplusplus
}
#endif

#endif
