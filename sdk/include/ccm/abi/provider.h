/*
 * Implemented by every cloud provider, next to the interfaces for the features of its cloud.
 */
#ifndef CCM_ABI_PROVIDER_H
#define CCM_ABI_PROVIDER_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_PROVIDER "draft.ccm.provider/1"

typedef struct ccm_provider {
  uint32_t size;
  uint32_t reserved;
  /*
   * Reads the configuration and logs in. Called once, before any other operation, also on a standby; it must not write
   * to the cloud. A failure is retried with back-off while the host stands by; INVALID_ARGUMENT ends the host with the
   * message, so it should name the file or variable and what to do. RESULT: NULL. [serial] or [worker]
   */
  void (*initialize)(void *self, const ccm_ctx *ctx, ccm_completion done);

  /* Optional: OK while the cloud answers this credential. RESULT: NULL. [serial] or [worker] */
  void (*health)(void *self, const ccm_ctx *ctx, ccm_completion done);

  /* Optional: false = resources carry no cluster id, so --allow-untagged-cloud is needed. [serial] */
  bool (*has_cluster_id)(void *self);
} ccm_provider;

#ifdef __cplusplus
}
#endif

#endif
