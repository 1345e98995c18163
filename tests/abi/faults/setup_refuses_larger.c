/* Fault: setup refuses a request that is larger than it knows, whatever stands there. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  if (refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done)) return;
  label_node(self, ctx, request, done);
}

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  const ccm_bool known = request->size <= sizeof(*request) && request->flags == 0;
  if (refuses_unknown(known, done)) return;
  setup_labels(self, ctx, request, done);
}
FAULTY_CONTROLLER_TABLE("setup-refuses-larger", setup, reconcile, NULL)
