/* Fault: setup does not look whether it knows all of its request. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  if (refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done)) return;
  label_node(self, ctx, request, done);
}
FAULTY_CONTROLLER_TABLE("setup-ignores-unknown", setup_labels, reconcile, NULL)
