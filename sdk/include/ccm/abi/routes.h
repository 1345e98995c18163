/*
 * Routes of the cloud's network that lead pod CIDRs to Nodes. A provider implements this table; controllers get the
 * same one from the host.
 *
 * For a provider:
 * R-80 A listing holds every route of the cluster's table, foreign ones included, or fails.
 * R-81 A route is OWNED when the provider's own mark in the cloud says that this cluster's manager made it: a tag, a
 *      description, a name that it alone gives, a table that is the cluster's alone, or within the Pod ranges what the
 *      route leads to: an instance with the cluster's mark, or one that is gone. Only such routes are ever removed.
 * R-82 On a cloud that can bear no mark the provider keeps the record itself, in a ConfigMap through CCM_HOST_KUBE: a
 *      route is written there before it is added, and struck out after it was removed. A route that is not there is not
 *      OWNED.
 * R-83 One change that fails does not keep the others from being made. To remove a route that is gone, and to add one
 *      that exists, are successes.
 *
 * From the host:
 * R-84 It adds deadlines, metrics, one `apply` at a time and the deletion brake: a removal that is no replacement by
 *      another route of the same destination or Node is held when there are many (CCM_REASON_DELETION_BRAKE_ENGAGED
 *      among the statuses), and one that is not OWNED is refused (CCM_REASON_NOT_OWNED).
 * R-85 Its `apply` takes any number of changes, and its `limits` says so: it judges them as a whole and calls the
 *      provider's with at most `batch` of them. When one of these calls fails, the later ones are not made and have its
 *      status.
 * R-86 An `apply` that is not completed five minutes after its ctx ended loses its turn; then changes are UNAVAILABLE,
 *      class WAITING, reason CCM_REASON_OPERATION_NOT_COMPLETED, until the routes have been listed again.
 */
#ifndef CCM_ABI_ROUTES_H
#define CCM_ABI_ROUTES_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/instances.h"
#include "ccm/abi/object.h"
#include "ccm/abi/provider.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_CLOUD_ROUTES "ccm.cloud.routes/1"

/* Bits of ccm_route.flags. [since 1.0] */
enum {
  CCM_ROUTE_OWNED = 1,    /* */
  CCM_ROUTE_BLACKHOLE = 2 /* its target does not exist any more */
};

/* A route, of an `apply` as well as of a listing. [request] [result] [since 1.0] */
typedef struct ccm_route {
  uint32_t size;
  uint32_t flags;
  ccm_str id;        /* the cloud's name of it; empty for one to be added */
  ccm_str name_hint; /* for one to be added: unique for Node and CIDR, fit for names */
  ccm_str destination_cidr;
  ccm_str target_node;        /* the Node's name; empty = not known */
  ccm_str target_provider_id; /* for one to be added: the Node's; may be empty */
  const ccm_node_address *target_addresses;
  size_t target_address_count;
  const ccm_object *node; /* [null] for one to be added: the Node */
} ccm_route;

/* A list that ends before `count` is a failure. [result] [since 1.0] */
typedef struct ccm_route_list {
  uint32_t size;
  uint32_t flags; /* 0 */
  const ccm_route *const *routes;
  size_t count;
} ccm_route_list;

/* The outcome of each change, in the order of the request: removals first, then additions. RESOURCE_EXHAUSTED with
 * class QUOTA when the table is full. [result] [since 1.0] */
typedef struct ccm_route_results {
  uint32_t size;
  uint32_t flags; /* 0 */
  const ccm_status *const *statuses;
  size_t count;
} ccm_route_results;

/* [request] [since 1.0] */
typedef struct ccm_list_routes_request {
  uint32_t size;
  uint32_t flags;       /* 0 */
  ccm_str cluster_name; /* --cluster-name */
} ccm_list_routes_request;

/* [request] [since 1.0] */
typedef struct ccm_apply_routes_request {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str cluster_name;
  const ccm_route *const *remove; /* as they were listed */
  size_t remove_count;
  const ccm_route *const *add;
  size_t add_count;
} ccm_apply_routes_request;

/* Bits of ccm_route_limits.flags. [since 1.0] */
enum {
  CCM_ROUTES_USE_ADDRESSES = 1 /* targets are addresses: a route is wrong when its Node's addresses differ */
};

/* [result] [since 1.0] */
typedef struct ccm_route_limits {
  uint32_t size;
  uint32_t flags;
  int64_t routes;     /* that the table holds, foreign ones included; 0 = not known */
  int64_t batch;      /* changes that one `apply` takes at most; 0 = any number */
  int64_t timeout_ms; /* of one operation; 0 = 120 s for apply, 60 s for list; at most 10 minutes */
} ccm_route_limits;

/* [plugin table] [since 1.0] */
typedef struct ccm_cloud_routes {
  uint32_t size;
  uint32_t reserved;

  /* RESULT const ccm_route_list *. [operation] [required] */
  void (*list)(void *self, ccm_ctx ctx, const ccm_list_routes_request *request, ccm_completion done);

  /* Removes, then adds, in as few calls to the cloud as it allows. The operation itself fails only when nothing is
   * known of the outcome. RESULT const ccm_route_results *. [operation] [required] */
  void (*apply)(void *self, ccm_ctx ctx, const ccm_apply_routes_request *request, ccm_completion done);

  /* RESULT const ccm_route_limits *. [operation] [optional] */
  void (*limits)(void *self, ccm_ctx ctx, const ccm_limits_request *request, ccm_completion done);
} ccm_cloud_routes;

#ifdef __cplusplus
}
#endif

#endif
