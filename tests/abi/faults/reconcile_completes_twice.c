/* Fault: completes a reconcile twice. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  succeed(done, NULL);
  succeed(done, NULL);
}
FAULTY_CONTROLLER("reconcile-completes-twice", setup_labels, reconcile)
