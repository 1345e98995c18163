/* Fault: a count without a list. */
#include "faulty.h"

static void list(void* self, const ccm_ctx* ctx, ccm_completion done) {
  (void)self;
  (void)ctx;
  succeed_with(done, NULL, 3);
}
FAULTY_LIST("null-list", list)
