/* Fault: a reconcile that is never completed. */
#include "faulty.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  (void)done;
}
FAULTY_CONTROLLER("reconcile-never-completes", setup_nodes, reconcile)
