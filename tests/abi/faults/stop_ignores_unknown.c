/* Fault: stop does not look whether it knows all of its request. */
#include "stopping.h"

static void stop(void* self, ccm_ctx ctx, const ccm_stop_request* request, ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  succeed(done, NULL);
}
FAULTY_CONTROLLER_TABLE("stop-ignores-unknown", setup, reconcile, stop)
