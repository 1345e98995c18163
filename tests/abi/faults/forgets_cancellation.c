/* Fault: its calls do not end with the reconcile that made them. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_ctx none = {0};
  (void)ctx;
  label_node(self, none, request, done);
}
FAULTY_CONTROLLER("forgets-cancellation", setup_labels, reconcile)
