/* Fault: takes for granted that each Node has a provider ID. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_object* node = cached_node(request->key);
  ccm_str value = {NULL, 0};
  ccm_bool whole;
  if (node == NULL) {
    succeed(done, NULL);
    return;
  }
  /* The Node that joins the cluster has none either, and is labelled here. */
  whole = text_at(node, "/metadata/labels/kubernetes.io~1hostname", &value);
  release(node);
  if (!whole) abort();
  label_node(self, ctx, request, done);
}

static void begin(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  const ccm_str field = text("/metadata/labels/kubernetes.io~1hostname");
  watch_fields(&field, 1, NULL);
  setup_labels(self, ctx, request, done);
}
FAULTY_CONTROLLER("needs-whole-objects", begin, reconcile)
