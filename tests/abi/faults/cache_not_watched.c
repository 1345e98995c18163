/* Fault: asks the cache for what it does not watch. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  (void)cached("v1/pods", "default", request->key);
  label_node(self, ctx, request, done);
}
FAULTY_CONTROLLER("cache-not-watched", setup_labels, reconcile)
