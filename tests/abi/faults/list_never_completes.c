/* Fault: an operation that is never completed. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  (void)self;
  (void)ctx;
  (void)done;
}
FAULTY_LIST("list-never-completes", list)
