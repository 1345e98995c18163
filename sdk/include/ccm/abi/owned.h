/*
 * The objects that a provider has made in the cloud, found by its own marks: for tools that look for leftovers.
 * Controllers have no use for it, so the host hands it to none.
 *
 * For a provider:
 * R-170 A listing holds each object of the cloud that bears the provider's own mark of the cluster that was asked for,
 *       or a mark that names no cluster (CCM_OWNED_NO_CLUSTER), or it fails. One that the cloud cut short, or that
 *       contradicts itself, is a failure.
 * R-171 Listed is what this provider makes, and a Go manager in its place: an object of a user that merely bears a mark
 *       is CCM_OWNED_SHARED, or left out.
 * R-172 A listing writes nothing, and needs no Kubernetes API.
 * R-173 `remove` reads the object again. One whose marks name another cluster, or not the one that was asked for, is
 *       not touched (CCM_REASON_NOT_OWNED). One whose mark names no cluster goes with CCM_OWNED_OBJECT_CONFIRMED alone.
 *       One that is gone already is a success. While the cloud works it ends with
 *       class WAITING and a retry_after_ms, and is called again.
 */
#ifndef CCM_ABI_OWNED_H
#define CCM_ABI_OWNED_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_CLOUD_OWNED "draft.ccm.cloud.owned/1"

/* Values of ccm_owned_object.kind; a cloud may have others. */
#define CCM_OWNED_LOAD_BALANCER "load-balancer"
#define CCM_OWNED_FLOATING_IP "floating-ip"
#define CCM_OWNED_ROUTE "route"
#define CCM_OWNED_FIREWALL "firewall"
#define CCM_OWNED_SECURITY_GROUP "security-group"

/* Bits of ccm_owned_object.flags. The host has an object with one of them removed by nobody. [since 1.0] */
enum {
  CCM_OWNED_NO_CLUSTER = 1, /* its mark names no cluster, so it may be another one's */
  CCM_OWNED_SHARED = 2      /* others use it, too: it bears marks of other clusters, or somebody else made it */
};

/* Without Services and without a Node it is for the cluster as a whole. [request] [result] [since 1.0] */
typedef struct ccm_owned_object {
  uint32_t size;
  uint32_t flags;
  ccm_str kind;
  ccm_str id;      /* unique among those of its kind */
  ccm_str name;    /* the cloud's; may be empty */
  ccm_str cluster; /* as its mark names it; empty with CCM_OWNED_NO_CLUSTER */
  ccm_str address; /* an address of it, for people; may be empty */
  /* The Services that it is for: "NAMESPACE/NAME" and UID, one of which may be empty. A UID that the mark has no room
   * for is given as far as it goes. */
  const ccm_key_value *services;
  size_t service_count;
  ccm_str node;             /* of a route: the Node's name; may be empty */
  ccm_str destination_cidr; /* of a route */
} ccm_owned_object;

/* A list that ends before `count` is a failure. [result] [since 1.0] */
typedef struct ccm_owned_list {
  uint32_t size;
  uint32_t flags; /* 0 */
  const ccm_owned_object *const *objects;
  size_t count;
} ccm_owned_list;

/* Bits of ccm_list_owned_request.flags and of ccm_remove_owned_request.flags. [since 1.0] */
enum {
  CCM_OWNED_CLUSTER_GIVEN = 1, /* `clusters` came from the user: they count, not the configuration of the provider */
  CCM_OWNED_OBJECT_CONFIRMED = 2 /* of `remove` alone: the user named the object itself by its id */
};

/* [request] [since 1.0] */
typedef struct ccm_list_owned_request {
  uint32_t size;
  uint32_t flags;
  /* The names of the cluster in marks: its --cluster-name, the UID of its namespace kube-system. A provider whose marks
   * have a name of its own configuration looks for that one instead, unless CCM_OWNED_CLUSTER_GIVEN is set. */
  const ccm_str *clusters;
  size_t cluster_count;
} ccm_list_owned_request;

/* [request] [since 1.0] */
typedef struct ccm_remove_owned_request {
  uint32_t size;
  uint32_t flags;
  const ccm_str *clusters; /* as it was listed with */
  size_t cluster_count;
  const ccm_owned_object *object; /* as it was listed */
} ccm_remove_owned_request;

/* [plugin table] [since 1.0] */
typedef struct ccm_cloud_owned {
  uint32_t size;
  uint32_t reserved;

  /* RESULT const ccm_owned_list *. [operation] [required] */
  void (*list)(void *self, ccm_ctx ctx, const ccm_list_owned_request *request, ccm_completion done);

  /* RESULT NULL. [operation] [required] */
  void (*remove)(void *self, ccm_ctx ctx, const ccm_remove_owned_request *request, ccm_completion done);
} ccm_cloud_owned;

#ifdef __cplusplus
}
#endif

#endif
