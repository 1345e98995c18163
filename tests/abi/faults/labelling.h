/* A controller that does what it should: each Node with a provider ID gets the label "faulty/seen".
 * A file that has a fault replaces one step of it by a macro before it includes this. */
#ifndef CCM_TESTS_ABI_LABELLING_H
#define CCM_TESTS_ABI_LABELLING_H

#include "faulty.h"

#include <ccm/abi/object.h>

#include <stdio.h>

/* One reconcile under way. */
struct labelling {
  ccm_ctx ctx;
  ccm_completion done;
  int attempts;
  char name[300];
};

MAYBE_UNUSED static const ccm_host_object* objects(ccm_interface* found) {
  *found = service(CCM_HOST_OBJECT);
  return (const ccm_host_object*)found->table;
}

MAYBE_UNUSED static ccm_bool text_at(const ccm_object* object, const char* pointer, ccm_str* out) {
  ccm_interface found;
  const ccm_host_object* table = objects(&found);
  return table->text(found.self, table->find(found.self, object, text(pointer)), out);
}

MAYBE_UNUSED static void release(const ccm_object* object) {
  ccm_interface found;
  objects(&found)->release(found.self, object);
}

/* A new reference, or NULL. */
MAYBE_UNUSED static const ccm_object* cached(const char* resource, const char* namespace_,
                                             ccm_str name) {
  const ccm_interface kube = service(CCM_HOST_KUBE);
  const ccm_object* object = NULL;
  ccm_kube_reference wanted;
  memset(&wanted, 0, sizeof(wanted));
  wanted.size = sizeof(wanted);
  wanted.resource = text(resource);
  wanted.namespace_ = text(namespace_);
  wanted.name = name;
  ((const ccm_host_kube*)kube.table)->cached(kube.self, &wanted, &object);
  return object;
}

MAYBE_UNUSED static const ccm_object* cached_node(ccm_str name) {
  return cached("v1/nodes", "", name);
}

/* Whether the Node still lacks the label. */
MAYBE_UNUSED static ccm_bool lacks_label(ccm_str name) {
  const ccm_object* node = cached_node(name);
  ccm_str value;
  ccm_bool lacks;
  if (node == NULL) return 0;
  lacks = text_at(node, "/spec/providerID", &value) &&
          !text_at(node, "/metadata/labels/faulty~1seen", &value);
  release(node);
  return lacks;
}

MAYBE_UNUSED static void patch_node(ccm_ctx ctx, const char* name, const char* body,
                                    ccm_completion done) {
  const ccm_interface kube = service(CCM_HOST_KUBE);
  ccm_kube_reference node;
  ccm_kube_patch_request request;
  memset(&node, 0, sizeof(node));
  node.size = sizeof(node);
  node.resource = text("v1/nodes");
  node.name = text(name);
  memset(&request, 0, sizeof(request));
  request.size = sizeof(request);
  request.reference = &node;
  request.type = CCM_PATCH_MERGE;
  request.body = text(body);
  ((const ccm_host_kube*)kube.table)->patch(kube.self, ctx, &request, done);
}

#define LABEL_BODY "{\"metadata\": {\"labels\": {\"faulty/seen\": \"yes\"}}}"

/* Ends the reconcile as the patch ended. A Node that is gone is no failure. */
MAYBE_UNUSED static void pass_on(struct labelling* work, const ccm_status* status) {
  ccm_status passed;
  memset(&passed, 0, sizeof(passed));
  ccm_copy_known(&passed, sizeof(passed), status);
  passed.size = sizeof(passed);
  passed.flags = 0;
  if (passed.error_class == CCM_CLASS_NOT_FOUND) {
    succeed(work->done, NULL);
  } else {
    work->done.fn(work->done.owner, work->done.operation, &passed, NULL);
  }
  free(work);
}

#ifndef WHEN_LABELLED
#define WHEN_LABELLED pass_on
#endif
static void WHEN_LABELLED(struct labelling* work, const ccm_status* status);

MAYBE_UNUSED static void labelled(void* owner, uint64_t operation, const ccm_status* status,
                                  const void* result) {
  (void)operation;
  (void)result;
  WHEN_LABELLED((struct labelling*)owner, status);
}

MAYBE_UNUSED static void begin_label(struct labelling* work) {
  ccm_completion done;
  done.fn = labelled;
  done.owner = work;
  done.operation = 1;
  patch_node(work->ctx, work->name, LABEL_BODY, done);
}

MAYBE_UNUSED static struct labelling* new_labelling(ccm_ctx ctx,
                                                    const ccm_reconcile_request* request,
                                                    ccm_completion done) {
  struct labelling* work = (struct labelling*)calloc(1, sizeof(*work));
  const size_t most = sizeof(work->name) - 1;
  work->ctx = ctx;
  work->done = done;
  memcpy(work->name, request->key.ptr, request->key.len < most ? request->key.len : most);
  return work;
}

MAYBE_UNUSED static void label_node(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                                    ccm_completion done) {
  (void)self;
  if (lacks_label(request->key)) {
    begin_label(new_labelling(ctx, request, done));
  } else {
    succeed(done, NULL);
  }
}

MAYBE_UNUSED static void add_key_of(const ccm_watch_event* event, int32_t priority) {
  ccm_str name;
  if (text_at(event->now, "/metadata/name", &name)) add_key(name, priority, 0);
}

/* Watches Nodes for what label_node reads; `map` of NULL: the name is the key. */
MAYBE_UNUSED static void watch_labels(ccm_map_fn map) {
  const ccm_str fields[] = {text("/spec/providerID"), text("/metadata/labels/faulty~1seen")};
  watch_fields(fields, 2, map);
}

MAYBE_UNUSED static void setup_labels(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                                      ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  watch_labels(NULL);
  succeed(done, NULL);
}

#endif
