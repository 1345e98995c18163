/*
 * The Kubernetes API: reads from the shared cache, live reads, writes.
 *
 * R-160 Writes go out under the identity and field manager of the component, pass the host's rate limit and, for
 *       deletions, its brake; on a host that does not lead they fail with FAILED_PRECONDITION, reason
 *       CCM_REASON_NOT_LEADING, and send nothing.
 * R-161 Errors are classed by the reason of the server's Status, then by its HTTP code: NOT_FOUND, CONFLICT (409
 *       Conflict), CCM_CODE_ALREADY_EXISTS, INVALID_SPEC (422), THROTTLED (429), AUTH (401, 403), UNAVAILABLE (5xx, no
 *       answer). The reason of the status is the server's.
 * R-162 After UNAVAILABLE a write may have happened: read again, never repeat blindly.
 * R-163 The cache holds the resources that some controller watches, and those that the plugin's manifest lists under
 *       "reads" ([{"resource": "v1/nodes", "fields": ["/metadata/labels"]}]), which the host watches for it. All other
 *       resources are "not watched".
 */
#ifndef CCM_ABI_KUBE_H
#define CCM_ABI_KUBE_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/object.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_KUBE "ccm.host.kube/1"

/* Resources are written "v1/nodes" or "coordination.k8s.io/v1/leases". [request] [since 1.0] */
typedef struct ccm_kube_reference {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str resource;
  ccm_str namespace_; /* empty for cluster-scoped resources */
  ccm_str name;
  ccm_str subresource; /* "", "status", "token" */
} ccm_kube_reference;

/* Answers of the cache. Any other counts as NOT_SYNCED. [since 1.0] */
enum {
  CCM_CACHE_NOT_SYNCED = 0, /* watched, but no complete list has come yet: nothing is known */
  CCM_CACHE_FOUND = 1,      /* it is there; of cached_each: every object was visited, or the visitor stopped */
  CCM_CACHE_ABSENT = 2,     /* there is no such object, as far as the cache has come */
  CCM_CACHE_NOT_WATCHED = 3 /* R-163; a fault of the plugin */
};

/* A choice of cached objects. [request] [since 1.0] */
typedef struct ccm_kube_cached_request {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str resource;
  ccm_str namespace_; /* empty = of all namespaces */
} ccm_kube_cached_request;

/* Return 0 to stop. It is called inside `cached_each`, on the same thread, and may call functions of ccm_host_object
 * only. [any-thread] [null: owner] [since 1.0] */
typedef ccm_bool (*ccm_visit_object_fn)(void *owner, const ccm_object *object);

/* [request] [since 1.0] */
typedef struct ccm_kube_get_request {
  uint32_t size;
  uint32_t flags; /* 0 */
  const ccm_kube_reference *reference;
} ccm_kube_get_request;

/* [request] [since 1.0] */
typedef struct ccm_kube_list_request {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str resource;
  ccm_str namespace_; /* empty = of all namespaces */
  ccm_str label_selector;
  ccm_str field_selector;
} ccm_kube_list_request;

/* [result] [since 1.0] */
typedef struct ccm_kube_list {
  uint32_t size;
  uint32_t flags; /* 0 */
  const ccm_object *const *objects;
  size_t count;
  ccm_str resource_version; /* of the list */
} ccm_kube_list;

/* Values of ccm_kube_patch_request.type. [since 1.0] */
enum {
  CCM_PATCH_JSON = 1,      /* RFC 6902 */
  CCM_PATCH_MERGE = 2,     /* RFC 7386 */
  CCM_PATCH_STRATEGIC = 3, /* built-in types only */
  CCM_PATCH_APPLY = 4      /* server-side apply; the field manager is the component */
};

/* Bits of ccm_kube_patch_request.flags. [since 1.0] */
enum {
  /* The answer is used for its metadata only: the server is asked for no more (a Node is large), so RESULT may be an
   * object of kind PartialObjectMetadata. It has no managedFields. */
  CCM_PATCH_ANSWER_METADATA = 1,
  /* Whether it was written is all that counts: RESULT may be NULL. */
  CCM_PATCH_ANSWER_NONE = 2
};

/* A precondition is part of the body: metadata.resourceVersion, or a "test" operation. Without one the server applies
 * the patch to whatever is stored. [request] [since 1.0] */
typedef struct ccm_kube_patch_request {
  uint32_t size;
  uint32_t flags;
  const ccm_kube_reference *reference;
  ccm_str body; /* JSON */
  int32_t type;
  uint32_t reserved; /* 0 */
} ccm_kube_patch_request;

/* [request] [since 1.0] */
typedef struct ccm_kube_create_request {
  uint32_t size;
  uint32_t flags; /* 0 */
  /* `name` counts with a subresource only (serviceaccounts/NAME/token); else the name is the body's. */
  const ccm_kube_reference *reference;
  ccm_str body; /* the whole object, JSON */
} ccm_kube_create_request;

/* [request] [since 1.0] */
typedef struct ccm_kube_delete_request {
  uint32_t size;
  uint32_t flags; /* 0 */
  const ccm_kube_reference *reference;
  ccm_str uid;              /* precondition; empty = none */
  ccm_str resource_version; /* precondition; empty = none */
} ccm_kube_delete_request;

/* [host table] [since 1.0] */
typedef struct ccm_host_kube {
  uint32_t size;
  uint32_t reserved;

  /*
   * From the cache: one of CCM_CACHE_..., and for FOUND `*out` is the object, else it is left alone. An unknown part of
   * the request counts as NOT_WATCHED. OWNERSHIP: `*out` is a new reference. [any-thread]
   */
  int32_t (*cached)(void *self, const ccm_kube_reference *reference, const ccm_object **out);

  /* Visits every cached object of a resource: CCM_CACHE_FOUND, NOT_SYNCED or NOT_WATCHED, as above. [any-thread] [null:
   * owner] */
  int32_t (*cached_each)(void *self, const ccm_kube_cached_request *request, ccm_visit_object_fn visit, void *owner);

  /* A fresh, whole object from the server (quorum read). ERRORS: R-161. RESULT const ccm_object *. [any-thread] */
  void (*get)(void *self, ccm_ctx ctx, const ccm_kube_get_request *request, ccm_completion done);

  /* All objects, read from the server in pages. ERRORS: R-161, RESOURCE_EXHAUSTED above 64 MiB. RESULT const
   * ccm_kube_list *. [any-thread] */
  void (*list)(void *self, ccm_ctx ctx, const ccm_kube_list_request *request, ccm_completion done);

  /* ERRORS. RESULT const ccm_object *: the object after the write, as far as the flags ask for it.
   * [any-thread] */
  void (*patch)(void *self, ccm_ctx ctx, const ccm_kube_patch_request *request, ccm_completion done);

  /* ERRORS. RESULT const ccm_object *: the server's answer. [any-thread] */
  void (*create)(void *self, ccm_ctx ctx, const ccm_kube_create_request *request, ccm_completion done);

  /* ERRORS. RESULT NULL. [any-thread] */
  void (*remove)(void *self, ccm_ctx ctx, const ccm_kube_delete_request *request, ccm_completion done);
} ccm_host_kube;

#ifdef __cplusplus
}
#endif

#endif
