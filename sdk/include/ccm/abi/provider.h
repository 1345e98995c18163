/*
 * A cloud provider implements this interface, next to those for what its cloud can do.
 *
 * R-60 `initialize` comes first. Until it has succeeded no other operation of the provider is called, no CCM_CLOUD_...
 *      interface is asked for, and no controller is set up.
 * R-61 Which CCM_CLOUD_... interfaces the component offers after that depends on what the log-in found; it does not
 *      change any more. So do their limits.
 * R-62 The deadline of an operation is the timeout_ms of its interface's limits, or the host's choice.
 * R-63 `shutdown` is called once, when all controllers are gone and no operation of the provider runs, on a standby
 *      too, unless `initialize` never succeeded.
 * R-64 Fields of Nodes and Services that a provider reads (ccm_node_identity.node, ccm_backend.node,
 *      ccm_service.object) are those that it lists under "reads" of its manifest, and that controllers read.
 */
#ifndef CCM_ABI_PROVIDER_H
#define CCM_ABI_PROVIDER_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_PROVIDER "ccm.provider/1"

/* [request] [since 1.0] */
typedef struct ccm_initialize_request {
  uint32_t size;
  uint32_t flags; /* 0 */
} ccm_initialize_request;

/* [request] [since 1.0] */
typedef struct ccm_shutdown_request {
  uint32_t size;
  uint32_t flags; /* 0 */
} ccm_shutdown_request;

/* The request of the `limits` of each CCM_CLOUD_... interface. [request] [since 1.0] */
typedef struct ccm_limits_request {
  uint32_t size;
  uint32_t flags; /* 0 */
} ccm_limits_request;

/* [plugin table] [since 1.0] */
typedef struct ccm_provider {
  uint32_t size;
  uint32_t reserved;

  /*
   * Reads the configuration and logs in; writes nothing to the cloud. Called also on a standby. A failure is repeated
   * with back-off, or after retry_after_ms, while the host stands by; INVALID_ARGUMENT ends the host with the message,
   * so it should name the file or variable and what to do. RESULT NULL. [operation] [optional]
   */
  void (*initialize)(void *self, ccm_ctx ctx, const ccm_initialize_request *request, ccm_completion done);

  /* 0 = resources carry no cluster id, so --allow-untagged-cloud is needed. Without the function they carry one. Called
   * after `initialize`. [serial] [optional] */
  ccm_bool (*has_cluster_id)(void *self);

  /*
   * Logs out: revokes tokens, closes sessions; at most 5 s. The Lease was given back by then, so a request other than a
   * GET is refused unless it has CCM_HTTP_READ_ONLY, which is right for a log-out. A failure is logged. RESULT
   * NULL. [operation] [optional]
   */
  void (*shutdown)(void *self, ccm_ctx ctx, const ccm_shutdown_request *request, ccm_completion done);
} ccm_provider;

#ifdef __cplusplus
}
#endif

#endif
