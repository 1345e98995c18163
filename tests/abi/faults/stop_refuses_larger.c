/* Fault: stop refuses a request that is larger than it knows, whatever stands there. */
#include "stopping.h"

static void stop(void* self, ccm_ctx ctx, const ccm_stop_request* request, ccm_completion done) {
  const ccm_bool known = request->size <= sizeof(*request) && request->flags == 0;
  (void)self;
  (void)ctx;
  if (!refuses_unknown(known, done)) succeed(done, NULL);
}
FAULTY_CONTROLLER_TABLE("stop-refuses-larger", setup, reconcile, stop)
