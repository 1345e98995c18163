/* Fault: a stop that is never completed. */
#include "labelling.h"

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  if (refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done)) return;
  setup_labels(self, ctx, request, done);
}
static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  if (refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done)) return;
  label_node(self, ctx, request, done);
}
static void stop(void* self, ccm_ctx ctx, const ccm_stop_request* request, ccm_completion done) {
  (void)self;
  (void)ctx;
  refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done);
}
FAULTY_CONTROLLER_TABLE("stop-never-completes", setup, reconcile, stop)
