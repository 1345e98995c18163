/* Fault: a reconcile that blocks its thread for ever, whatever becomes of its ctx. */
#define FAULTY_NONBLOCKING "false"
#include "faulty.h"

#include <unistd.h>

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  (void)done;
  for (;;) pause();
}
FAULTY_CONTROLLER("reconcile-blocks", setup_nodes, reconcile)
