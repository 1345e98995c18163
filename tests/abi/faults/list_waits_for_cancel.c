/* No fault: an operation that ends only when it is cancelled. */
#include "faulty.h"

static ccm_completion waiting;

static void cancelled(void* owner) {
  (void)owner;
  end_with(waiting, CCM_CODE_CANCELLED, "cancelled", NULL);
}

static void list(void* self, const ccm_ctx* ctx, ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_CTX);
  const ccm_host_ctx* host_ctx = (const ccm_host_ctx*)found.table;
  (void)self;
  waiting = done;
  host_ctx->on_cancel(found.self, ctx, cancelled, NULL);
}
FAULTY_LIST("list-waits-for-cancel", list)
