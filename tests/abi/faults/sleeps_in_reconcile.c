/* Fault: holds the host's loop for a while, each time it is called. */
#include "faulty.h"

#include <unistd.h>

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  usleep(300000);
  reconcile_nothing(self, ctx, request, done);
}
FAULTY_CONTROLLER("sleeps-in-reconcile", setup_nodes, reconcile)
