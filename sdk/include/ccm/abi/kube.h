/*
 * The Kubernetes API: reads from the shared cache, live reads, writes.
 * Writes go out under the identity and field manager of the component, pass the host's rate limit and, for deletions,
 * its brake; on a host that does not lead they fail with CCM_CODE_FAILED_PRECONDITION and send nothing.
 * Errors are classed by the reason of the server's Status, then by its HTTP code: not-found, conflict (409 Conflict),
 * CCM_CODE_ALREADY_EXISTS, invalid-spec (422), throttled (429), auth (401, 403), unavailable (5xx, transport).
 * After `unavailable` a write may have happened: read again, never repeat blindly.
 */
#ifndef CCM_ABI_KUBE_H
#define CCM_ABI_KUBE_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/object.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_KUBE "draft.ccm.host.kube/1"

/* Resources are written "v1/nodes" or "coordination.k8s.io/v1/leases". */
typedef struct ccm_kube_reference {
  uint32_t size;
  uint32_t reserved;
  ccm_str resource;
  ccm_str namespace_; /* empty for cluster-scoped resources */
  ccm_str name;
  ccm_str subresource; /* "" or "status" */
} ccm_kube_reference;

/* Values of ccm_kube_patch.type. */
enum {
  CCM_PATCH_JSON = 1,      /* RFC 6902 */
  CCM_PATCH_MERGE = 2,     /* RFC 7386 */
  CCM_PATCH_STRATEGIC = 3, /* built-in types only */
  CCM_PATCH_APPLY = 4      /* server-side apply; the field manager is the component */
};

/* Bits of ccm_kube_patch.flags. */
enum {
  /* The answer is used for its metadata only: the server is asked for no more (a Node is large), so RESULT may be an
   * object of kind PartialObjectMetadata. */
  CCM_PATCH_ANSWER_METADATA = 1,
  /* Whether it was written is all that counts: RESULT may be NULL. */
  CCM_PATCH_ANSWER_NONE = 2
};

/* A precondition is part of the body: metadata.resourceVersion, or a "test" operation. Without one the server applies
 * the patch to whatever is stored. */
typedef struct ccm_kube_patch {
  uint32_t size;
  int32_t type;
  const ccm_kube_reference *reference;
  ccm_str body; /* JSON */
  uint32_t flags;
  uint32_t reserved; /* 0 */
} ccm_kube_patch;

typedef struct ccm_kube_delete {
  uint32_t size;
  uint32_t reserved;
  const ccm_kube_reference *reference;
  ccm_str uid;              /* precondition; empty = none */
  ccm_str resource_version; /* precondition; empty = none */
} ccm_kube_delete;

/* Return false to stop. */
typedef bool (*ccm_visit_object_fn)(void *owner, const ccm_object *object);

typedef struct ccm_host_kube {
  uint32_t size;
  uint32_t reserved;

  /* From the cache of a resource that some component watches; NULL when it is not there. OWNERSHIP: a new reference.
   * [any-thread] */
  const ccm_object *(*cached)(void *self, ccm_str resource, ccm_str namespace_, ccm_str name);

  /* Every cached object of a resource, of all namespaces when `namespace_` is empty. `visit` must not call back into
   * the host but for ccm_host_object. [any-thread] */
  void (*cached_each)(void *self, ccm_str resource, ccm_str namespace_, ccm_visit_object_fn visit, void *owner);

  /* A fresh, whole object from the server (quorum read). RESULT: const ccm_object *. [any-thread] */
  void (*get)(void *self, const ccm_ctx *ctx, const ccm_kube_reference *reference, ccm_completion done);

  /* RESULT: const ccm_object *, the object after the write, as far as the flags ask for it. [any-thread] */
  void (*patch)(void *self, const ccm_ctx *ctx, const ccm_kube_patch *patch, ccm_completion done);

  /* `reference->name` is ignored; `body` is the whole object as JSON. RESULT: const ccm_object *. [any-thread] */
  void (*create)(void *self, const ccm_ctx *ctx, const ccm_kube_reference *reference, ccm_str body,
                 ccm_completion done);

  /* RESULT: NULL. [any-thread] */
  void (*remove)(void *self, const ccm_ctx *ctx, const ccm_kube_delete *request, ccm_completion done);
} ccm_host_kube;

#ifdef __cplusplus
}
#endif

#endif
