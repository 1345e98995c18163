/* Fault: wants to be called again when the sun is cold. */
#include "faulty.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  ccm_reconcile_result result;
  (void)self;
  (void)ctx;
  (void)request;
  memset(&result, 0, sizeof(result));
  result.size = sizeof(result);
  result.requeue_after_ms = INT64_MAX;
  succeed(done, &result);
}
FAULTY_CONTROLLER("requeues-for-ever", setup_nodes, reconcile)
