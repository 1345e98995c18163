/* Fault: a stop that is never completed. */
#include "stopping.h"

static void stop(void* self, ccm_ctx ctx, const ccm_stop_request* request, ccm_completion done) {
  (void)self;
  (void)ctx;
  refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done);
}
FAULTY_CONTROLLER_TABLE("stop-never-completes", setup, reconcile, stop)
