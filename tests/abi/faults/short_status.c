/* Fault: a status that ends before its code. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  ccm_status status;
  (void)self;
  (void)ctx;
  memset(&status, 0, sizeof(status));
  status.size = 4;
  status.code = CCM_CODE_UNAVAILABLE;
  done.fn(done.owner, done.operation, &status, NULL);
}
FAULTY_LIST("short-status", list)
