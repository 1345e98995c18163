/* Fault: success without a result. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  (void)self;
  (void)ctx;
  succeed(done, NULL);
}
FAULTY_LIST("no-result", list)
