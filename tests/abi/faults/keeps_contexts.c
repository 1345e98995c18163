/* Fault: makes a ctx for each reconcile, and cancels none. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_CTX);
  const ccm_host_ctx* contexts = (const ccm_host_ctx*)found.table;
  contexts->with_timeout(found.self, contexts->background(found.self), INT64_MAX);
  label_node(self, ctx, request, done);
}
FAULTY_CONTROLLER("keeps-contexts", setup_labels, reconcile)
