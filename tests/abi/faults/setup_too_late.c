/* Fault: keeps what setup was given and uses it afterwards. */
#include "faulty.h"

static ccm_interface kept;

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  kept = service(CCM_HOST_SETUP);
  setup_nodes(self, ctx, request, done);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  ((const ccm_host_setup*)kept.table)->every(kept.self, text("too-late"), 1);
  watch_nodes(NULL);
  reconcile_nothing(self, ctx, request, done);
}
FAULTY_CONTROLLER("setup-too-late", setup, reconcile)
