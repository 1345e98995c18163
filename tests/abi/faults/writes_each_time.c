/* Fault: each reconcile writes something new, although nothing has changed. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  static unsigned count;
  struct labelling* work = new_labelling(ctx, request, done);
  const ccm_completion written = {labelled, work, 1};
  char body[100];
  (void)self;
  snprintf(body, sizeof(body), "{\"metadata\": {\"labels\": {\"faulty/seen\": \"%u\"}}}", ++count);
  patch_node(ctx, work->name, body, written);
}
FAULTY_CONTROLLER("writes-each-time", setup_nodes, reconcile)
