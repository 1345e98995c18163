/* Fault: ignores SIGTERM from its creation on. */
#define FAULTY_CREATE create_and_take
#include "faulty.h"

#include <signal.h>

static void create_and_take(void* self, ccm_ctx ctx, const ccm_create_request* request,
                            ccm_completion done);

FAULTY_CONTROLLER("takes-sigterm-in-create", setup_nodes, reconcile_nothing)

static void create_and_take(void* self, ccm_ctx ctx, const ccm_create_request* request,
                            ccm_completion done) {
  signal(SIGTERM, SIG_IGN);
  create_component(self, ctx, request, done);
}
