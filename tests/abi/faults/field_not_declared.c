/* Fault: reads a field of a cached Node that no watch declares. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_object* node = cached_node(request->key);
  ccm_str version;
  if (node != NULL) {
    text_at(node, "/status/nodeInfo/kubeletVersion", &version);
    release(node);
  }
  label_node(self, ctx, request, done);
}
FAULTY_CONTROLLER("field-not-declared", setup_labels, reconcile)
