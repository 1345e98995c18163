/* Fault: success without a result. */
#include "faulty.h"

static void list(void* self, const ccm_ctx* ctx, ccm_completion done) {
  (void)self;
  (void)ctx;
  succeed(done, NULL);
}
FAULTY_LIST("no-result", list)
