/* Fault: a setup that is never completed. */
#include "faulty.h"

static void setup(void* self, const ccm_ctx* ctx, const ccm_host_setup* setup,
                  ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)setup;
  (void)done;
}
FAULTY_CONTROLLER("setup-never-completes", setup, reconcile_nothing)
