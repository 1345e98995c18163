/*
 * ccm_ctx: deadline, cancellation and log fields of one operation, as Go's context. Every host service takes one, so
 * who passes on the ctx that it was given gets cancellation and deadlines of its HTTP calls for nothing.
 * After a cancel the operation must still complete; its caller no longer waits.
 */
#ifndef CCM_ABI_CTX_H
#define CCM_ABI_CTX_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_CTX "draft.ccm.host.ctx/1"

/* Opaque, reference counted. As an argument it is borrowed: valid until the operation completed, or longer if retained. */
typedef struct ccm_ctx ccm_ctx;

typedef struct ccm_host_ctx {
  uint32_t size;
  uint32_t reserved;
  void (*retain)(void *self, const ccm_ctx *ctx);  /* [any-thread] */
  void (*release)(void *self, const ccm_ctx *ctx); /* [any-thread] */

  /* A ctx without deadline that ends with the component. OWNERSHIP: a new reference. [any-thread] */
  const ccm_ctx *(*background)(void *self);

  /* A child that ends with `parent` or after `timeout_ms`. OWNERSHIP: a new reference. [any-thread] */
  const ccm_ctx *(*with_timeout)(void *self, const ccm_ctx *parent, int64_t timeout_ms);

  /* Milliseconds left; INT64_MAX = no deadline; <= 0 = over. [any-thread] */
  int64_t (*remaining_ms)(void *self, const ccm_ctx *ctx);

  /* True once it was cancelled or its deadline passed. [any-thread] */
  bool (*cancelled)(void *self, const ccm_ctx *ctx);

  /*
   * Calls `fn(owner)` once when the ctx ends, on the host's loop; at once if it has ended. Returns a registration,
   * never 0. [any-thread]
   */
  uint64_t (*on_cancel)(void *self, const ccm_ctx *ctx, void (*fn)(void *owner), void *owner);

  /* After it returned on the host's loop `fn` is not called any more. Unknown registrations are ignored. [serial] */
  void (*remove_on_cancel)(void *self, const ccm_ctx *ctx, uint64_t registration);
} ccm_host_ctx;

#ifdef __cplusplus
}
#endif

#endif
