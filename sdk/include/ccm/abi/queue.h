/*
 * The work queue of a controller: keys that are to be reconciled. Map functions fill it (ccm/abi/controller.h), and so
 * may any thread of the plugin, such as one that hears of news from outside.
 */
#ifndef CCM_ABI_QUEUE_H
#define CCM_ABI_QUEUE_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_QUEUE "ccm.host.queue/1"

/*
 * Priorities: everything at CHANGED goes before anything at PERIODIC. A key that comes back after a wait for the cloud,
 * or after a failure at CHANGED, takes turns with those that are new at CHANGED: neither delays the other. Any other
 * value counts as PERIODIC. [since 1.0]
 */
enum { CCM_PRIORITY_CHANGED = 0, CCM_PRIORITY_PERIODIC = 1 };

/* [notice] [since 1.0] */
typedef struct ccm_queue_item {
  uint32_t size;
  int32_t priority;
  ccm_str key;
  int64_t delay_ms; /* 0 or less = now */
} ccm_queue_item;

/* A controller's own queue. Keys that come before the controller starts wait for that. [host table] [since 1.0] */
typedef struct ccm_host_queue {
  uint32_t size;
  uint32_t reserved;

  /* A key that waits already keeps the better priority and the earlier time. One that is being reconciled is reconciled
   * again afterwards. An empty key is ignored. [any-thread] */
  void (*add)(void *self, const ccm_queue_item *item);
} ccm_host_queue;

#ifdef __cplusplus
}
#endif

#endif
