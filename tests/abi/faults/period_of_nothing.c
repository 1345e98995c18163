/* Fault: a key that is due every 0 ms. */
#include "faulty.h"

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_SETUP);
  (void)self;
  (void)request;
  (void)ctx;
  ((const ccm_host_setup*)found.table)->every(found.self, text("all"), 0);
  succeed(done, NULL);
}
FAULTY_CONTROLLER("period-of-nothing", setup, reconcile_nothing)
