/* Fault: a status in which nothing makes sense. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  ccm_status status;
  (void)self;
  (void)ctx;
  memset(&status, 0, sizeof(status));
  status.size = sizeof(status);
  status.code = 77;
  status.error_class = -5;
  status.retry_after_ms = INT64_MAX;
  status.reason = text("\xff");
  status.message.len = 77;
  done.fn(done.owner, done.operation, &status, NULL);
}
FAULTY_LIST("garbage-status", list)
