/*
 * ccm_ctx: deadline, cancellation and log fields of one operation, as Go's context. Every operation of the host takes
 * one, so passing on the ctx that was given cancels HTTP calls and the like at the right moment for nothing.
 *
 * R-40 A ctx ends once: it was cancelled, its deadline passed, its parent ended, or its operation was completed.
 * R-41 After the end of its ctx an operation must still complete, soon, and changes nothing outside any more. Its
 *      caller no longer waits.
 * R-42 A ctx is known until its operation was completed; a child until it was cancelled or its parent is no longer
 *      known. A child that is not cancelled costs memory until then, so cancel each when it has served, as in Go.
 * R-43 A ctx may be used on any thread, and by all components of the plugin to which it was given.
 * R-44 One that is not known any more counts as cancelled. An operation that is started with it ends with
 *      CCM_CODE_FAILED_PRECONDITION, reason CCM_REASON_CONTEXT_ENDED, and does nothing. So does one of another plugin.
 */
#ifndef CCM_ABI_CTX_H
#define CCM_ABI_CTX_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_CTX "ccm.host.ctx/1"

/* A number of the host's. {0} = none: no deadline, ends with the component. Passed by value. [frozen] [since 1.0] */
typedef struct ccm_ctx {
  uint64_t id;
} ccm_ctx;

/* [host table] [since 1.0] */
typedef struct ccm_host_ctx {
  uint32_t size;
  uint32_t reserved;

  /* The ctx that ends with the component: no deadline. It need not be cancelled, and cannot be. [any-thread] */
  ccm_ctx (*background)(void *self);

  /* A child that ends with `parent` ({0}: with the component), after `timeout_ms` (INT64_MAX = never), or by cancel().
   * It has ended already when `parent` has. [any-thread] */
  ccm_ctx (*with_timeout)(void *self, ccm_ctx parent, int64_t timeout_ms);

  /* Ends a child that with_timeout() made, and forgets it. Any other ctx is left alone. [any-thread] */
  void (*cancel)(void *self, ccm_ctx ctx);

  /* Milliseconds left; INT64_MAX = no deadline; 0 or less = it has ended. [any-thread] */
  int64_t (*remaining_ms)(void *self, ccm_ctx ctx);

  /* Whether it has ended. [any-thread] */
  ccm_bool (*ended)(void *self, ccm_ctx ctx);

  /* Why: CCM_CODE_DEADLINE_EXCEEDED, or CCM_CODE_CANCELLED for all else; CCM_CODE_OK while it has not. [any-thread] */
  int32_t (*end_code)(void *self, ccm_ctx ctx);

  /*
   * Calls `callback` once in [serial] when the ctx ends, never inside this call; soon if it has ended. An operation
   * that was completed has ended its ctx, so that is when it is called at the latest. Returns a registration; 0 =
   * refused and dropped. [any-thread]
   */
  uint64_t (*on_end)(void *self, ccm_ctx ctx, ccm_callback callback);

  /* After it returned in [serial] the callback is not called any more; on another thread it may just be running. An
   * unknown registration is ignored. [any-thread] */
  void (*remove_on_end)(void *self, ccm_ctx ctx, uint64_t registration);
} ccm_host_ctx;

#ifdef __cplusplus
}
#endif

#endif
