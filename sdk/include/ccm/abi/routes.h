/*
 * Routes of the cloud's network that lead pod CIDRs to Nodes. A provider implements this table; controllers get the same
 * one from the host, which adds deadlines, metrics, one `apply` at a time and the deletion brake: a removal that is no
 * replacement by another route of the same destination or Node is held when there are many (FAILED_PRECONDITION, class
 * WAITING, reason "DeletionBrakeEngaged", among the statuses), and one without CCM_ROUTE_OWNED is refused ("NotOwned").
 * The host's `apply` takes any number of changes, and its `limits` says so: it judges them as a whole and calls the
 * provider's with at most `batch` of them. When one of these calls fails, those after it are not made and have its status.
 * A provider's `apply` that is not completed five minutes after its ctx ended loses its turn; then changes are UNAVAILABLE,
 * class WAITING, reason "OperationNotCompleted", until the routes have been listed again.
 */
#ifndef CCM_ABI_ROUTES_H
#define CCM_ABI_ROUTES_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/instances.h"
#include "ccm/abi/object.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_CLOUD_ROUTES "draft.ccm.cloud.routes/1"

/* Bits of ccm_route.flags. */
enum {
  /* The provider's own mark in the cloud (a tag, a description, a name that it alone gives, a table that is the
   * cluster's alone) says that this cluster's manager made the route. Only such routes are ever removed. */
  CCM_ROUTE_OWNED = 1,
  CCM_ROUTE_BLACKHOLE = 2 /* its target does not exist any more */
};

typedef struct ccm_route {
  uint32_t size;
  uint32_t flags;
  ccm_str id;               /* the cloud's name of it; empty for one to be added */
  ccm_str name_hint;        /* for one to be added: unique for Node and CIDR, fit for names */
  ccm_str destination_cidr;
  ccm_str target_node;      /* the Node's name; empty = not known */
  ccm_str target_provider_id; /* for one to be added: the Node's; may be empty */
  const ccm_node_address *target_addresses;
  size_t target_address_count;
  const ccm_object *node;   /* for one to be added: the Node; may be NULL */
} ccm_route;

typedef struct ccm_route_list {
  uint32_t size;
  uint32_t reserved;
  const ccm_route *const *routes;
  size_t count;
} ccm_route_list;

/* The outcome of each change, in the order of the request: removals first, then additions. */
typedef struct ccm_route_results {
  uint32_t size;
  uint32_t reserved;
  const ccm_status *const *statuses;
  size_t count;
} ccm_route_results;

/* Bits of ccm_route_limits.flags. */
enum {
  CCM_ROUTES_USE_ADDRESSES = 1 /* targets are addresses: a route is wrong when its Node's addresses differ */
};

typedef struct ccm_route_limits {
  uint32_t size;
  uint32_t flags;
  int64_t routes;  /* that the table holds, foreign ones included; 0 = not known */
  int64_t batch;   /* changes that one `apply` takes at most; 0 = any number */
} ccm_route_limits;

typedef struct ccm_cloud_routes {
  uint32_t size;
  uint32_t reserved;

  /* Every route of the cluster's table, foreign ones included; a listing that was not read to its end must fail.
   * RESULT: const ccm_route_list *. Required. [serial] or [worker] */
  void (*list)(void *self, const ccm_ctx *ctx, ccm_str cluster_name, ccm_completion done);

  /*
   * Removes, then adds, in as few calls to the cloud as it allows. `remove` holds routes as they were listed. One
   * change that fails does not keep the others from being made; its status says why, RESOURCE_EXHAUSTED with class QUOTA
   * when the table is full. To remove what is gone and to add what exists are successes. The operation itself fails only
   * when nothing is known of the outcome. RESULT: const ccm_route_results *. Required.
   */
  void (*apply)(void *self, const ccm_ctx *ctx, ccm_str cluster_name, const ccm_route *const *remove,
                size_t remove_count, const ccm_route *const *add, size_t add_count, ccm_completion done);

  /* Optional. RESULT: const ccm_route_limits *. */
  void (*limits)(void *self, const ccm_ctx *ctx, ccm_completion done);
} ccm_cloud_routes;

#ifdef __cplusplus
}
#endif

#endif
