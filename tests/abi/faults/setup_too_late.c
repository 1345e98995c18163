/* Fault: keeps what setup was given and uses it afterwards. */
#include "faulty.h"

static const ccm_host_setup* kept;

static void setup(void* self, const ccm_ctx* ctx, const ccm_host_setup* setup,
                  ccm_completion done) {
  kept = setup;
  setup_nodes(self, ctx, setup, done);
}

static void reconcile(void* self, const ccm_ctx* ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  kept->every(kept->self, text("too-late"), 1);
  watch_nodes(kept, NULL);
  reconcile_nothing(self, ctx, request, done);
}
FAULTY_CONTROLLER("setup-too-late", setup, reconcile)
