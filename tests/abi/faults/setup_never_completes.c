/* Fault: a setup that is never completed. */
#include "faulty.h"

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  (void)done;
}
FAULTY_CONTROLLER("setup-never-completes", setup, reconcile_nothing)
