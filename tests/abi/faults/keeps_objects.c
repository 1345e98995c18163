/* Fault: gives back no object that it took from the cache. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  cached_node(request->key);
  label_node(self, ctx, request, done);
}
FAULTY_CONTROLLER("keeps-objects", setup_labels, reconcile)
