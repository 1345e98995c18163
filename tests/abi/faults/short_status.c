/* Fault: a status that ends before its message. */
#include "faulty.h"

static void list(void* self, const ccm_ctx* ctx, ccm_completion done) {
  ccm_status status;
  (void)self;
  (void)ctx;
  memset(&status, 0, sizeof(status));
  status.size = 8;
  status.code = CCM_CODE_UNAVAILABLE;
  done.fn(done.owner, done.operation, &status, NULL);
}
FAULTY_LIST("short-status", list)
