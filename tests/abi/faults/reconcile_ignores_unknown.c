/* Fault: reconcile does not look whether it knows all of its request. */
#include "labelling.h"

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  if (refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done)) return;
  setup_labels(self, ctx, request, done);
}
FAULTY_CONTROLLER_TABLE("reconcile-ignores-unknown", setup, label_node, NULL)
