/*
 * A controller: `setup` says what to watch and how an event becomes a key; `reconcile` makes the world fit one key.
 *
 * R-100 Informers, queue, dedupe, back-off, concurrency and leader gating are the host's. A controller keeps no state
 *       that reconciling every key again could not rebuild.
 * R-101 `reconcile` runs while the host leads, after all watched caches are synced; never twice at once for a key, at
 *       most `workers` times at once.
 * R-102 A failure is retried at the priority that the key had, after a back-off that doubles, but not before its
 *       retry_after_ms; class AUTH not before 10 s have passed; class QUOTA after retry_after_ms or 10 minutes; a
 *       permanent class at the next event, or after its retry_after_ms when it has one. Class WAITING with a
 *       retry_after_ms is no failure: the key comes back after that time, at the priority that it had, and its back-off
 *       begins again. An event of the key, a resync included, ends each of these waits.
 */
#ifndef CCM_ABI_CONTROLLER_H
#define CCM_ABI_CONTROLLER_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/object.h"
#include "ccm/abi/queue.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_CONTROLLER "ccm.controller/1"
#define CCM_HOST_SETUP "ccm.host.setup/1"

/* Values of ccm_watch_event.kind. Any other counts as RESYNC. [since 1.0] */
enum {
  CCM_EVENT_ADDED = 1,   /* `old` is NULL */
  CCM_EVENT_UPDATED = 2, /* both; `old` == `now` when no declared field changed */
  CCM_EVENT_DELETED = 3, /* `now` is the last known state, `old` is NULL */
  CCM_EVENT_RESYNC = 4,  /* `old` == `now` */
  CCM_EVENT_HINTED = 5   /* `old` == `now`; the provider said that the cloud's side of it changed (ccm/abi/hint.h) */
};

/* [notice] [since 1.0] */
typedef struct ccm_watch_event {
  uint32_t size;
  int32_t kind;
  const ccm_object *old; /* [null] */
  const ccm_object *now;
} ccm_watch_event;

/* Maps one event to any number of keys, which it adds to CCM_HOST_QUEUE. [serial] [null: owner] [since 1.0] */
typedef void (*ccm_map_fn)(void *owner, const ccm_watch_event *event);

/* [request] [since 1.0] */
typedef struct ccm_watch {
  uint32_t size;
  uint32_t flags;   /* 0 */
  ccm_str resource; /* "v1/nodes" */
  /* JSON pointers of all that this controller reads; a pointer keeps its whole subtree. The segment "-" stands for each
   * element of an array: "/status/conditions/-/type" keeps no heartbeat times, so heartbeats are no updates. */
  const ccm_str *fields;
  size_t field_count;
  ccm_str label_selector;
  ccm_str field_selector;
  int64_t resync_period_ms; /* 0 = --min-resync-period */
  /* [null]: key = "name" or "namespace/name" for each event, PERIODIC for resyncs, CHANGED for the rest. */
  ccm_map_fn map;
  ccm_drop_fn drop; /* [null] R-13 holds for map and owner too */
  void *owner;      /* [null] */
} ccm_watch;

/* [request] [since 1.0] */
typedef struct ccm_queue_options {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str name;   /* of the workqueue metrics; empty = the component's name */
  uint32_t workers;             /* keys reconciled at once; 0 = 1 */
  uint32_t reserved;            /* 0 */
  int64_t backoff_first_ms;     /* pause after a key's first failure, doubled with each one; 0 = 5 */
  int64_t backoff_limit_ms;     /* the longest pause; 0 = 1,000,000 */
  int64_t reconcile_timeout_ms; /* deadline of the ctx; 0 = 30,000 */
} ccm_queue_options;

/* For use in `setup`. A declaration that is malformed, or unknown in part, makes setup fail.
 * [host table] [since 1.0] */
typedef struct ccm_host_setup {
  uint32_t size;
  uint32_t reserved;

  void (*watch)(void *self, const ccm_watch *watch);           /* [create] */
  void (*queue)(void *self, const ccm_queue_options *options); /* [create] */

  /* Puts `key` into the queue at PERIODIC: when the caches are synced, then `period_ms`, which is above 0, after each
   * reconcile of it ended. [create] */
  void (*every)(void *self, ccm_str key, int64_t period_ms);
} ccm_host_setup;

/* [request] [since 1.0] */
typedef struct ccm_setup_request {
  uint32_t size;
  uint32_t flags; /* 0 */
} ccm_setup_request;

/* [request] [since 1.0] */
typedef struct ccm_reconcile_request {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str key;
  int32_t priority;
  uint32_t attempt; /* 0 on the first try, then how often it failed in a row */
} ccm_reconcile_request;

/* [result] [since 1.0] */
typedef struct ccm_reconcile_result {
  uint32_t size;
  uint32_t flags; /* 0 */
  /* The key comes back after that time, at PERIODIC: whatever has changed goes first. 0 = not before the next event */
  int64_t requeue_after_ms;
} ccm_reconcile_result;

/* [request] [since 1.0] */
typedef struct ccm_stop_request {
  uint32_t size;
  uint32_t flags; /* 0 */
} ccm_stop_request;

/* [plugin table] [since 1.0] */
typedef struct ccm_controller {
  uint32_t size;
  uint32_t reserved;

  /*
   * Declares watches and queue through CCM_HOST_SETUP. ERRORS: UNIMPLEMENTED with another reason than R-6's: this
   * controller has nothing to do here (the provider lacks what it needs, or it is switched off), which is logged with
   * the message and no error. Any other failure ends the host. RESULT NULL. [create] [required]
   */
  void (*setup)(void *self, ccm_ctx ctx, const ccm_setup_request *request, ccm_completion done);

  /* RESULT const ccm_reconcile_result *, or NULL for "done". [operation] [required] */
  void (*reconcile)(void *self, ccm_ctx ctx, const ccm_reconcile_request *request, ccm_completion done);

  /* Before destroy, when no reconcile runs any more; about 1 s is left. RESULT NULL. [operation] [optional] */
  void (*stop)(void *self, ccm_ctx ctx, const ccm_stop_request *request, ccm_completion done);
} ccm_controller;

#ifdef __cplusplus
}
#endif

#endif
