/* Fault: sets the list of finalizers as a whole, without the version that it was made from. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  struct labelling* work;
  ccm_completion written;
  if (!lacks_label(request->key)) {
    succeed(done, NULL);
    return;
  }
  (void)self;
  work = new_labelling(ctx, request, done);
  written.fn = labelled;
  written.owner = work;
  written.operation = 1;
  patch_node(ctx, work->name,
             "{\"metadata\": {\"labels\": {\"faulty/seen\": \"yes\"},"
             " \"finalizers\": [\"faulty/kept\"]}}",
             written);
}
FAULTY_CONTROLLER("takes-finalizers-away", setup_labels, reconcile)
