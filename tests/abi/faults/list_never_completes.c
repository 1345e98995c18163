/* Fault: an operation that is never completed. */
#include "faulty.h"

static void list(void* self, const ccm_ctx* ctx, ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)done;
}
FAULTY_LIST("list-never-completes", list)
