/* Fault: a watch that counts fields and names none. */
#include "faulty.h"

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_SETUP);
  ccm_watch watch;
  (void)self;
  (void)ctx;
  (void)request;
  memset(&watch, 0, sizeof(watch));
  watch.size = sizeof(watch);
  watch.resource = text("v1/nodes");
  watch.field_count = 3;
  ((const ccm_host_setup*)found.table)->watch(found.self, &watch);
  succeed(done, NULL);
}
FAULTY_CONTROLLER("watch-without-fields", setup, reconcile_nothing)
