/* Fault: a count without a list. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  (void)self;
  (void)ctx;
  succeed_with(done, NULL, 3);
}
FAULTY_LIST("null-list", list)
