/* Fault: a watch that counts fields and names none. */
#include "faulty.h"

static void setup(void* self, const ccm_ctx* ctx, const ccm_host_setup* setup,
                  ccm_completion done) {
  ccm_watch watch;
  (void)self;
  (void)ctx;
  memset(&watch, 0, sizeof(watch));
  watch.size = sizeof(watch);
  watch.resource = text("v1/nodes");
  watch.field_count = 3;
  setup->watch(setup->self, &watch);
  succeed(done, NULL);
}
FAULTY_CONTROLLER("watch-without-fields", setup, reconcile_nothing)
