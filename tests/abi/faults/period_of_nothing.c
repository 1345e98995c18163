/* Fault: a key that is due every 0 ms. */
#include "faulty.h"

static void setup(void* self, const ccm_ctx* ctx, const ccm_host_setup* setup,
                  ccm_completion done) {
  (void)self;
  (void)ctx;
  setup->every(setup->self, text("all"), 0);
  succeed(done, NULL);
}
FAULTY_CONTROLLER("period-of-nothing", setup, reconcile_nothing)
