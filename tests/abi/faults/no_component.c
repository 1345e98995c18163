/* Fault: `create` succeeds with nothing. */
#include <ccm/abi/plugin.h>

#include <stddef.h>

static void nothing(void* self, ccm_ctx ctx, const ccm_create_request* request,
                    ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  done.fn(done.owner, done.operation, NULL, NULL);
}
#define FAULTY_CREATE nothing
#include "faulty.h"

FAULTY_LIST("no-component", list_nothing)
