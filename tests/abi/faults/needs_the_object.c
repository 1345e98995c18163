/* Fault: never completes the reconcile of an object that is gone. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_object* node = cached_node(request->key);
  if (node == NULL) return;
  release(node);
  label_node(self, ctx, request, done);
}
FAULTY_CONTROLLER("needs-the-object", setup_labels, reconcile)
