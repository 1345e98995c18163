/* No fault: an operation that ends only when it is cancelled. */
#include "faulty.h"

static ccm_completion waiting;

static void cancelled(void* owner) {
  (void)owner;
  end_with(waiting, CCM_CODE_CANCELLED, "cancelled", NULL);
}

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  const ccm_interface found = service(CCM_HOST_CTX);
  const ccm_host_ctx* host_ctx = (const ccm_host_ctx*)found.table;
  const ccm_callback callback = {cancelled, NULL, NULL};
  (void)self;
  waiting = done;
  host_ctx->on_end(found.self, ctx, callback);
}
FAULTY_LIST("list-waits-for-cancel", list)
