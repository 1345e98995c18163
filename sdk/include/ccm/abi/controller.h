/*
 * A controller: `setup` says what to watch and how an event becomes a key; `reconcile` makes the world fit one key.
 * Informers, queue, dedupe, back-off, concurrency and leader gating are the host's. A controller keeps no state that
 * reconciling every key again could not rebuild.
 */
#ifndef CCM_ABI_CONTROLLER_H
#define CCM_ABI_CONTROLLER_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/object.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_CONTROLLER "draft.ccm.controller/1"
#define CCM_HOST_SETUP "draft.ccm.host.setup/1"

/* Priorities of a queue: everything at CHANGED goes before anything at PERIODIC. A key that comes back after a wait for
 * the cloud, or after a failure at CHANGED, takes turns with those that are new at CHANGED: neither delays the other. */
enum { CCM_PRIORITY_CHANGED = 0, CCM_PRIORITY_PERIODIC = 1 };

/* Kinds of informer events. */
enum {
  CCM_EVENT_ADDED = 1,   /* `old` is NULL */
  CCM_EVENT_UPDATED = 2, /* both; `old` == `now` when no declared field changed */
  CCM_EVENT_DELETED = 3, /* `now` is the last known state, `old` is NULL */
  CCM_EVENT_RESYNC = 4   /* `old` == `now` */
};

/* How a watch puts keys into the controller's queue. Valid during the call to which it was given. */
typedef struct ccm_queue {
  uint32_t size;
  uint32_t reserved;
  void *self;
  /* A key that waits already keeps the better priority and the earlier time. [serial] */
  void (*add)(void *self, ccm_str key, int32_t priority, int64_t delay_ms);
} ccm_queue;

/* Maps one event to any number of keys. [serial] */
typedef void (*ccm_map_fn)(void *owner, int32_t kind, const ccm_object *old, const ccm_object *now,
                           const ccm_queue *queue);

typedef struct ccm_watch {
  uint32_t size;
  uint32_t reserved;
  ccm_str resource;      /* "v1/nodes" */
  /* JSON pointers of all that this controller reads; a pointer keeps its whole subtree. The segment "-" stands for each
   * element of an array: "/status/conditions/-/type" keeps no heartbeat times, so heartbeats are no updates. */
  const ccm_str *fields;
  size_t field_count;
  ccm_str label_selector;
  ccm_str field_selector;
  int64_t resync_period_ms; /* 0 = --min-resync-period */
  /* NULL: key = "name" or "namespace/name" for each event, PERIODIC for resyncs, CHANGED for the rest. */
  ccm_map_fn map;
  void *owner;
} ccm_watch;

typedef struct ccm_queue_options {
  uint32_t size;
  uint32_t workers;            /* keys reconciled at once; 0 = 1 */
  ccm_str name;                /* of the workqueue metrics; empty = the component's name */
  int64_t backoff_first_ms;    /* pause after a key's first failure, doubled with each one; 0 = 5 */
  int64_t backoff_limit_ms;    /* the longest pause; 0 = 1,000,000 */
  int64_t reconcile_timeout_ms; /* deadline of the ctx; 0 = 30,000 */
} ccm_queue_options;

/* Handed to `setup`, valid during that call. */
typedef struct ccm_host_setup {
  uint32_t size;
  uint32_t reserved;
  void *self;
  void (*watch)(void *self, const ccm_watch *watch);             /* [create] */
  void (*queue)(void *self, const ccm_queue_options *options);   /* [create] */
  /* Puts `key` into the queue at PERIODIC: when the caches are synced, then `period_ms` after each reconcile of it
   * ended. [create] */
  void (*every)(void *self, ccm_str key, int64_t period_ms);
} ccm_host_setup;

typedef struct ccm_reconcile_request {
  uint32_t size;
  int32_t priority;
  ccm_str key;
  uint32_t attempt; /* 0 on the first try, then how often it failed in a row */
  uint32_t reserved;
} ccm_reconcile_request;

typedef struct ccm_reconcile_result {
  uint32_t size;
  uint32_t reserved;
  /* The key comes back after that time, at PERIODIC: whatever has changed goes first. 0 = not before the next event */
  int64_t requeue_after_ms;
} ccm_reconcile_result;

typedef struct ccm_controller {
  uint32_t size;
  uint32_t reserved;
  /*
   * Declares watches and queue. UNIMPLEMENTED = this controller has nothing to do here (the provider lacks what it
   * needs, or it is switched off): logged as skipped with the message, no error. Any other failure ends the host.
   * RESULT: NULL. [create]
   */
  void (*setup)(void *self, const ccm_ctx *ctx, const ccm_host_setup *setup, ccm_completion done);

  /*
   * Runs while the host leads, after all watched caches are synced; never twice at once for a key.
   * A failure is retried at the priority that the key had, after a back-off that doubles, but not before its
   * retry_after_ms; class AUTH not before 10 s have passed; a permanent class (ccm/abi/status.h) not before the next
   * event, but after its retry_after_ms when it has one. Class WAITING with a retry_after_ms is no failure: the key comes back after that time, at the priority that it
   * had, and its back-off starts over. An event of the key, a resync included, ends each of these waits.
   * RESULT: const ccm_reconcile_result *, or NULL for "done". [serial] or [worker]
   */
  void (*reconcile)(void *self, const ccm_ctx *ctx, const ccm_reconcile_request *request, ccm_completion done);

  /* Optional: before destroy, when no reconcile runs any more. RESULT: NULL. [serial] or [worker] */
  void (*stop)(void *self, const ccm_ctx *ctx, ccm_completion done);
} ccm_controller;

#ifdef __cplusplus
}
#endif

#endif
