/*
 * Hints by which a provider whose cloud pushes news (a message bus, a webhook, an event stream) spares the host
 * polling.
 *
 * R-120 A hint says that something may have changed, never what. The host reads it from the provider before it acts, so
 *       a wrong, doubled or lost hint does no harm.
 * R-121 The host looks for the Node or Service in its cache and sends controllers that watch it an event of kind
 *       CCM_EVENT_HINTED. Of hints about one thing that come faster than it can look, the last one counts.
 */
#ifndef CCM_ABI_HINT_H
#define CCM_ABI_HINT_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_HINT "ccm.host.hint/1"

/* Values of ccm_hint.kind. A hint of another kind is ignored. [since 1.0] */
enum {
  CCM_HINT_INSTANCE = 1,     /* an instance appeared, vanished, or changed its state or addresses */
  CCM_HINT_LOAD_BALANCER = 2 /* a load balancer became ready, failed, or was changed by others */
};

/* The thing that it is about: as much as the provider knows, at least one of the texts. [notice] [since 1.0] */
typedef struct ccm_hint {
  uint32_t size;
  int32_t kind;
  ccm_str name;        /* of the Node or Service */
  ccm_str namespace_;  /* of the Service */
  ccm_str uid;         /* of the Service */
  ccm_str provider_id; /* of the instance */
  ccm_str id;          /* of the load balancer, as it is recorded on the Service */
} ccm_hint;

/* [host table] [since 1.0] */
typedef struct ccm_host_hint {
  uint32_t size;
  uint32_t reserved;

  void (*changed)(void *self, const ccm_hint *hint); /* [any-thread] */
} ccm_host_hint;

#ifdef __cplusplus
}
#endif

#endif
