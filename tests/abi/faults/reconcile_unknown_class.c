/* Fault: a reconcile fails with a class that does not exist. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  ccm_status status;
  (void)self;
  (void)ctx;
  (void)request;
  memset(&status, 0, sizeof(status));
  status.size = sizeof(status);
  status.code = CCM_CODE_UNAVAILABLE;
  status.error_class = 4711;
  done.fn(done.owner, done.operation, &status, NULL);
}
FAULTY_CONTROLLER("reconcile-unknown-class", setup_labels, reconcile)
