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
  const ccm_interface found = service(CCM_HOST_SETUP);
  const ccm_str field = text("/metadata/labels/kubernetes.io~1hostname");
  ccm_watch watch;
  memset(&watch, 0, sizeof(watch));
  watch.size = sizeof(watch);
  watch.resource = text("v1/nodes");
  watch.fields = &field;
  watch.field_count = 1;
  ((const ccm_host_setup*)found.table)->watch(found.self, &watch);
  setup_labels(self, ctx, request, done);
}
FAULTY_CONTROLLER("needs-whole-objects", begin, reconcile)
